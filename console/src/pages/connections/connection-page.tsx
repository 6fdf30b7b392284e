import type { BankConnection } from '../../../../sdk/src/index.ts';
import { oneOf } from '../../address.ts';
import { api } from '../../api/client.ts';
import { useChanges } from '../../api/use-changes.ts';
import { useLoad } from '../../api/use-load.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { to } from '../../router.ts';
import { may, nameOfCompany } from '../../session/session.ts';
import { useAddress } from '../../use-address.ts';
import { Accounts } from './accounts.tsx';
import { CompletenessView } from './completeness.tsx';
import { ConnectionActions } from './connection-actions.tsx';
import { Health, HealthReason } from './health.tsx';
import { Logs } from './logs.tsx';
import { Schedules } from './schedules.tsx';
import { Settings } from './settings.tsx';
import { Syncs } from './syncs.tsx';
import { Usage } from './usage.tsx';
import { connectionWords } from './words.ts';

const TABS = ['accounts', 'completeness', 'syncs', 'schedule', 'usage', 'logs', 'settings'] as const;
const SCHEMA = { tab: oneOf(TABS) };

export function ConnectionPage({ id }: { readonly id: string }) {
  const w = connectionWords();
  const load = useLoad(id, (signal) => api().getConnection(id, { signal }));
  useChanges(['connection'], (changes) => {
    if (changes.some((change) => change.id === id)) load.reload();
  });
  return (
    <>
      <p>
        <a class="row" href={to('connections')}>
          <Icon name="left" /> {w.back}
        </a>
      </p>
      <Loaded of={load} what={w.oneFailed}>
        {(connection) => <OneConnection connection={connection} onChanged={load.reload} />}
      </Loaded>
    </>
  );
}

type Props = { readonly connection: BankConnection; readonly onChanged: () => void };

function OneConnection({ connection, onChanged }: Props) {
  const w = connectionWords();
  const address = useAddress(SCHEMA);
  const offered = TABS.filter((tab) => {
    if (tab === 'schedule') return may('schedules:read');
    if (tab === 'logs') return may('audit:read');
    return tab !== 'settings' || may('connections:write');
  });
  const tab = address.values.tab ?? 'accounts';
  return (
    <>
      <div class="row between">
        <div>
          <h2 class="row">
            {connection.title} <Health connection={connection} />
          </h2>
          <p class="small muted">
            {nameOfCompany(connection.companies)} · {connection.bankCode} · {w.environments[connection.environment]}
          </p>
        </div>
        <ConnectionActions connection={connection} onChanged={onChanged} />
      </div>
      <HealthReason connection={connection} />
      <Tabs
        label={connection.title}
        tabs={offered.map((value) => ({ value, label: w.tabs[value] }))}
        value={tab}
        onChange={(chosen) =>
          address.set({ tab: chosen === 'accounts' ? undefined : (chosen as (typeof TABS)[number]) })
        }
      >
        {tab === 'accounts' && <Accounts connection={connection} />}
        {tab === 'completeness' && <CompletenessView connection={connection} />}
        {tab === 'syncs' && <Syncs connection={connection} />}
        {tab === 'schedule' && <Schedules connection={connection} />}
        {tab === 'usage' && <Usage connection={connection} />}
        {tab === 'logs' && <Logs connection={connection} />}
        {tab === 'settings' && <Settings connection={connection} onChanged={onChanged} />}
      </Tabs>
    </>
  );
}
