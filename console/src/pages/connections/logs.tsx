import { useState } from 'preact/hooks';
import type { BankConnection, ConnectorLog } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Code } from '../../parts/code.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { Outcome } from './outcome.tsx';
import { connectionWords } from './words.ts';

const SHOWN = 100;
const TONES = {
  success: 'good',
  transient: 'warn',
  rate_limited: 'warn',
  credentials_rejected: 'bad',
  permanent: 'bad',
  aborted: 'none',
} as const;

/** The newest requests to the bank and its answers, masked before they were stored. */
export function Logs({ connection: { id } }: { readonly connection: BankConnection }) {
  const w = connectionWords();
  const [openId, setOpenId] = useState<string | null>(null);
  const load = useLoad(id, (signal) => api().listConnectorLogs({ accountId: id, limit: SHOWN }, { signal }));
  return (
    <Loaded of={load} what={w.logsFailed}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="muted">{w.noLogs}</p>
        ) : (
          <>
            <SimpleTable
              caption={w.tabs.logs}
              rows={items}
              keyOf={(log) => log.id}
              columns={[
                {
                  key: 'at',
                  title: w.when,
                  cell: (log) => (
                    <button type="button" class="link" onClick={() => setOpenId(log.id)}>
                      <Moment at={log.at} exact />
                    </button>
                  ),
                },
                {
                  key: 'operation',
                  title: w.operation,
                  cell: ({ operation, page }) => `${w.operations[operation]}${page === null ? '' : ` ${page}`}`,
                },
                { key: 'outcome', title: w.outcome, cell: (log) => <LogOutcome log={log} /> },
                { key: 'status', title: 'HTTP', end: true, cell: ({ status }) => status ?? '—' },
                { key: 'duration', title: w.duration, end: true, cell: ({ durationMs }) => w.seconds(durationMs) },
              ]}
            />
            {openId !== null && <OneLog id={openId} onClose={() => setOpenId(null)} />}
          </>
        )
      }
    </Loaded>
  );
}

function LogOutcome({ log: { outcome, error } }: { readonly log: ConnectorLog }) {
  return <Outcome tone={TONES[outcome]} word={connectionWords().outcomes[outcome]} {...(error ? { error } : {})} />;
}

function OneLog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const w = connectionWords();
  const load = useLoad(id, (signal) => api().getConnectorLog(id, { signal }));
  return (
    <Drawer title={w.exchange} of={id} onClose={onClose}>
      <Loaded of={load} what={w.logsFailed}>
        {(log) => (
          <div class="stack">
            <p>
              <LogOutcome log={log} />
            </p>
            <p class="mono small">
              {log.method} {log.url}
            </p>
            {log.request && <Code title="Request" value={log.request.body?.text ?? log.request.headers} open />}
            {log.response && <Code title="Response" value={log.response.body?.text ?? log.response.headers} open />}
          </div>
        )}
      </Loaded>
    </Drawer>
  );
}
