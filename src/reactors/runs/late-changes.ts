import { assignments } from '../../projections/assignments.ts';
import type { Reader } from '../../queries/reader.ts';
import type { RunChange } from './run-results.ts';

/**
 * What a run changed after its end, by transaction, as far as the read model shows it: an append that its worker had
 * sent may reach the log later, and is then in no result of the run. What the revert has undone already is included, so
 * that a repeated page is the same page. It goes through the assignments that have changed since the end of the run.
 */
export async function lateChanges(
  reader: Reader,
  { runId, revertId, endedAt }: { readonly runId: string; readonly revertId: string; readonly endedAt: string },
): Promise<RunChange[]> {
  const changed = new Map<string, { transactionId: string; attachedIds: string[]; revokedIds: string[] }>();
  const changedSince = reader.all(assignments, {
    filter: [{ field: '_position', op: 'gt', value: endedAt }],
    sort: [{ field: '_position', direction: 'asc' }],
  });
  for await (const one of changedSince) {
    const isStanding = one.status === 'active' || one.revokedRunId === revertId;
    const isAttached = one.runId === runId && one.recordedPosition > endedAt && isStanding;
    const isRevoked = one.revokedRunId === runId;
    if (!isAttached && !isRevoked) continue;
    const { transactionId } = one;
    const change = changed.get(transactionId) ?? { transactionId, attachedIds: [], revokedIds: [] };
    changed.set(transactionId, change);
    if (isAttached) change.attachedIds.push(one.id);
    if (isRevoked) change.revokedIds.push(one.id);
  }
  return [...changed.values()];
}
