import { useState } from 'preact/hooks';
import type { Bank, BankConnection } from '../../../../sdk/src/index.ts';
import { api, apiOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import { useLoad } from '../../api/use-load.ts';
import { BankReason, nameOfBank } from '../../parts/bank-words.tsx';
import { Button } from '../../parts/button.tsx';
import { FailureText } from '../../parts/failure.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Select } from '../../parts/select.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { navigate, to } from '../../router.ts';
import { company, person, showsCompanies } from '../../session/session.ts';
import { common } from '../../words/index.ts';
import { Accounts } from './accounts.tsx';
import { CredentialsForm } from './credentials-form.tsx';
import { connectionWords } from './words.ts';

const SETUP_SECONDS = 30;

type Opened = { readonly connection: BankConnection; readonly bank: Bank };

/** Bank, credentials, accounts: three steps, of which the first two cannot be left half done unnoticed. */
export function NewConnection() {
  const w = connectionWords();
  const catalogue = useLoad('catalogue', (signal) => api().getCatalogue({ signal }));
  const [opened, setOpened] = useState<Opened | null>(null);
  const [hasCredentials, setHasCredentials] = useState(false);
  const step = opened === null ? 0 : hasCredentials ? 2 : 1;
  const schema = opened?.bank.credentials[opened.connection.environment];
  return (
    <section class="stack readable">
      <h2>{w.step(step + 1, w.steps[step] ?? '')}</h2>
      <Loaded of={catalogue} what={w.catalogueFailed}>
        {({ items }) => {
          if (opened === null) return <ChooseBank banks={items} onOpened={setOpened} />;
          if (!hasCredentials && schema !== undefined) {
            return (
              <CredentialsForm connection={opened.connection} schema={schema} onSaved={() => setHasCredentials(true)} />
            );
          }
          return <FindAccounts connection={opened.connection} />;
        }}
      </Loaded>
    </section>
  );
}

type ChooseProps = { readonly banks: readonly Bank[]; readonly onOpened: (opened: Opened) => void };

function ChooseBank({ banks, onOpened }: ChooseProps) {
  const w = connectionWords();
  const companies = person.value?.companies ?? [];
  const [bankCode, setBankCode] = useState(banks[0]?.bankCode ?? '');
  const [companyId, setCompanyId] = useState(company.value ?? companies[0]?.id ?? '');
  const [title, setTitle] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const bank = banks.find((one) => one.bankCode === bankCode);
  const [environment, setEnvironment] = useState<'demo' | 'production'>('production');
  const offered = bank?.environments ?? [];
  const chosen = offered.includes(environment) ? environment : offered[0];
  const open = async (): Promise<void> => {
    if (bank === undefined || chosen === undefined) return;
    setBusy(true);
    setFailure(null);
    try {
      const connection = await apiOf(companyId).openConnection({ bankCode, title: title.trim(), environment: chosen });
      onOpened({ connection, bank });
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  };
  const { windowDays, syncsPerDay } = bank?.limits ?? { windowDays: null, syncsPerDay: null };
  const limits = [
    ...(windowDays === null ? [] : [w.limitDays(windowDays)]),
    ...(syncsPerDay === null ? [] : [w.limitSyncs(syncsPerDay)]),
  ].join(', ');
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        open();
      }}
    >
      <Select
        label={w.bank}
        value={bankCode}
        choices={banks.map((one) => ({ value: one.bankCode, label: nameOfBank(one) }))}
        onChange={setBankCode}
        {...(limits === '' ? {} : { hint: `${w.limits}: ${limits}` })}
      />
      {offered.length > 1 && (
        <Select
          label={w.environment}
          value={chosen ?? ''}
          choices={offered.map((value) => ({ value, label: w.environments[value] }))}
          onChange={(value) => setEnvironment(value as typeof environment)}
        />
      )}
      {showsCompanies.value && (
        <Select
          label={common().frame.company}
          value={companyId}
          choices={companies.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={setCompanyId}
        />
      )}
      <TextField label={w.title} value={title} maxLength={120} onInput={setTitle} />
      {failure && (
        <div role="alert">
          <p class="bad">{w.createFailed}</p>
          <FailureText failure={failure} />
        </div>
      )}
      <div class="row">
        <Button kind="primary" type="submit" busy={isBusy} disabled={title.trim() === ''}>
          {w.create}
        </Button>
      </div>
    </form>
  );
}

function FindAccounts({ connection }: { readonly connection: BankConnection }) {
  const w = connectionWords();
  const { id, companies } = connection;
  const client = apiOf(companies);
  const load = useLoad(id, (signal) => client.setUpConnection(id, { wait: SETUP_SECONDS, signal }));
  const sync = (): void => {
    client.syncConnection(id, {}).then(
      () => {
        toast(w.started);
        navigate(`${to('connections', id)}?tab=syncs`);
      },
      (error: unknown) => toastFailure(w.syncFailed, error),
    );
  };
  return (
    <Loaded of={load} what={w.setUpWrong} skeleton={<p role="status">{w.working}</p>}>
      {(found) => (
        <div class="stack">
          <p>{found.subAccounts.length === 0 ? w.setUpWrong : w.setUpDone(found.subAccounts.length)}</p>
          {found.syncHealth.lastErrorMessage && found.subAccounts.length === 0 && (
            <div class="bad small">
              <BankReason code={found.syncHealth.lastErrorCode ?? ''} message={found.syncHealth.lastErrorMessage} />
            </div>
          )}
          {found.subAccounts.length > 0 && <Accounts connection={found} />}
          <div class="row">
            {found.subAccounts.length > 0 && (
              <Button kind="primary" onClick={sync}>
                {w.syncFirst}
              </Button>
            )}
            <Button onClick={() => navigate(to('connections', id))}>{w.done}</Button>
          </div>
        </div>
      )}
    </Loaded>
  );
}
