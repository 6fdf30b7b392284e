import { createSchedule } from '../../../commands/schedules.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { scheduleSchema } from '../../resources/schedule.ts';
import { scheduleFields, scheduleReply } from './schedule-of.ts';

export const createScheduleOperation = operation({
  id: 'createSchedule',
  method: 'post',
  path: '/banks/schedules',
  tag: 'Schedules',
  summary: 'Schedule regular syncs of a connection',
  description:
    'Either a cron line of five fields in `timezone` (default UTC), or an interval in minutes from now. Turns ' +
    'missed while the service was down run ' +
    'once in total. A local time that a clock change skips runs at the change; one that occurs twice runs once.',
  access: 'schedules:write',
  body: z
    .strictObject({
      accountId: identifier,
      title: scheduleFields.title.optional(),
      cron: scheduleFields.cron.optional(),
      everyMinutes: scheduleFields.everyMinutes.optional(),
      timezone: scheduleFields.timezone.default('UTC'),
      status: z.enum(['active', 'paused']).default('active'),
    })
    .refine(({ cron, everyMinutes }) => (cron === undefined) !== (everyMinutes === undefined), {
      path: ['cron'],
      message: 'exactly one of cron and everyMinutes is required',
    })
    .openapi({ oneOf: [{ required: ['cron'] }, { required: ['everyMinutes'] }] }),
  result: scheduleSchema,
  successes: [201],
  errors: ['CONNECTION_NOT_FOUND', 'CONNECTION_ARCHIVED', 'SCHEDULE_TOO_FREQUENT'],
  handle: async (call) => scheduleReply(call, 201, null, await createSchedule(call.context, call.body)),
});
