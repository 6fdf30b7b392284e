import type { RowFigures } from '../../events/bank-transaction.ts';
import type { EventType, KnownEvent } from '../../events/registry.ts';
import type { Figures } from './packed-figures.ts';
import { type Change, negative, sums } from './sums.ts';

type Row = Pick<RowFigures, 'accountId' | 'subAccountKey' | 'bankCode' | 'transactionDate' | 'currency'>;

/** The figures of a row: `inflow` or `outflow`, and `count`. */
export function flowOf({ incoming, amount }: Pick<RowFigures, 'incoming' | 'amount'>): Figures {
  return incoming ? { inflow: amount, count: 1 } : { outflow: amount, count: 1 };
}

type Moved = Pick<RowFigures, 'incoming' | 'amount'>;

/** The same, with what is needed to count incoming and outgoing rows apart. */
function movedOf(row: Moved): Figures {
  return row.incoming ? { ...flowOf(row), inflowCount: 1 } : flowOf(row);
}

/** The same as part of the assigned figures, and of these what is incoming. */
function assignedOf({ incoming, amount }: Moved): Figures {
  const assigned = { assignedAmount: amount, assignedCount: 1 };
  return incoming ? { ...assigned, assignedInflow: amount, assignedInflowCount: 1 } : assigned;
}

function change({ accountId, subAccountKey, bankCode, transactionDate, currency }: Row, figures: Figures): Change {
  return { dimensions: { accountId, subAccountKey, bankCode, currency }, at: transactionDate, figures };
}

const TAKES = [
  'TransactionRecorded',
  'TransactionWithdrawn',
  'TransactionRelisted',
  'TransactionAssignmentAttached',
  'TransactionAssignmentRevoked',
] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

function changes(event: Taken): readonly Change[] {
  switch (event.type) {
    case 'TransactionRecorded':
      return [change(event.data, movedOf(event.data))];
    case 'TransactionWithdrawn': {
      const { row, referenceKeys } = event.data;
      const gone = [change(row, negative(movedOf(row)))];
      return referenceKeys.length === 0 ? gone : [...gone, change(row, negative(assignedOf(row)))];
    }
    case 'TransactionRelisted': {
      const { row, referenceKeys } = event.data;
      const back = [change(row, movedOf(row))];
      return referenceKeys.length === 0 ? back : [...back, change(row, assignedOf(row))];
    }
    case 'TransactionAssignmentAttached': {
      const { activeBefore, withdrawn, row } = event.data;
      return withdrawn || activeBefore > 0 ? [] : [change(row, assignedOf(row))];
    }
    case 'TransactionAssignmentRevoked': {
      const { activeBefore, withdrawn, row } = event.data;
      return withdrawn || activeBefore > 1 ? [] : [change(row, negative(assignedOf(row)))];
    }
  }
}

/**
 * Incoming and outgoing amounts of each physical account by the time of the rows, and how much of them is assigned.
 * Withdrawn rows do not count.
 */
export const flows = sums({
  fields: ['accountId', 'subAccountKey', 'bankCode', 'currency'],
  figures: {
    money: ['inflow', 'outflow', 'assignedAmount', 'assignedInflow'],
    counts: ['count', 'inflowCount', 'assignedCount', 'assignedInflowCount'],
  },
  name: 'flow-sums',
  version: 4,
  category: 'bankTransaction',
  takes: TAKES,
  changes,
  foundBy: ['accountId', 'subAccountKey'],
  isSplit: true,
  isReadOften: true,
});
