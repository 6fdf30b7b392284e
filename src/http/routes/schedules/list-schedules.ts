import { schedules } from '../../../projections/schedules.ts';
import type { Condition } from '../../../readstore/read-store.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { identifier, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { scheduleResource, scheduleSchema } from '../../resources/schedule.ts';

export const listSchedulesOperation = operation({
  id: 'listSchedules',
  method: 'get',
  path: '/banks/schedules',
  tag: 'Schedules',
  summary: 'The schedules, oldest first',
  access: 'schedules:read',
  query: z.strictObject({
    accountId: identifier.optional(),
    status: z.enum(['active', 'paused']).optional(),
    ...paging,
  }),
  result: listOf(scheduleSchema),
  reads: [schedules],
  handle: async (call) => {
    const filter: Condition[] = [{ field: 'deleted', op: 'eq', value: false }];
    for (const field of ['accountId', 'status'] as const) {
      const value = call.query[field];
      if (value !== undefined) filter.push({ field, op: 'eq', value });
    }
    const sort = [{ field: 'createdAt', direction: 'asc' }] as const;
    const page = await pageOf(call, 'listSchedules', schedules, { filter, sort });
    return { status: 200, result: { ...page, items: page.items.map(scheduleResource) } };
  },
});
