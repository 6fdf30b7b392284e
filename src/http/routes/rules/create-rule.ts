import { createRule as create } from '../../../commands/create-rule.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { ruleSchema } from '../../resources/rule.ts';
import { actionsOf, checkedConditions, ruleFields } from './rule-bodies.ts';
import { ruleReply } from './rule-reply.ts';

export const createRule = operation({
  id: 'createRule',
  method: 'post',
  path: '/banks/transaction-rules',
  tag: 'Rules',
  summary: 'Create a matching rule',
  description:
    'Applies to each transaction that arrives while it is active, at or after `effectiveFrom`; use a backfill for earlier ones.',
  access: 'rules:write',
  body: z.strictObject({
    name: ruleFields.name,
    description: ruleFields.description.optional(),
    status: z.enum(['active', 'paused']).default('active'),
    conditions: ruleFields.conditions,
    actions: ruleFields.actions,
    tags: ruleFields.tags.default([]),
    effectiveFrom: ruleFields.effectiveFrom.optional(),
  }),
  result: ruleSchema,
  successes: [201],
  errors: ['RULE_TOO_COMPLEX', 'RULE_CONDITION_INVALID'],
  handle: async ({ body, context }) => {
    const draft = {
      name: body.name,
      description: body.description ?? null,
      conditions: checkedConditions(body.conditions),
      actions: actionsOf(body.actions),
      tags: [...new Set(body.tags)],
      effectiveFrom: body.effectiveFrom ?? null,
    };
    return ruleReply(201, await create(context, draft, body.status));
  },
});
