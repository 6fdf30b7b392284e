import type { RowFigures } from '../../events/bank-transaction.ts';
import type { EventType, KnownEvent } from '../../events/registry.ts';
import { type Change, type Figures, negative, sums } from './sums.ts';

type Row = Pick<RowFigures, 'accountId' | 'subAccountKey' | 'bankCode' | 'transactionDate' | 'currency'>;

/** The figures of a row: `inflow` or `outflow`, and `count`. */
export function flowOf({ incoming, amount }: Pick<RowFigures, 'incoming' | 'amount'>): Figures {
  return incoming ? { inflow: amount, count: 1 } : { outflow: amount, count: 1 };
}

/** The same as part of the assigned figures. */
function assignedOf({ amount }: Pick<RowFigures, 'amount'>): Figures {
  return { assignedAmount: amount, assignedCount: 1 };
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
      return [change(event.data, flowOf(event.data))];
    case 'TransactionWithdrawn': {
      const { row, referenceKeys } = event.data;
      const gone = [change(row, negative(flowOf(row)))];
      return referenceKeys.length === 0 ? gone : [...gone, change(row, negative(assignedOf(row)))];
    }
    case 'TransactionRelisted': {
      const { row, referenceKeys } = event.data;
      const back = [change(row, flowOf(row))];
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
  name: 'flow-sums',
  version: 2,
  category: 'bankTransaction',
  takes: TAKES,
  changes,
  foundBy: ['accountId', 'subAccountKey'],
});
