import type { BankConnection } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Day } from '../../parts/moment.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { connectionWords } from './words.ts';

const DAYS = 60;

/** What was asked of the bank, by day, against what it allows. */
export function Usage({ connection: { id } }: { readonly connection: BankConnection }) {
  const w = connectionWords();
  const load = useLoad(id, (signal) => api().getConnectionUsage(id, { limit: DAYS }, { signal }));
  return (
    <Loaded of={load} what={w.usageFailed}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="muted">{w.noUsage}</p>
        ) : (
          <SimpleTable
            caption={w.tabs.usage}
            rows={items}
            keyOf={({ day }) => day}
            columns={[
              { key: 'day', title: w.usageDay, cell: ({ day }) => <Day on={day} /> },
              { key: 'syncs', title: w.usageSyncs, end: true, cell: ({ syncs }) => syncs },
              { key: 'requests', title: w.usageRequests, end: true, cell: ({ requests }) => requests },
              { key: 'fetched', title: w.fetched, end: true, cell: ({ fetched }) => fetched },
              { key: 'inserted', title: w.inserted, end: true, cell: ({ inserted }) => inserted },
              { key: 'duplicates', title: w.duplicates, end: true, cell: ({ duplicates }) => duplicates },
              { key: 'errors', title: w.usageErrors, end: true, cell: ({ errors }) => errors },
              { key: 'quota', title: w.quotaLeft, end: true, cell: ({ quotaLeft }) => quotaLeft ?? w.unlimited },
            ]}
          />
        )
      }
    </Loaded>
  );
}
