import { archiveRule } from '../../../commands/change-rule.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { ruleSchema } from '../../resources/rule.ts';
import { ruleReply } from './rule-reply.ts';

export const archiveRuleOperation = operation({
  id: 'archiveRule',
  method: 'patch',
  path: '/banks/transaction-rules/{id}/archive',
  tag: 'Rules',
  summary: 'Archive a rule permanently; its assignments stay',
  access: 'rules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'RULE_NOT_FOUND',
  body: z.strictObject({ version: z.int().min(1) }),
  result: ruleSchema,
  errors: ['RULE_VERSION_CONFLICT', 'RULE_ARCHIVED'],
  handle: async ({ params, body, context }) => ruleReply(200, await archiveRule(context, params.id, body.version)),
});
