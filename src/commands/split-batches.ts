import type { StampedTransaction } from '../deciders/transaction-stamp.ts';
import type { LookUpKnown } from './known-transaction.ts';
import type { PageRow } from './settle-stamps.ts';

/** A row that is recorded as its payments: the first one has the slot of the row, and the others follow it. */
export type SplitBatch = {
  readonly batch: StampedTransaction;
  readonly first: StampedTransaction;
  readonly further: readonly StampedTransaction[];
};

/**
 * Puts the first payment in the place of each row whose payments are known, unless the row itself is recorded: then it
 * stays one row. Whichever of the two is appended to the slot's stream first wins, so the further payments may be
 * recorded only once the first one is (ADR 0025).
 */
export async function splitBatches(
  rows: readonly (StampedTransaction & Pick<PageRow, 'details'>)[],
  idOf: (row: StampedTransaction) => string,
  lookUpKnown: LookUpKnown,
): Promise<{ rows: StampedTransaction[]; splits: SplitBatch[] }> {
  const known = await lookUpKnown(rows.flatMap((row) => (row.details === undefined ? [] : [idOf(row)])));
  const splits: SplitBatch[] = [];
  const kept = rows.map(({ details = [], ...batch }) => {
    const [first, ...others] = details;
    if (first === undefined) return batch;
    const before = known.get(idOf(batch));
    if (before !== undefined && before.contentHash !== first.contentHash) return batch;
    const placed = { ...first, providerStamp: batch.providerStamp };
    const further = others.map((row, index) => ({ ...row, providerStamp: `${batch.providerStamp}/${index + 1}` }));
    splits.push({ batch, first: placed, further });
    return placed;
  });
  return { rows: kept, splits };
}
