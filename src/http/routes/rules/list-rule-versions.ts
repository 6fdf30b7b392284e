import { ruleVersionKey, ruleVersions } from '../../../projections/rules.ts';
import { listOf } from '../../core/envelope.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { ruleResource, ruleSchema } from '../../resources/rule.ts';

export const listRuleVersionsOperation = operation({
  id: 'listRuleVersions',
  method: 'get',
  path: '/banks/transaction-rules/{id}/versions',
  tag: 'Rules',
  summary: 'All versions of a rule, newest first',
  access: 'rules:read',
  params: z.strictObject({ id: identifier }),
  query: z.strictObject({ ...paging }),
  notFound: 'RULE_NOT_FOUND',
  result: listOf(ruleSchema),
  reads: [ruleVersions],
  handle: async (call) => {
    const { id } = call.params;
    if ((await call.reader.get(ruleVersions, ...ruleVersionKey(id, 1))) === undefined)
      throw new ApiError('RULE_NOT_FOUND');
    const filter = [{ field: 'id', op: 'eq', value: id }] as const;
    const sort = [{ field: 'version', direction: 'desc' }] as const;
    const page = await pageOf(call, `listRuleVersions ${id}`, ruleVersions, { filter, sort });
    return { status: 200, result: { ...page, items: page.items.map(ruleResource) } };
  },
});
