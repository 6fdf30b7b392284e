import { createSchedule as create } from '../../../commands/schedules.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { scheduleSchema } from '../../resources/schedule.ts';
import { scheduleFields, scheduleReply } from './schedule-of.ts';

export const createSchedule = operation({
  id: 'createSchedule',
  method: 'post',
  path: '/banks/schedules',
  tag: 'Schedules',
  summary: 'Let a connection sync by itself',
  description:
    'By a cron line of five fields, read in `timezone` (UTC), or every so many minutes from now. Turns missed while the service was down happen ' +
    'once in all. A local time that a change of the clocks leaves out comes when they jump; one that comes twice is taken once.',
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
      message: 'either cron or everyMinutes is required',
    })
    .openapi({ oneOf: [{ required: ['cron'] }, { required: ['everyMinutes'] }] }),
  result: scheduleSchema,
  successes: [201],
  errors: ['CONNECTION_NOT_FOUND', 'CONNECTION_ARCHIVED', 'SCHEDULE_TOO_FREQUENT'],
  handle: async (call) => scheduleReply(call, 201, null, await create(call.context, call.body)),
});
