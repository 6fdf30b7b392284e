import type { EventData, TransactionRuleFact } from '../events/registry.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

export type RuleContent = Omit<EventData<'RuleChanged'>, 'changedAt' | 'version'>;

export type TransactionRuleState = {
  readonly content: RuleContent | null;
  readonly version: number;
  readonly status: 'active' | 'paused';
  readonly archived: boolean;
};

const initialState: TransactionRuleState = { content: null, version: 0, status: 'paused', archived: false };

/**
 * Names the members that are no content, so that a field of a newer release counts as content and is kept (ADR 0024).
 */
function evolve(state: TransactionRuleState, fact: TransactionRuleFact): TransactionRuleState {
  switch (fact.type) {
    case 'RuleCreated': {
      const { ruleId, createdAt, status, version, ...content } = fact.data;
      return { content, version, status, archived: false };
    }
    case 'RuleChanged': {
      const { changedAt, version, ...content } = fact.data;
      return { ...state, content, version };
    }
    case 'RulePaused':
      return { ...state, status: 'paused', version: fact.data.version };
    case 'RuleResumed':
      return { ...state, status: 'active', version: fact.data.version };
    case 'RuleArchived':
      return { ...state, archived: true, version: fact.data.version };
  }
}

export const transactionRule: Decider<TransactionRuleState, TransactionRuleFact> = { initialState, evolve };

export type TransactionRuleOutcome = readonly TransactionRuleFact[] | Refusal;

/**
 * Refuses a rule that does not exist, is archived for good, or is not at the caller's version. In that order: for an
 * archived rule no version would be right.
 */
function refuseChange(state: TransactionRuleState, version: number): Refusal | null {
  if (state.content === null) return { refused: 'RULE_NOT_FOUND' };
  if (state.archived) return { refused: 'RULE_ARCHIVED' };
  return state.version === version
    ? null
    : { refused: 'RULE_VERSION_CONFLICT', meta: { currentVersion: state.version } };
}

export function decideCreateRule(
  ruleId: string,
  created: { content: RuleContent; status: 'active' | 'paused'; createdAt: string },
): TransactionRuleOutcome {
  const { content, status, createdAt } = created;
  return [{ type: 'RuleCreated', data: { ruleId, status, createdAt, version: 1, ...content } }];
}

/** `contentAfter` builds the whole new content from the present one; the same content again is no change. */
export function decideChangeRule(
  state: TransactionRuleState,
  change: { version: number; changedAt: string; contentAfter: (content: RuleContent) => RuleContent },
): TransactionRuleOutcome {
  const refusal = refuseChange(state, change.version);
  if (refusal !== null || state.content === null) return refusal ?? { refused: 'RULE_NOT_FOUND' };
  const after = change.contentAfter(state.content);
  if (after === state.content) return [];
  return [{ type: 'RuleChanged', data: { ...after, changedAt: change.changedAt, version: state.version + 1 } }];
}

export function decidePauseRule(
  state: TransactionRuleState,
  version: number,
  pausedAt: string,
): TransactionRuleOutcome {
  const refusal = refuseChange(state, version);
  if (refusal !== null) return refusal;
  return state.status === 'paused' ? [] : [{ type: 'RulePaused', data: { version: version + 1, pausedAt } }];
}

export function decideResumeRule(
  state: TransactionRuleState,
  version: number,
  resumedAt: string,
): TransactionRuleOutcome {
  const refusal = refuseChange(state, version);
  if (refusal !== null) return refusal;
  return state.status === 'active' ? [] : [{ type: 'RuleResumed', data: { version: version + 1, resumedAt } }];
}

export function decideArchiveRule(
  state: TransactionRuleState,
  version: number,
  archivedAt: string,
): TransactionRuleOutcome {
  const refusal = refuseChange(state, version);
  return refusal ?? [{ type: 'RuleArchived', data: { version: version + 1, archivedAt } }];
}
