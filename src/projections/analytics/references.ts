import type { RowFigures } from '../../events/bank-transaction.ts';
import type { EventType, KnownEvent } from '../../events/registry.ts';
import { sha256 } from '../../shared/hash.ts';
import { flowOf } from './flows.ts';
import type { Figures } from './packed-figures.ts';
import { type Change, negative, sums } from './sums.ts';

function change(row: RowFigures, referenceKey: string, figures: Figures): Change {
  const { accountId, subAccountKey, bankCode, currency, transactionDate } = row;
  const dimensions = { accountId, subAccountKey, bankCode, currency, reference: sha256(referenceKey).slice(0, 32) };
  return { dimensions, details: { referenceKey }, at: transactionDate, figures };
}

const TAKES = [
  'TransactionWithdrawn',
  'TransactionRelisted',
  'TransactionAssignmentAttached',
  'TransactionAssignmentRevoked',
] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

function changes(event: Taken): readonly Change[] {
  switch (event.type) {
    case 'TransactionAssignmentAttached': {
      const { sameReferenceBefore, withdrawn, referenceKey, row } = event.data;
      return withdrawn || sameReferenceBefore > 0 ? [] : [change(row, referenceKey, flowOf(row))];
    }
    case 'TransactionAssignmentRevoked': {
      const { sameReferenceBefore, withdrawn, referenceKey, row } = event.data;
      return withdrawn || sameReferenceBefore > 1 ? [] : [change(row, referenceKey, negative(flowOf(row)))];
    }
    case 'TransactionWithdrawn': {
      const { row, referenceKeys } = event.data;
      return referenceKeys.map((referenceKey) => change(row, referenceKey, negative(flowOf(row))));
    }
    case 'TransactionRelisted': {
      const { row, referenceKeys } = event.data;
      return referenceKeys.map((referenceKey) => change(row, referenceKey, flowOf(row)));
    }
  }
}

/**
 * The amounts assigned to each reference, by the time of the rows. A row counts once per reference, however often it is
 * attached.
 */
export const references = sums({
  fields: ['accountId', 'subAccountKey', 'bankCode', 'currency', 'reference', 'referenceKey'],
  figures: { money: ['inflow', 'outflow'], counts: ['count'] },
  name: 'reference-sums',
  version: 4,
  category: 'bankTransaction',
  takes: TAKES,
  changes,
  foundBy: ['accountId'],
  isReadOften: 'when-long',
});
