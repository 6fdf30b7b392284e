import type { AnalyticsResult } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { accountName, connectionName, useNames } from '../../api/names.ts';
import { useLoad } from '../../api/use-load.ts';
import { addDays, dayIn } from '../../format/days.ts';
import { asOf, atMoment } from '../../frame/as-of-moment.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Money } from '../../parts/money.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Spark } from '../../parts/spark.tsx';
import { timeZone } from '../../session/session.ts';
import { rowsOf } from './rows-of.ts';
import { type SectionProps, useSettled } from './section.ts';
import { pageWords } from './words.ts';

const DAYS = 30;

type Account = {
  readonly accountId: string;
  readonly subAccountKey: string;
  readonly currency: string;
  readonly balances: readonly (number | string | null)[];
};

/** The balance of every account with its currency and a line of 30 days; each leads to its rows. */
export function Balances({ turn, onSettled }: SectionProps) {
  const w = pageWords();
  const names = useNames();
  const zone = timeZone.value;
  const now = asOf.value === null ? new Date() : new Date(asOf.value);
  const end = addDays(dayIn(zone, now), 1);
  const query = { from: addDays(end, -DAYS), to: end, timezone: zone, ...atMoment() };
  const found = useLoad(
    `balances ${JSON.stringify(query)}`,
    async (signal) => accountsOf(await api().getAnalyticsResults('balance-history', query, { signal })),
    turn,
  );
  useSettled(found, onSettled);
  return (
    <section class="stack">
      <h2>{w.balances}</h2>
      <Loaded of={found} what={w.balancesFailed} skeleton={<Skeleton as="block" lines={1} />}>
        {(accounts) =>
          accounts.length === 0 ? (
            <Empty>{w.noBalances}</Empty>
          ) : (
            <ul class="balances">
              {accounts.map(({ accountId, subAccountKey, currency, balances }) => {
                const name = accountName(names, accountId, subAccountKey);
                const synced = names.connections.find(({ id }) => id === accountId)?.lastProviderSyncAt;
                return (
                  <li key={`${accountId} ${subAccountKey}`} class="card">
                    <a href={rowsOf({ accountId, subAccountKey })}>
                      <span class="clip">{name}</span>
                    </a>
                    <span class="small muted clip">{connectionName(names, accountId)}</span>
                    <Money amount={balances.findLast((one) => one !== null) ?? null} currency={currency} large />
                    <Spark label={w.line(name)} values={balances.map((one) => (one === null ? null : Number(one)))} />
                    {synced !== undefined && asOf.value === null && (
                      <span class="small muted">
                        {w.asOf} <Moment at={synced} fresh />
                      </span>
                    )}
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function accountsOf(result: unknown): Account[] {
  const accounts = new Map<string, Account>();
  for (const row of (result as AnalyticsResult).rows) {
    const [accountId = '', subAccountKey = '', currency = ''] = [row.accountId, row.subAccountKey, row.currency].map(
      String,
    );
    const key = `${accountId} ${subAccountKey} ${currency}`;
    const { balances } = accounts.get(key) ?? { balances: [] };
    accounts.set(key, { accountId, subAccountKey, currency, balances: [...balances, row.closingBalance ?? null] });
  }
  return [...accounts.values()];
}
