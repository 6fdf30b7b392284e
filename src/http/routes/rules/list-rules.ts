import { rulesThen } from '../../../audit/lists-then.ts';
import { rules } from '../../../projections/rules.ts';
import type { Condition } from '../../../readstore/read-store.ts';
import { wordsOf } from '../../../shared/text-folding.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { asOf, flag, paging, searchText } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageNowOrThen } from '../../paging/page-as-of.ts';
import { ruleResource, ruleSchema } from '../../resources/rule.ts';

export const listRulesOperation = operation({
  id: 'listRules',
  method: 'get',
  path: '/banks/transaction-rules',
  tag: 'Rules',
  summary: 'The rules, oldest first',
  costly: ({ asOf, q }) => asOf !== undefined || q !== undefined,
  access: 'rules:read',
  query: z.strictObject({
    status: z.enum(['active', 'paused']).optional(),
    referenceKey: z.string().min(1).max(400).optional(),
    archived: flag.optional().openapi({ description: 'By default, both archived and other rules are listed.' }),
    tag: z.string().min(1).max(64).optional(),
    q: searchText.optional().openapi({ description: 'Words, or beginnings of words, of name or description.' }),
    asOf,
    ...paging,
  }),
  result: listOf(ruleSchema),
  reads: [rules],
  handle: async (call) => {
    const { status, referenceKey, archived, tag, q } = call.query;
    const filter: Condition[] = [];
    if (status !== undefined) filter.push({ field: 'status', op: 'eq', value: status });
    if (referenceKey !== undefined) filter.push({ field: 'referenceKey', op: 'eq', value: referenceKey });
    if (archived !== undefined) filter.push({ field: 'archived', op: 'eq', value: archived });
    if (tag !== undefined) filter.push({ field: 'tags', op: 'has', value: tag });
    for (const word of wordsOf(q ?? '')) filter.push({ field: 'words', op: 'hasPrefix', value: word });
    const sort = [{ field: 'createdAt', direction: 'asc' }] as const;
    const { position = null, ...page } = await pageNowOrThen(call, 'listRules', rulesThen, { filter, sort });
    return {
      status: 200,
      result: { ...page, items: page.items.map(ruleResource) },
      position,
    };
  },
});
