import type { RowFigures } from '../../events/bank-transaction.ts';
import type { EventType, KnownEvent } from '../../events/registry.ts';
import { flowOf } from './flows.ts';
import type { Figures } from './packed-figures.ts';
import { type Change, negative, quarterOf, quarterSlot, quarterStart, sums } from './sums.ts';

const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** Nothing for a row that arrived in its own quarter hour or earlier: that is its own day in every time zone. */
function change(row: RowFigures, fetchedAt: string, figures: Figures): Change[] {
  const { accountId, subAccountKey, bankCode, currency, transactionDate } = row;
  const transactionDay = transactionDate.slice(0, DAY_LENGTH);
  const [arrived, moved] = [quarterOf(fetchedAt), quarterOf(transactionDate)];
  if (quarterStart(fetchedAt.slice(0, DAY_LENGTH), arrived) <= quarterStart(transactionDay, moved)) return [];
  const dimensions = { accountId, subAccountKey, bankCode, currency, transactionDay };
  return [{ dimensions, at: fetchedAt, slot: `${quarterSlot(arrived)}/${quarterSlot(moved)}`, figures }];
}

const TAKES = [
  'TransactionRecorded',
  'TransactionWithdrawn',
  'TransactionRelisted',
] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

function changes(event: Taken): readonly Change[] {
  if (event.type === 'TransactionRecorded') return change(event.data, event.data.fetchedAt, flowOf(event.data));
  const { row, fetchedAt } = event.data;
  if (fetchedAt === null) return [];
  const flow = flowOf(row);
  return change(row, fetchedAt, event.type === 'TransactionRelisted' ? flow : negative(flow));
}

/**
 * Rows by time of arrival and UTC day of the transaction. A slot is named by both quarter hours, arrival first: whether
 * they are on two days depends on the requested time zone.
 */
export const arrivals = sums({
  fields: ['accountId', 'subAccountKey', 'bankCode', 'currency', 'transactionDay'],
  figures: { money: ['inflow', 'outflow'], counts: ['count'] },
  name: 'arrival-sums',
  version: 4,
  category: 'bankTransaction',
  takes: TAKES,
  changes,
  foundBy: ['accountId'],
  isReadOften: true,
});
