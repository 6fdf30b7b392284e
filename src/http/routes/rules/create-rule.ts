import { createRule } from '../../../commands/create-rule.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { ruleSchema } from '../../resources/rule.ts';
import { actionsOf, checkedConditions, optionalRuleFields, ruleFields } from './rule-bodies.ts';
import { ruleReply } from './rule-reply.ts';

export const createRuleOperation = operation({
  id: 'createRule',
  method: 'post',
  path: '/banks/transaction-rules',
  tag: 'Rules',
  summary: 'Create a matching rule',
  description:
    'Applies to each transaction that arrives while it is active, at or after `effectiveFrom`; use a backfill for ' +
    'earlier ones.',
  adds: 'ruleBytes',
  access: 'rules:write',
  body: z.strictObject({
    ...optionalRuleFields,
    name: ruleFields.name,
    conditions: ruleFields.conditions,
    actions: ruleFields.actions,
    tags: ruleFields.tags.default([]),
    status: z.enum(['active', 'paused']).default('active'),
  }),
  result: ruleSchema,
  successes: [201],
  errors: ['RULE_TOO_COMPLEX', 'RULE_CONDITION_INVALID'],
  handle: async ({ body, context }) => {
    const { status, conditions, actions, tags, ...plain } = body;
    const draft = {
      description: null,
      effectiveFrom: null,
      ...plain,
      conditions: checkedConditions(conditions),
      actions: actionsOf(actions),
      tags: [...new Set(tags)],
    };
    return ruleReply(201, await createRule(context, draft, status));
  },
});
