import { useState } from 'preact/hooks';
import type { BankConnection } from '../../../../sdk/src/index.ts';
import { apiOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { mayWrite } from '../../session/session.ts';
import { connectionWords } from './words.ts';

/** How long the page waits for a setup, which continues in the service after that. */
const SETUP_SECONDS = 20;

type Props = { readonly connection: BankConnection; readonly onChanged: () => void };

/** One primary action: what the connection needs next. */
export function ConnectionActions({ connection, onChanged }: Props) {
  const w = connectionWords();
  const [isBusy, setBusy] = useState(false);
  const { id, companies, subAccounts, credentials, archivedAt, status, syncHealth } = connection;
  if (!mayWrite('connections:write') || archivedAt !== undefined || !status) return null;
  const client = apiOf(companies);
  const run = async (call: () => Promise<string>, failed: string): Promise<void> => {
    setBusy(true);
    try {
      toast(await call());
      onChanged();
    } catch (error) {
      toastFailure(failed, error);
    } finally {
      setBusy(false);
    }
  };
  const setUp = () =>
    run(async () => {
      const { subAccounts: found } = await client.setUpConnection(id, { wait: SETUP_SECONDS });
      return found.length === 0 ? w.setUpWrong : w.setUpDone(found.length);
    }, w.setUpFailed);
  const sync = () =>
    run(async () => {
      await client.syncConnection(id, {});
      return w.started;
    }, w.syncFailed);
  if (subAccounts.length === 0) {
    return (
      <div class="row">
        <span class="muted">{credentials === undefined ? w.needsCredentials : w.needsSetup}</span>
        <Button kind="primary" busy={isBusy} disabled={credentials === undefined} onClick={setUp}>
          {w.setUp}
        </Button>
      </div>
    );
  }
  return (
    <div class="row">
      <Button busy={isBusy} onClick={setUp}>
        {w.setUpAgain}
      </Button>
      <Button kind="primary" busy={isBusy} disabled={syncHealth.status === 'running'} onClick={sync}>
        {w.sync}
      </Button>
    </div>
  );
}
