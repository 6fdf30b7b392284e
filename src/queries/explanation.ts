import { type ConditionOutcome, explainConditions } from '../deciders/conditions/compile-conditions.ts';
import type { RecordedEvent } from '../events/event.ts';
import { isKnown, type KnownEvent } from '../events/registry.ts';
import type { TransactionDocument } from '../projections/transactions.ts';
import type { RuleBook } from './rule-book.ts';

type Evaluated = KnownEvent & { type: 'TransactionAutomationEvaluated' };

export type RuleExplanation = {
  readonly ruleId: string;
  readonly name: string;
  readonly version: number;
  readonly snapshotHash: string;
  readonly matched: boolean;
  /** Matched, but a person had revoked what it attached. */
  readonly suppressed: boolean;
  readonly conditions: readonly ConditionOutcome[];
};

export type Explanation = {
  readonly evaluatedAt: string;
  readonly attempt: number;
  readonly rulesDigest: string;
  /** True when the rules found in force now are those that the evaluation recorded. */
  readonly digestVerified: boolean;
  readonly rules: readonly RuleExplanation[];
};

function newestEvaluation(events: readonly RecordedEvent[]): Evaluated | undefined {
  return events.filter(isKnown).findLast((event) => event.type === 'TransactionAutomationEvaluated');
}

/**
 * Why automation attached what it did: the rules in force at the position at which the transaction was recorded, each
 * with its conditions and the values they saw. Both never change, so the explanation is computed, not stored. Null
 * before the evaluation.
 */
export async function explainAutomation(
  ruleBook: RuleBook,
  transaction: TransactionDocument,
  events: readonly RecordedEvent[],
): Promise<Explanation | null> {
  const evaluated = newestEvaluation(events);
  if (evaluated === undefined) return null;
  const { tenantId, companyId, recordedPosition, fetchedAt } = transaction;
  const rules = await ruleBook.open(tenantId, companyId);
  const set = rules.inForce(recordedPosition, fetchedAt);
  const { matches, evaluatedAt, attempt, rulesDigest } = evaluated.data;
  const matched = new Map(matches.map((match) => [match.ruleId, match]));
  return {
    evaluatedAt,
    attempt,
    rulesDigest,
    digestVerified: set.digest === rulesDigest,
    rules: set.rules.map((rule) => ({
      ruleId: rule.id,
      name: rule.name,
      version: rule.version,
      snapshotHash: rule.snapshotHash,
      matched: matched.has(rule.id),
      suppressed: matched.get(rule.id)?.suppressed ?? false,
      conditions: explainConditions(rule.conditions, transaction),
    })),
  };
}
