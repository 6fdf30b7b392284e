import type { BankTransactionState } from '../deciders/bank-transaction.ts';
import { suppressionKey } from '../deciders/bank-transaction.ts';
import type { RunScope } from '../events/rule-run.ts';
import { recordedBalance, type TransactionDocument, transactions } from '../projections/transactions.ts';
import type { Filter } from '../readstore/read-store.ts';
import type { Page, Reader } from './reader.ts';
import { scopeConditions } from './transaction-scope.ts';

/** The transactions that a run considers: its scope, frozen at a position of the log. */
export type CandidateSet = { readonly scope: RunScope; readonly snapshotMaxId: string };

function candidateFilter({ scope, snapshotMaxId }: CandidateSet): Filter {
  return [{ field: 'recordedPosition', op: 'lte', value: snapshotMaxId }, ...scopeConditions(scope)];
}

export function countCandidates(reader: Reader, set: CandidateSet): Promise<number> {
  return reader.count(transactions, candidateFilter(set));
}

/**
 * A page of candidates by date and id, after the cursor. Their sort fields never change, so none is repeated and none
 * missed.
 */
export async function candidatesAfter(
  reader: Reader,
  set: CandidateSet,
  cursorId: string | null,
  limit: number,
): Promise<Page<TransactionDocument> & { readonly cursorId: string | null }> {
  const page = await reader.page(transactions, {
    filter: candidateFilter(set),
    sort: [{ field: 'transactionDate', direction: 'asc' }],
    limit,
    ...(cursorId !== null && { after: keysetOf(cursorId) }),
  });
  const last = page.items.at(-1);
  return { ...page, cursorId: last === undefined ? null : `${last.transactionDate} ${last._id}` };
}

function keysetOf(cursorId: string): [string, string] {
  const space = cursorId.indexOf(' ');
  return [cursorId.slice(0, space), cursorId.slice(space + 1)];
}

/** The state of the transaction's own stream as far as the read model has come. */
export function stateOf(document: TransactionDocument): BankTransactionState {
  const { id, automation, assignments, status } = document;
  const suppressed = assignments.flatMap(({ revokedBy, ruleId, ruleSnapshotHash }) =>
    revokedBy === 'person' && ruleId !== null && ruleSnapshotHash !== null
      ? [suppressionKey(ruleId, ruleSnapshotHash)]
      : [],
  );
  return {
    recorded: {
      ...document,
      balance: recordedBalance(document),
      transactionId: id,
      automation: automation.status === 'legacy' ? 'legacy' : 'pending',
    },
    withdrawn: !status,
    // Needed only when a withdrawn row is listed again, which no run does.
    withdrawnWithCounterparty: true,
    automation: { status: automation.status, attempts: automation.attempts },
    assignments: assignments.map((assignment) => ({ ...assignment, active: assignment.status === 'active' })),
    suppressed: new Set(suppressed),
    seenContentHashes: [],
  };
}
