import { compileConditions } from '../deciders/conditions/compile-conditions.ts';
import { prepareSubject } from '../deciders/conditions/subject.ts';
import { type RuleRunDocument, ruleRuns } from '../projections/rule-runs.ts';
import { ruleVersionKey, ruleVersions } from '../projections/rules.ts';
import { type RunMatchDocument, runMatches } from '../projections/run-matches.ts';
import type { TransactionDocument } from '../projections/transactions.ts';
import type { Explanation, RuleExplanation } from './explanation.ts';
import type { Reader } from './reader.ts';

/** One evaluation of a transaction by a rule, and its result. */
export type RuleLook = RuleExplanation & {
  readonly by: 'live' | 'backfill' | 'revert';
  readonly runId: string | null;
  readonly at: string;
  readonly attachedIds: readonly string[];
  readonly revokedIds: readonly string[];
};

/** How many of the newest runs are searched; people start them by hand. */
const MOST_RUNS = 500;

/** A moment in the past, and the position of the tenant's last event by then. */
type Past = { readonly position: string; readonly moment: string };

/**
 * Every evaluation of the transaction by a rule, now or as of a moment, oldest first: by the rules in force when it was
 * evaluated live, and by backfills and reverts that included it. `older` is true when there are runs of the company
 * that were not searched.
 */
export async function rulesThatLooked(
  reader: Reader,
  transaction: TransactionDocument,
  evaluation: Explanation | null,
  past: Past | null = null,
): Promise<{ readonly looks: readonly RuleLook[]; readonly older: boolean }> {
  const { items, after } = await reader.page(ruleRuns, {
    filter: [
      { field: 'companyId', op: 'eq', value: transaction.companyId },
      ...(past === null ? [] : [{ field: 'createdAt', op: 'lte', value: past.moment } as const]),
    ],
    sort: [{ field: 'createdAt', direction: 'desc' }],
    limit: MOST_RUNS,
  });
  const looks = (evaluation?.rules ?? []).map((rule): RuleLook => {
    const { evaluatedAt: at } = evaluation as Explanation;
    return { ...rule, by: 'live', runId: null, at, attachedIds: attachedBy(transaction, rule.ruleId), revokedIds: [] };
  });
  for (const run of items.toReversed()) {
    const look = mayHaveLooked(run, transaction) ? await lookOf(reader, run, transaction, past) : null;
    if (look !== null) looks.push(look);
  }
  looks.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  return { looks, older: after !== null };
}

function attachedBy({ assignments }: TransactionDocument, ruleId: string): string[] {
  return assignments.filter((one) => one.ruleId === ruleId && one.runId === null).map(({ id }) => id);
}

/**
 * By the run's scope, frozen at its request, and by its progress; what a revert undoes is recorded with another run.
 */
function mayHaveLooked(run: RuleRunDocument, transaction: TransactionDocument): boolean {
  if (run.type === 'preview' || run.startedAt === null) return false;
  if (run.type === 'revert') return true;
  const { from, to, accountIds, bankCodes } = run.scope;
  const { transactionDate, accountId, bankCode, recordedPosition } = transaction;
  if (recordedPosition > run.snapshotMaxId) return false;
  if ((from !== null && transactionDate < from) || (to !== null && transactionDate >= to)) return false;
  if (accountIds !== null && !accountIds.includes(accountId)) return false;
  if (bankCodes !== null && !bankCodes.includes(bankCode)) return false;
  return (
    run.status === 'completed' || (run.cursorId !== null && `${transactionDate} ${transaction._id}` <= run.cursorId)
  );
}

async function lookOf(
  reader: Reader,
  run: RuleRunDocument,
  transaction: TransactionDocument,
  past: Past | null,
): Promise<RuleLook | null> {
  const found = await reader.get(runMatches, run.id, transaction.id);
  if (past !== null && !hadLooked(run, found, past)) return null;
  const rule = await reader.get(ruleVersions, ...ruleVersionKey(run.ruleId, run.ruleVersion));
  if (rule === undefined) return null;
  const compiled = compileConditions(rule.conditions);
  const prepared = prepareSubject(transaction);
  const matched = compiled.matches(prepared);
  // A match is recorded as soon as a run has processed it, and a revert processes recorded matches only.
  if (found === undefined && (matched || run.type === 'revert')) return null;
  return {
    ruleId: run.ruleId,
    name: rule.name,
    version: run.ruleVersion,
    snapshotHash: run.ruleSnapshotHash,
    matched,
    suppressed: found?.outcome === 'suppressed',
    conditions: compiled.explain(prepared),
    by: run.type === 'revert' ? 'revert' : 'backfill',
    runId: run.id,
    at: found?.at ?? run.completedAt ?? run.updatedAt,
    ...idsOf(found),
  };
}

function idsOf(found: RunMatchDocument | undefined) {
  return { attachedIds: found?.attachedIds ?? [], revokedIds: found?.revokedIds ?? [] };
}

/**
 * Where the run matched the transaction, its page had been done by then. Where it did not, nothing says when it came
 * by, except that it was before the run ended.
 */
function hadLooked(run: RuleRunDocument, found: RunMatchDocument | undefined, { position, moment }: Past): boolean {
  if (found !== undefined) return found._position <= position;
  return run.completedAt !== null && run.completedAt <= moment;
}
