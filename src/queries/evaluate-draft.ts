import { type ConditionOutcome, compileConditions } from '../deciders/conditions/compile-conditions.ts';
import type { ConditionGroup } from '../events/conditions.ts';
import { type TransactionDocument, transactions } from '../projections/transactions.ts';
import type { Reader } from './reader.ts';
import { subjectOf } from './rule-book.ts';
import { scopeConditions, type TransactionScope } from './transaction-scope.ts';

export type DraftEvaluation = {
  readonly candidateCount: number;
  readonly matchedCount: number;
  /** False when the scope holds more candidates than were evaluated. */
  readonly complete: boolean;
  readonly matches: readonly DraftVerdict[];
  readonly misses: readonly DraftVerdict[];
  readonly unknownTransactionIds: readonly string[];
};

export type DraftVerdict = {
  readonly transaction: TransactionDocument;
  readonly conditions: readonly ConditionOutcome[];
};

/** How many candidates one request evaluates, so that no request can block the service. */
const MOST_CANDIDATES = 10_000;

async function* candidatesOf(
  reader: Reader,
  among: { scope: TransactionScope } | { transactionIds: readonly string[] },
  unknown: string[],
): AsyncIterable<TransactionDocument> {
  if ('scope' in among) {
    const sort = [{ field: 'transactionDate', direction: 'desc' }] as const;
    yield* reader.all(transactions, { filter: scopeConditions(among.scope), sort });
    return;
  }
  for (const id of new Set(among.transactionIds)) {
    const transaction = await reader.get(transactions, id);
    if (transaction === undefined) unknown.push(id);
    else yield transaction;
  }
}

/** The transactions that conditions would match, newest first; stores nothing. `shown` bounds each of the two lists. */
export async function evaluateDraft(
  reader: Reader,
  conditions: ConditionGroup,
  among: { scope: TransactionScope } | { transactionIds: readonly string[] },
  shown: number,
): Promise<DraftEvaluation> {
  const compiled = compileConditions(conditions);
  const matches: DraftVerdict[] = [];
  const misses: DraftVerdict[] = [];
  const unknownTransactionIds: string[] = [];
  let candidateCount = 0;
  let matchedCount = 0;
  let complete = true;
  for await (const transaction of candidatesOf(reader, among, unknownTransactionIds)) {
    if (candidateCount === MOST_CANDIDATES) {
      complete = false;
      break;
    }
    candidateCount += 1;
    const subject = subjectOf(transaction);
    const matched = compiled.matches(subject);
    if (matched) matchedCount += 1;
    const list = matched ? matches : misses;
    if (list.length < shown) list.push({ transaction, conditions: compiled.explain(subject) });
  }
  return { candidateCount, matchedCount, complete, matches, misses, unknownTransactionIds };
}
