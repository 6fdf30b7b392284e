import { flows } from '../projections/analytics/flows.ts';
import { QUARTER_MS } from '../projections/analytics/sums.ts';
import type { TransactionDocument } from '../projections/transactions.ts';
import type { TransactionFilter } from '../queries/transaction-filter.ts';
import type { Condition } from '../readstore/read-store.ts';
import { type Decimal, fromUnits, toUnits } from '../shared/money.ts';
import { compareText, type Group, openGroups } from './groups.ts';
import type { Source } from './source.ts';
import { eachPeriod } from './sums-by-period.ts';

/** Money in and out in one currency, as magnitudes; `net` is what came in minus what went out. */
export type CurrencyTotal = {
  readonly currency: string;
  readonly in: Decimal;
  readonly out: Decimal;
  readonly net: Decimal;
  readonly count: number;
};

/**
 * Of the rows that a filter finds, without those that the bank withdrew. `atLeast`: the filter finds more rows than
 * were summed.
 */
export type TransactionTotals = {
  readonly totals: readonly CurrencyTotal[];
  readonly count: number;
  readonly atLeast: boolean;
};

/** The rows that are summed one by one where no sums exist for a filter. */
export const MOST_ROWS_SUMMED = 10_000;

const SUMMED: readonly string[] = [
  'accountId',
  'subAccountKey',
  'bankCode',
  'currency',
  'incoming',
  'assigned',
  'from',
  'to',
] satisfies (keyof TransactionFilter)[];

const isQuarter = (moment: string | undefined): boolean =>
  moment === undefined || Date.parse(moment) % QUARTER_MS === 0;

/** Whether the stored sums answer for the filter: they hold the account, direction and quarter hour of rows. */
export function isSummed(filter: TransactionFilter): boolean {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.every(([name]) => SUMMED.includes(name)) && isQuarter(filter.from) && isQuarter(filter.to);
}

type Sum = { in: bigint; out: bigint; count: number };

function openTotals() {
  const sums = new Map<string, Sum>();
  let count = 0;
  return {
    add(currency: string, more: Sum): void {
      const sum = sums.get(currency) ?? { in: 0n, out: 0n, count: 0 };
      sums.set(currency, { in: sum.in + more.in, out: sum.out + more.out, count: sum.count + more.count });
      count += more.count;
    },
    result: (atLeast: boolean): TransactionTotals => ({
      totals: [...sums]
        .filter(([, sum]) => sum.count > 0)
        .sort(([one], [other]) => compareText(one, other))
        .map(([currency, sum]) => ({
          currency,
          in: fromUnits(sum.in),
          out: fromUnits(sum.out),
          net: fromUnits(sum.in - sum.out),
          count: sum.count,
        })),
      count,
      atLeast,
    }),
  };
}

/** The figures of all rows, and of those with an assignment. An outgoing amount is what is left of both directions. */
function partsOf(sums: Group) {
  const units = (name: string): bigint => toUnits(sums.money(name));
  const counted = (name: string): number => sums.count(name);
  const all = {
    in: units('inflow'),
    out: units('outflow'),
    inCount: counted('inflowCount'),
    count: counted('count'),
  };
  const assigned = {
    in: units('assignedInflow'),
    out: units('assignedAmount') - units('assignedInflow'),
    inCount: counted('assignedInflowCount'),
    count: counted('assignedCount'),
  };
  return { all, assigned };
}

/** What the filter's direction and assignment leave of the sums. */
function chosen(sums: Group, { incoming, assigned }: TransactionFilter): Sum {
  const parts = partsOf(sums);
  const { all } = parts;
  const part =
    assigned === undefined
      ? all
      : assigned
        ? parts.assigned
        : {
            in: all.in - parts.assigned.in,
            out: all.out - parts.assigned.out,
            inCount: all.inCount - parts.assigned.inCount,
            count: all.count - parts.assigned.count,
          };
  if (incoming === undefined) return { in: part.in, out: part.out, count: part.count };
  return incoming
    ? { in: part.in, out: 0n, count: part.inCount }
    : { in: 0n, out: part.out, count: part.count - part.inCount };
}

/**
 * The totals of a filter for which {@link isSummed} holds, exact at the source's position. Costs what the sums of the
 * filter's accounts and months hold, however many rows are behind them.
 */
export async function totalsOfSums(source: Source, filter: TransactionFilter): Promise<TransactionTotals> {
  const { from, to } = filter;
  const [fromMs, toMs] = [
    from === undefined ? -Infinity : Date.parse(from),
    to === undefined ? Infinity : Date.parse(to),
  ];
  const asked = { filter: sumsOf(filter), periods: [{ period: 'asked', startMs: fromMs, endMs: toMs }] };
  const sums = openGroups();
  await eachPeriod(source, flows, asked, ({ currency }, _, figures) => sums.add([currency], figures));
  const totals = openTotals();
  for (const group of sums.all()) totals.add(group.parts[0] ?? '', chosen(group, filter));
  return totals.result(false);
}

function sumsOf({ accountId, subAccountKey, bankCode, currency }: TransactionFilter): Condition[] {
  return Object.entries({ accountId, subAccountKey, bankCode, currency }).flatMap(([field, value]): Condition[] =>
    value === undefined ? [] : [{ field, op: 'eq', value }],
  );
}

type Row = Pick<TransactionDocument, 'status' | 'currency' | 'incoming' | 'amount'>;

/** The totals of at most the first {@link MOST_ROWS_SUMMED} rows. */
export async function totalsOfRows(rows: AsyncIterable<Row>): Promise<TransactionTotals> {
  const totals = openTotals();
  let seen = 0;
  for await (const { status, currency, incoming, amount } of rows) {
    seen += 1;
    if (seen > MOST_ROWS_SUMMED) return totals.result(true);
    if (!status) continue;
    const units = toUnits(amount);
    totals.add(currency, { in: incoming ? units : 0n, out: incoming ? 0n : units, count: 1 });
  }
  return totals.result(false);
}
