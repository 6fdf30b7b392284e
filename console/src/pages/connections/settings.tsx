import { useState } from 'preact/hooks';
import type { BankConnection } from '../../../../sdk/src/index.ts';
import { api, apiOf } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { mayWrite } from '../../session/session.ts';
import { CredentialsForm } from './credentials-form.tsx';
import { connectionWords } from './words.ts';

type Props = { readonly connection: BankConnection; readonly onChanged: () => void };

/** Title, credentials, and an end. */
export function Settings({ connection, onChanged }: Props) {
  const w = connectionWords();
  const { id, companies, bankCode, environment, status, archivedAt } = connection;
  const catalogue = useLoad('catalogue', (signal) => api().getCatalogue({ signal }));
  const [title, setTitle] = useState(connection.title);
  const [isAsking, setAsking] = useState(false);
  if (!mayWrite('connections:write') || archivedAt !== undefined) return null;
  const client = apiOf(companies);
  const change = (call: () => Promise<unknown>, said: string): void => {
    setAsking(false);
    call().then(
      () => {
        toast(said);
        onChanged();
      },
      (error: unknown) => toastFailure(w.changeFailed, error),
    );
  };
  return (
    <div class="stack wide">
      <form
        class="row readable"
        onSubmit={(event) => {
          event.preventDefault();
          change(() => client.changeConnection(id, { title }), w.renamed);
        }}
      >
        <div class="grow">
          <TextField label={w.title} value={title} maxLength={120} onInput={setTitle} />
        </div>
        <Button type="submit" disabled={title.trim() === '' || title === connection.title}>
          {w.rename}
        </Button>
      </form>
      <section class="stack">
        <h3>{w.credentials}</h3>
        <Loaded of={catalogue} what={w.catalogueFailed}>
          {({ items }) => {
            const schema = items.find((bank) => bank.bankCode === bankCode)?.credentials[environment];
            return schema ? <CredentialsForm connection={connection} schema={schema} onSaved={onChanged} /> : null;
          }}
        </Loaded>
      </section>
      <div class="row">
        <Button
          onClick={() =>
            change(() => client.changeConnection(id, { status: !status }), status ? w.disabledToast : w.enabledToast)
          }
        >
          {status ? w.disable : w.enable}
        </Button>
        <Button kind="danger" onClick={() => setAsking(true)}>
          {w.archive}
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title={w.archiveTitle}
          action={w.archive}
          danger
          onConfirm={() => change(() => client.archiveConnection(id), w.archivedToast)}
          onClose={() => setAsking(false)}
        >
          <p>{w.archiveText(connection.title)}</p>
        </Confirm>
      )}
    </div>
  );
}
