import {
  decideArchiveRule,
  decideChangeRule,
  decidePauseRule,
  decideResumeRule,
  type RuleContent,
  type TransactionRuleOutcome,
  type TransactionRuleState,
  transactionRule,
} from '../deciders/transaction-rule.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { defined } from '../shared/defined.ts';
import { canonicalJson } from '../shared/hash.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';
import { type RuleDraft, ruleSnapshotHash } from './create-rule.ts';

type Done = Promise<Outcome<TransactionRuleState>>;

function onRule(
  context: CommandContext,
  ruleId: string,
  decide: (state: TransactionRuleState, now: string) => TransactionRuleOutcome,
): Done {
  const now = isoTime(context.clock.now());
  return execute(context, {
    stream: streamName('transactionRule', context.tenantId, ruleId),
    decider: transactionRule,
    notFound: 'RULE_NOT_FOUND',
    decide: (state) => decide(state, now),
  });
}

/** What a change may name of a rule; null clears a field that can be null. */
export type RuleChange = Partial<Omit<RuleDraft, 'effectiveFrom'> & { readonly effectiveFrom: string }>;

/** Applies what the change names. Unchanged actions keep their ids, and the same content again is no change. */
export function changeRule(context: CommandContext, ruleId: string, version: number, wanted: RuleChange): Done {
  return onRule(context, ruleId, (state, changedAt) =>
    decideChangeRule(state, { version, changedAt, contentAfter: (content) => apply(content, wanted, context.newId) }),
  );
}

function apply(content: RuleContent, wanted: RuleChange, newId: () => string): RuleContent {
  const sameAction = (action: NonNullable<RuleChange['actions']>[number]): string | undefined =>
    content.actions.find((one) => canonicalJson(one.reference) === canonicalJson(action.reference))?.id;
  const { actions: wantedActions, tags: wantedTags, ...plain } = wanted;
  const actions = wantedActions?.map((action) => ({ id: sameAction(action) ?? newId(), ...action }));
  const tags = wantedTags && [...wantedTags];
  // Spread over the present content: whatever the change does not name stays.
  const after: RuleContent = { ...content, ...defined({ ...plain, actions, tags }) };
  const does = [after.conditions, after.actions, after.tags];
  const did = [content.conditions, content.actions, content.tags];
  if (canonicalJson(does) === canonicalJson(did)) {
    return canonicalJson(after) === canonicalJson(content) ? content : after;
  }
  return { ...after, snapshotHash: ruleSnapshotHash(after) };
}

export function pauseRule(context: CommandContext, ruleId: string, version: number): Done {
  return onRule(context, ruleId, (state, now) => decidePauseRule(state, version, now));
}

export function resumeRule(context: CommandContext, ruleId: string, version: number): Done {
  return onRule(context, ruleId, (state, now) => decideResumeRule(state, version, now));
}

export function archiveRule(context: CommandContext, ruleId: string, version: number): Done {
  return onRule(context, ruleId, (state, now) => decideArchiveRule(state, version, now));
}
