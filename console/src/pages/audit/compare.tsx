import { useState } from 'preact/hooks';
import type { BankTransaction, TransactionTotals } from '../../../../sdk/src/index.ts';
import { day, text } from '../../address.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { add, negate } from '../../format/decimal.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Day, Moment } from '../../parts/moment.tsx';
import { Money } from '../../parts/money.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { to } from '../../router.ts';
import { useAddress } from '../../use-address.ts';
import { auditWords } from './words.ts';

const SCHEMA = { from: day, to: day, known: text };
/** As many as the totals add up. */
const LOOKED_AT = 10_000;
const PAGE = 200;

type Period = { readonly from: string; readonly to: string; readonly known: string };
type Explained = {
  readonly row: BankTransaction;
  readonly reason: 'arrived' | 'withdrawn';
  readonly at: string | null;
};
type Comparison = {
  readonly before: TransactionTotals;
  readonly now: TransactionTotals;
  readonly rows: readonly Explained[];
  readonly isWhole: boolean;
};

async function compared({ from, to: until, known }: Period, signal: AbortSignal): Promise<Comparison> {
  const client = api();
  const [before, now] = await Promise.all([
    client.getTransactionTotals({ from, to: until, asOf: known }, { signal }),
    client.getTransactionTotals({ from, to: until }, { signal }),
  ]);
  const rows: Explained[] = [];
  let looked = 0;
  for await (const row of client.each.listTransactions({ from, to: until, limit: PAGE }, { signal })) {
    looked += 1;
    if (looked > LOOKED_AT) break;
    const { createdAt = null, updatedAt = null, status } = row;
    if (createdAt !== null && Date.parse(createdAt) > Date.parse(known))
      rows.push({ row, reason: 'arrived', at: createdAt });
    else if (!status && updatedAt !== null && Date.parse(updatedAt) > Date.parse(known))
      rows.push({ row, reason: 'withdrawn', at: updatedAt });
  }
  return { before, now, rows, isWhole: looked <= LOOKED_AT };
}

/** What a period came to, then and now, with the transactions that explain the difference. */
export function Compare() {
  const w = auditWords();
  const address = useAddress(SCHEMA);
  const { from = '', to: until = '', known = '' } = address.values;
  const [given, setGiven] = useState({ from, until, known });
  const isComplete = given.from !== '' && given.until !== '' && given.known !== '';
  const period = from !== '' && until !== '' && known !== '' ? { from, to: until, known: momentOf(known) } : null;
  const load = useLoad(period === null ? '' : JSON.stringify(period), (signal) =>
    compared(period ?? { from, to: until, known }, signal),
  );
  return (
    <div class="stack wide">
      <p class="muted">{w.compareIntro}</p>
      <form
        class="row at-end"
        onSubmit={(event) => {
          event.preventDefault();
          address.set({ from: given.from, to: given.until, known: given.known });
        }}
      >
        <TextField
          label={w.from}
          type="date"
          value={given.from}
          onInput={(value) => setGiven({ ...given, from: value })}
        />
        <TextField
          label={w.to}
          type="date"
          value={given.until}
          onInput={(value) => setGiven({ ...given, until: value })}
        />
        <TextField
          label={w.knownAt}
          type="datetime-local"
          value={given.known}
          onInput={(value) => setGiven({ ...given, known: value })}
        />
        <Button kind="primary" type="submit" disabled={!isComplete}>
          {w.compare}
        </Button>
      </form>
      {period !== null && (
        <Loaded of={load} what={w.compareFailed}>
          {(comparison) => <Compared {...comparison} />}
        </Loaded>
      )}
    </div>
  );
}

/** Of a field for a moment in the person's own time. */
function momentOf(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
}

function Compared({ before, now, rows, isWhole }: Comparison) {
  const w = auditWords();
  const currencies = [...new Set([...before.totals, ...now.totals].map(({ currency }) => currency))].sort();
  const netOf = ({ totals }: TransactionTotals, currency: string) =>
    totals.find((one) => one.currency === currency)?.net ?? 0;
  return (
    <div class="stack wide">
      <SimpleTable
        caption={w.difference}
        rows={currencies}
        keyOf={(currency) => currency}
        columns={[
          { key: 'currency', title: w.currency, cell: (currency) => currency },
          {
            key: 'then',
            title: w.atThatTime,
            end: true,
            cell: (currency) => <Money amount={netOf(before, currency)} currency={currency} />,
          },
          {
            key: 'now',
            title: w.now,
            end: true,
            cell: (currency) => <Money amount={netOf(now, currency)} currency={currency} />,
          },
          {
            key: 'difference',
            title: w.difference,
            end: true,
            cell: (currency) => (
              <Money
                amount={add(netOf(now, currency), negate(netOf(before, currency)))}
                currency={currency}
                as="flow"
              />
            ),
          },
        ]}
      />
      {(!isWhole || now.count.atLeast || before.count.atLeast) && <p class="note">{w.tooMany}</p>}
      {rows.length === 0 ? (
        <p class="muted">{w.unexplained}</p>
      ) : (
        <section class="stack">
          <h3>{w.explained(rows.length)}</h3>
          <SimpleTable
            caption={w.explained(rows.length)}
            rows={rows}
            keyOf={({ row }) => row.id}
            columns={[
              {
                key: 'what',
                title: w.what,
                cell: ({ row }) => (
                  <a href={to('transactions', row.id)}>{row.nameSurname ?? row.description ?? row.id}</a>
                ),
              },
              { key: 'day', title: w.at, cell: ({ row }) => <Day on={row.transactionDate} /> },
              {
                key: 'reason',
                title: w.facts.event,
                cell: ({ reason, at }) => (
                  <>
                    {w.reasons[reason]} <Moment at={at} />
                  </>
                ),
              },
              {
                key: 'amount',
                title: w.difference,
                end: true,
                cell: ({ row, reason }) => (
                  <Money
                    amount={row.incoming === (reason === 'arrived') ? row.amount : negate(row.amount)}
                    currency={row.currency ?? null}
                    as="flow"
                  />
                ),
              },
            ]}
          />
        </section>
      )}
    </div>
  );
}
