import { describe, it } from 'vitest';
import {
  decideArchiveRule,
  decideChangeRule,
  decideCreateRule,
  decidePauseRule,
  decideResumeRule,
  transactionRule,
} from '../../src/deciders/transaction-rule.ts';
import type { TransactionRuleFact } from '../../src/events/registry.ts';
import { AT, createdRule, createdRuleData } from '../support/facts.ts';
import { specification } from './specification.ts';

const paused: TransactionRuleFact = { type: 'RulePaused', data: { version: 2, pausedAt: AT } };
const archived: TransactionRuleFact = { type: 'RuleArchived', data: { version: 2, archivedAt: AT } };
const given = specification(transactionRule);

const acts = [
  ['paused', decidePauseRule],
  ['resumed', decideResumeRule],
  ['archived', decideArchiveRule],
] as const;

describe('rule', () => {
  it('a rule is created with its content, as version 1', () => {
    const { ruleId, status, createdAt, version: _, ...content } = createdRuleData();
    given([])
      .when(() => decideCreateRule(ruleId, { content, status, createdAt }))
      .then([createdRule()])
      .thenState({ version: 1, status, content });
  });

  it('an active rule can be paused and a paused one resumed, each as the next version', () => {
    given([createdRule()])
      .when((rule) => decidePauseRule(rule, 1, AT))
      .then([paused])
      .when((rule) => decideResumeRule(rule, 2, AT))
      .then([{ type: 'RuleResumed', data: { version: 3, resumedAt: AT } }]);
  });

  it('a rule that is active already is not resumed', () => {
    given([createdRule()])
      .when((rule) => decideResumeRule(rule, 1, AT))
      .thenNothing();
  });

  it('a rule that is paused already is not paused again', () => {
    given([createdRule(), paused])
      .when((rule) => decidePauseRule(rule, 2, AT))
      .thenNothing();
  });

  it('a request for a former version of the rule is refused with the current one', () => {
    given([createdRule(), paused])
      .when((rule) => decideResumeRule(rule, 1, AT))
      .thenRefused('RULE_VERSION_CONFLICT', { currentVersion: 2 });
  });

  it.each(acts)('a rule that is archived cannot be %s, whatever version is named', (_, act) => {
    for (const version of [1, 2]) {
      given([createdRule(), archived])
        .when((rule) => act(rule, version, AT))
        .thenRefused('RULE_ARCHIVED');
    }
  });

  it.each(acts)('a rule that was never created cannot be %s', (_, act) => {
    given([])
      .when((rule) => act(rule, 1, AT))
      .thenRefused('RULE_NOT_FOUND');
  });

  it('a rule changes only when its content does', () => {
    given([createdRule()])
      .when((rule) => decideChangeRule(rule, { version: 1, changedAt: AT, contentAfter: (content) => content }))
      .thenNothing();
    given([createdRule()])
      .when((rule) =>
        decideChangeRule(rule, {
          version: 1,
          changedAt: AT,
          contentAfter: (content) => ({ ...content, name: 'New' }),
        }),
      )
      .thenLike([{ type: 'RuleChanged', data: { name: 'New', version: 2 } }]);
  });
});
