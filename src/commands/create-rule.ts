import {
  decideCreateRule,
  type RuleContent,
  type TransactionRuleState,
  transactionRule,
} from '../deciders/transaction-rule.ts';
import type { Reference } from '../events/fields.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { canonicalJson, sha256 } from '../shared/hash.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';

export type RuleConditions = RuleContent['conditions'];

/** What a rule is made from, checked by the HTTP layer. */
export type RuleDraft = Readonly<Omit<RuleContent, 'actions' | 'tags' | 'effectiveFrom' | 'snapshotHash'>> & {
  readonly actions: readonly { readonly type: 'attach_reference'; readonly reference: Reference }[];
  readonly tags: readonly string[];
  /** ISO 8601 UTC; null: from now. */
  readonly effectiveFrom: string | null;
};

/**
 * SHA-256 of the RFC 8785 canonical JSON of conditions, actions and tags. The actions' ids are left out: they identify
 * an action and do not change what it does.
 */
export function ruleSnapshotHash(rule: {
  conditions: RuleConditions;
  actions: readonly { type: string; reference: Reference }[];
  tags: readonly string[];
}): string {
  const actions = rule.actions.map(({ type, reference }) => ({ type, reference }));
  return sha256(canonicalJson({ conditions: rule.conditions, actions, tags: rule.tags }));
}

export function createRule(
  context: CommandContext,
  draft: RuleDraft,
  status: 'active' | 'paused',
): Promise<Outcome<TransactionRuleState>> {
  const ruleId = context.newId();
  const createdAt = isoTime(context.clock.now());
  const actions = draft.actions.map((action) => ({ id: context.newId(), ...action }));
  const content: RuleContent = {
    ...draft,
    actions,
    tags: [...draft.tags],
    effectiveFrom: draft.effectiveFrom ?? createdAt,
    snapshotHash: ruleSnapshotHash({ ...draft, actions }),
  };
  return execute(context, {
    stream: streamName('transactionRule', context.tenantId, ruleId),
    decider: transactionRule,
    notFound: 'RULE_NOT_FOUND',
    decide: () => decideCreateRule(ruleId, { content, status, createdAt }),
  });
}
