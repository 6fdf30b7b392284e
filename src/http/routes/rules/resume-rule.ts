import { resumeRule } from '../../../commands/change-rule.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { ruleSchema } from '../../resources/rule.ts';
import { ruleReply } from './rule-reply.ts';

export const resumeRuleOperation = operation({
  id: 'resumeRule',
  method: 'patch',
  path: '/banks/transaction-rules/{id}/resume',
  tag: 'Rules',
  summary: 'Re-enable a rule',
  access: 'rules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'RULE_NOT_FOUND',
  body: z.strictObject({ version: z.int().min(1) }),
  result: ruleSchema,
  errors: ['RULE_VERSION_CONFLICT', 'RULE_ARCHIVED'],
  handle: async ({ params, body, context }) => ruleReply(200, await resumeRule(context, params.id, body.version)),
});
