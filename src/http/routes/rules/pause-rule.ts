import { pauseRule } from '../../../commands/change-rule.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { ruleSchema } from '../../resources/rule.ts';
import { ruleReply } from './rule-reply.ts';

export const pauseRuleOperation = operation({
  id: 'pauseRule',
  method: 'patch',
  path: '/banks/transaction-rules/{id}/pause',
  tag: 'Rules',
  summary: 'Pause a rule; it is not applied to transactions that arrive while it is paused',
  access: 'rules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'RULE_NOT_FOUND',
  body: z.strictObject({ version: z.int().min(1) }),
  result: ruleSchema,
  errors: ['RULE_VERSION_CONFLICT', 'RULE_ARCHIVED'],
  handle: async ({ params, body, context }) => ruleReply(200, await pauseRule(context, params.id, body.version)),
});
