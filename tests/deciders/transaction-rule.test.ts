import { describe, expect, it } from 'vitest';
import {
  decideArchiveRule,
  decideChangeRule,
  decidePauseRule,
  decideResumeRule,
  transactionRule,
} from '../../src/deciders/transaction-rule.ts';
import type { TransactionRuleFact } from '../../src/events/registry.ts';
import { AT, createdRule } from '../support/facts.ts';

const stateAfter = (...facts: TransactionRuleFact[]) =>
  facts.reduce(transactionRule.evolve, transactionRule.initialState);
const paused: TransactionRuleFact = { type: 'RulePaused', data: { version: 2, pausedAt: AT } };
const archived: TransactionRuleFact = { type: 'RuleArchived', data: { version: 2, archivedAt: AT } };

describe('a rule', () => {
  it('moves between active and paused, one version at a time', () => {
    expect(decidePauseRule(stateAfter(createdRule()), 1, AT)).toEqual([paused]);
    expect(decideResumeRule(stateAfter(createdRule(), paused), 2, AT)).toEqual([
      { type: 'RuleResumed', data: { version: 3, resumedAt: AT } },
    ]);
  });

  it('that is so already makes no event', () => {
    expect(decideResumeRule(stateAfter(createdRule()), 1, AT)).toEqual([]);
    expect(decidePauseRule(stateAfter(createdRule(), paused), 2, AT)).toEqual([]);
  });

  it('refuses a stale version and names the present one', () => {
    expect(decideResumeRule(stateAfter(createdRule(), paused), 1, AT)).toEqual({
      refused: 'RULE_VERSION_CONFLICT',
      meta: { currentVersion: 2 },
    });
  });

  it('is done for once archived, whatever version is named', () => {
    for (const version of [1, 2]) {
      for (const act of [decidePauseRule, decideResumeRule, decideArchiveRule]) {
        expect(act(stateAfter(createdRule(), archived), version, AT)).toEqual({ refused: 'RULE_ARCHIVED' });
      }
    }
  });

  it('that was never made is not found', () => {
    for (const act of [decidePauseRule, decideResumeRule, decideArchiveRule]) {
      expect(act(stateAfter(), 1, AT)).toEqual({ refused: 'RULE_NOT_FOUND' });
    }
  });

  it('changes only when its content does', () => {
    const state = stateAfter(createdRule());
    expect(decideChangeRule(state, { version: 1, changedAt: AT, contentAfter: (content) => content })).toEqual([]);
    const renamed = decideChangeRule(state, {
      version: 1,
      changedAt: AT,
      contentAfter: (content) => ({ ...content, name: 'New' }),
    });
    expect(renamed).toMatchObject([{ type: 'RuleChanged', data: { name: 'New', version: 2 } }]);
  });
});
