import { schedules } from '../../../projections/schedules.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { scheduleResource, scheduleSchema } from '../../resources/schedule.ts';
import { scheduleOf } from './schedule-of.ts';

export const getScheduleOperation = operation({
  id: 'getSchedule',
  method: 'get',
  path: '/banks/schedules/{id}',
  tag: 'Schedules',
  summary: 'One schedule, its next turn and the result of the last one',
  access: 'schedules:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'SCHEDULE_NOT_FOUND',
  result: scheduleSchema,
  reads: [schedules],
  handle: async ({ reader, params }) => ({
    status: 200,
    result: scheduleResource(await scheduleOf(reader, params.id)),
  }),
});
