import { scheduleRuns } from '../../../projections/schedule-runs.ts';
import { schedules } from '../../../projections/schedules.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { identifier, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { scheduleRunResource, scheduleRunSchema } from '../../resources/schedule.ts';
import { scheduleOf } from './schedule-of.ts';

export const listScheduleRunsOperation = operation({
  id: 'listScheduleRuns',
  method: 'get',
  path: '/banks/schedules/{id}/runs',
  tag: 'Schedules',
  summary: 'The runs of a schedule, newest first',
  access: 'schedules:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'SCHEDULE_NOT_FOUND',
  query: z.strictObject({ ...paging }),
  result: listOf(scheduleRunSchema),
  reads: [schedules, scheduleRuns],
  handle: async (call) => {
    const schedule = await scheduleOf(call.reader, call.params.id);
    const page = await pageOf(call, `listScheduleRuns/${schedule.id}`, scheduleRuns, {
      filter: [{ field: 'scheduleId', op: 'eq', value: schedule.id }],
      sort: [{ field: 'ordinal', direction: 'desc' }],
    });
    return { status: 200, result: { ...page, items: page.items.map(scheduleRunResource) } };
  },
});
