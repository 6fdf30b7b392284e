import { ruleVersions } from '../../../projections/rules.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { ruleResource, ruleSchema } from '../../resources/rule.ts';

export const listRuleVersionsOperation = operation({
  id: 'listRuleVersions',
  method: 'get',
  path: '/banks/transaction-rules/{id}/versions',
  tag: 'Rules',
  summary: 'All versions of a rule, newest first',
  access: 'rules:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'RULE_NOT_FOUND',
  result: z.strictObject({ items: z.array(ruleSchema), nextCursor: z.null() }),
  reads: [ruleVersions],
  handle: async ({ reader, params }) => {
    const history = await reader.get(ruleVersions, params.id);
    if (history === undefined) throw new ApiError('RULE_NOT_FOUND');
    const items = history.versions.map(ruleResource).reverse();
    return { status: 200, result: { items, nextCursor: null } };
  },
});
