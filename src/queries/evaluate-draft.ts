import { type ConditionOutcome, compileConditions } from '../deciders/conditions/compile-conditions.ts';
import type { ConditionGroup } from '../deciders/conditions/condition.ts';
import { type TransactionDocument, transactions } from '../projections/transactions.ts';
import type { Condition } from '../readstore/read-store.ts';
import type { Reader } from './reader.ts';
import { subjectOf } from './rule-book.ts';

export type DraftScope = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly accountIds?: readonly string[] | undefined;
  readonly bankCodes?: readonly string[] | undefined;
};

export type DraftEvaluation = {
  readonly candidateCount: number;
  readonly matchedCount: number;
  /** False when the scope holds more candidates than were looked at. */
  readonly complete: boolean;
  readonly matches: readonly DraftVerdict[];
  readonly misses: readonly DraftVerdict[];
  readonly unknownTransactionIds: readonly string[];
};

export type DraftVerdict = { readonly transactionId: string; readonly conditions: readonly ConditionOutcome[] };

/** How many candidates one request looks at, so that no request can hold the service up. */
const MOST_CANDIDATES = 10_000;

function scopeConditions({ from, to, accountIds, bankCodes }: DraftScope): Condition[] {
  const conditions: Condition[] = [];
  if (from !== undefined) conditions.push({ field: 'transactionDate', op: 'gte', value: from });
  if (to !== undefined) conditions.push({ field: 'transactionDate', op: 'lt', value: to });
  if (accountIds !== undefined) conditions.push({ field: 'accountId', op: 'in', value: accountIds });
  if (bankCodes !== undefined) conditions.push({ field: 'bankCode', op: 'in', value: bankCodes });
  return conditions;
}

async function* candidatesOf(
  reader: Reader,
  among: { scope: DraftScope } | { transactionIds: readonly string[] },
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

/** What conditions would match, newest first, nothing stored. `shown` bounds each of the two lists. */
export async function evaluateDraft(
  reader: Reader,
  conditions: ConditionGroup,
  among: { scope: DraftScope } | { transactionIds: readonly string[] },
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
    if (list.length < shown) list.push({ transactionId: transaction.id, conditions: compiled.explain(subject) });
  }
  return { candidateCount, matchedCount, complete, matches, misses, unknownTransactionIds };
}
