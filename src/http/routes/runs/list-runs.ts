import { ruleRuns } from '../../../projections/rule-runs.ts';
import type { Condition } from '../../../readstore/read-store.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { identifier, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { runSchema } from '../../resources/run.ts';
import { runResources } from './run-of.ts';

export const listRunsOperation = operation({
  id: 'listRuleRuns',
  method: 'get',
  path: '/banks/rule-runs',
  tag: 'Rule runs',
  summary: 'Previews, backfills and reverts, newest first',
  access: 'rules:read',
  query: z.strictObject({
    ruleId: identifier.optional(),
    type: z.enum(['preview', 'backfill', 'revert']).optional(),
    status: z.enum(['pending', 'processing', 'completed', 'retry', 'dead', 'cancelled']).optional(),
    ...paging,
  }),
  result: listOf(runSchema),
  reads: [ruleRuns],
  handle: async (call) => {
    const filter = (['ruleId', 'type', 'status'] as const).flatMap((field): Condition[] => {
      const value = call.query[field];
      return value === undefined ? [] : [{ field, op: 'eq', value }];
    });
    const sort = [{ field: 'createdAt', direction: 'desc' }] as const;
    const page = await pageOf(call, 'listRuleRuns', ruleRuns, { filter, sort });
    return { status: 200, result: { ...page, items: await runResources(call.services, page.items) } };
  },
});
