import { changeRule } from '../../../commands/change-rule.ts';
import { defined } from '../../../shared/defined.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { ruleSchema } from '../../resources/rule.ts';
import { actionsOf, checkedConditions, optionalRuleFields } from './rule-bodies.ts';
import { ruleReply } from './rule-reply.ts';

export const changeRuleOperation = operation({
  id: 'changeRule',
  method: 'patch',
  path: '/banks/transaction-rules/{id}',
  tag: 'Rules',
  summary: 'Change a rule; the new version applies to transactions that arrive from then on',
  adds: 'ruleBytes',
  access: 'rules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'RULE_NOT_FOUND',
  body: z.strictObject({
    version: z.int().min(1),
    ...optionalRuleFields,
  }),
  result: ruleSchema,
  errors: ['RULE_TOO_COMPLEX', 'RULE_CONDITION_INVALID', 'RULE_VERSION_CONFLICT', 'RULE_ARCHIVED'],
  handle: async ({ params, body, context }) => {
    const { version, conditions, actions, tags, ...plain } = body;
    const checked = defined({
      conditions: conditions === undefined ? undefined : checkedConditions(conditions),
      actions: actions === undefined ? undefined : actionsOf(actions),
      tags: tags === undefined ? undefined : [...new Set(tags)],
    });
    return ruleReply(200, await changeRule(context, params.id, version, { ...plain, ...checked }));
  },
});
