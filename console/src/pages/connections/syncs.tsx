import type { BankConnection, Sync, SyncFault } from '../../../../sdk/src/index.ts';
import { api, apiOf } from '../../api/client.ts';
import { useChanges } from '../../api/use-changes.ts';
import { useLoad } from '../../api/use-load.ts';
import { formatDay } from '../../format/dates.ts';
import { BankReason } from '../../parts/bank-words.tsx';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Progress } from '../../parts/progress.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { toastFailure } from '../../parts/toast.tsx';
import { mayWrite } from '../../session/session.ts';
import { language } from '../../words/language.ts';
import { Outcome } from './outcome.tsx';
import { connectionWords } from './words.ts';

const SHOWN = 50;
const TONES = { queued: 'none', running: 'warn', completed: 'good', failed: 'bad', cancelled: 'none' } as const;

/** The newest syncs: what each asked for and found; the one that runs, with its progress. */
export function Syncs({ connection }: { readonly connection: BankConnection }) {
  const w = connectionWords();
  const { id } = connection;
  const load = useLoad(id, (signal) => api().listSyncs(id, { limit: SHOWN }, { signal }));
  useChanges(['sync'], load.reload);
  return (
    <Loaded of={load} what={w.syncsFailed}>
      {({ items }) => {
        if (items.length === 0) return <p class="muted">{w.noSyncs}</p>;
        const running = items.filter(({ status }) => status === 'running' || status === 'queued');
        return (
          <div class="stack">
            {running.map((sync) => (
              <Running key={sync.id} sync={sync} onChanged={load.reload} />
            ))}
            <SimpleTable
              caption={w.tabs.syncs}
              rows={items}
              keyOf={(sync) => sync.id}
              columns={[
                { key: 'when', title: w.when, cell: ({ requestedAt }) => <Moment at={requestedAt} /> },
                { key: 'trigger', title: w.trigger, cell: ({ trigger }) => w.triggers[trigger] },
                { key: 'status', title: w.status, cell: (sync) => <SyncState sync={sync} /> },
                { key: 'pages', title: w.pages, end: true, cell: ({ pages }) => pages },
                { key: 'fetched', title: w.fetched, end: true, cell: ({ counts }) => counts.fetched },
                { key: 'inserted', title: w.inserted, end: true, cell: ({ counts }) => counts.inserted },
                { key: 'duplicates', title: w.duplicates, end: true, cell: ({ counts }) => counts.duplicates },
                {
                  key: 'duration',
                  title: w.duration,
                  end: true,
                  cell: ({ durationMs }) => (durationMs === undefined ? '—' : w.seconds(durationMs)),
                },
                { key: 'more', title: w.windows, cell: (sync) => <Details connection={connection} sync={sync} /> },
              ]}
            />
          </div>
        );
      }}
    </Loaded>
  );
}

function SyncState({ sync: { status, error } }: { readonly sync: Sync }) {
  return <Outcome tone={TONES[status]} word={connectionWords().syncStates[status]} {...(error ? { error } : {})} />;
}

function Running({ sync, onChanged }: { readonly sync: Sync; readonly onChanged: () => void }) {
  const w = connectionWords();
  const cancel = (): void => {
    apiOf(sync.companies)
      .cancelSync(sync.accountId, sync.id)
      .then(onChanged, (error: unknown) => toastFailure(w.cancelFailed, error));
  };
  return (
    <div class="card row" aria-live="polite">
      <div class="grow">
        <Progress label={w.running} done={sync.pages} of={null} />
      </div>
      {mayWrite('connections:write') && (
        <Button disabled={sync.cancelRequested} onClick={cancel}>
          {w.cancel}
        </Button>
      )}
    </div>
  );
}

function Details({ connection, sync }: { readonly connection: BankConnection; readonly sync: Sync }) {
  const w = connectionWords();
  const { windows, faults, notes } = sync;
  if (windows.length + faults.length + notes.length === 0) return <>—</>;
  const name = (key: string): string => {
    const account = connection.subAccounts.find(({ subAccountKey }) => subAccountKey === key);
    return account?.accountName ?? account?.iban ?? key;
  };
  const shown = (day: string): string => formatDay(language.value, day);
  const placeOf = ({ source, place }: SyncFault): string => [source, place].filter(Boolean).join(', ');
  return (
    <details class="fold">
      <summary>
        {windows.length}
        {faults.length > 0 && ` · ${w.faults}: ${faults.length}`}
        {notes.length > 0 && ` · ${w.notes}: ${notes.length}`}
      </summary>
      <ul class="small">
        {windows.map(({ subAccountKey, from, to }) => (
          <li key={`${subAccountKey} ${from}`}>{w.windowOf(name(subAccountKey), shown(from), shown(to))}</li>
        ))}
        {[...faults, ...notes].map((fault) => (
          <li key={`${fault.code} ${placeOf(fault)} ${fault.message}`}>
            {placeOf(fault)}: <BankReason {...fault} />
          </li>
        ))}
      </ul>
    </details>
  );
}
