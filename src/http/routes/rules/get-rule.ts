import { rules } from '../../../projections/rules.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { ruleResource, ruleSchema } from '../../resources/rule.ts';

export const getRuleOperation = operation({
  id: 'getRule',
  method: 'get',
  path: '/banks/transaction-rules/{id}',
  tag: 'Rules',
  summary: 'One rule',
  access: 'rules:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'RULE_NOT_FOUND',
  result: ruleSchema,
  reads: [rules],
  handle: async ({ reader, params }) => {
    const rule = await reader.get(rules, params.id);
    if (rule === undefined) throw new ApiError('RULE_NOT_FOUND');
    return { status: 200, result: ruleResource(rule) };
  },
});
