import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useNames } from '../../api/names.ts';
import { useLoad } from '../../api/use-load.ts';
import { addDays, dayIn } from '../../format/days.ts';
import { asOf, atMoment, withMoment } from '../../frame/as-of-moment.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Money } from '../../parts/money.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { titleOf, transactionColumns } from '../../parts/transaction/columns.tsx';
import { to } from '../../router.ts';
import { timeZone } from '../../session/session.ts';
import { common } from '../../words/index.ts';
import { rowsOf } from './rows-of.ts';
import { type SectionProps, useSettled } from './section.ts';
import { pageWords } from './words.ts';

const SHOWN = 8;
const COLUMNS = ['day', 'counterparty', 'amount', 'state'];

/** What came in and went out since yesterday: the sums, and the newest rows. */
export function Recent({ turn, onSettled }: SectionProps) {
  const w = pageWords();
  const names = useNames();
  const now = asOf.value === null ? new Date() : new Date(asOf.value);
  const from = addDays(dayIn(timeZone.value, now), -1);
  const query = { from, ...atMoment() };
  const found = useLoad(
    `recent ${JSON.stringify(query)}`,
    async (signal) => {
      const [sums, rows] = await Promise.all([
        api().getTransactionTotals(query, { signal }),
        api().listTransactions({ ...query, limit: SHOWN }, { signal }),
      ]);
      return { ...sums, rows: rows.items };
    },
    turn,
  );
  useSettled(found, onSettled);
  return (
    <section class="card stack">
      <div class="row between">
        <h2>{w.since}</h2>
        <a href={rowsOf({ from })}>{w.all}</a>
      </div>
      <Loaded of={found} what={w.sinceFailed} skeleton={<Skeleton as="rows" lines={SHOWN} />}>
        {({ totals, rows, count }) =>
          rows.length === 0 ? (
            <Empty>{w.sinceNone}</Empty>
          ) : (
            <>
              <ul class="since">
                {totals.map((total) => (
                  <li key={total.currency}>
                    <span class="small muted">{common().table.rows(total.count)}</span>
                    <Money amount={total.in} currency={total.currency} as="flow" />
                    <Money amount={`-${total.out}`} currency={total.currency} as="flow" />
                  </li>
                ))}
              </ul>
              <SimpleTable
                caption={`${w.since}, ${common().table.rows(count.value)}`}
                rows={rows}
                keyOf={({ id }) => id}
                columns={transactionColumns(names)
                  .filter(({ key }) => COLUMNS.includes(key))
                  .map((column) =>
                    column.key === 'counterparty'
                      ? {
                          ...column,
                          cell: (row: BankTransaction) => (
                            <a href={withMoment(`${to('transactions')}?open=${encodeURIComponent(row.id)}`)}>
                              {titleOf(row)}
                            </a>
                          ),
                        }
                      : column,
                  )}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
