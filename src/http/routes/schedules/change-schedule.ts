import { changeSchedule } from '../../../commands/schedules.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { scheduleSchema } from '../../resources/schedule.ts';
import { scheduleFields, scheduleReply } from './schedule-of.ts';

export const changeScheduleOperation = operation({
  id: 'changeSchedule',
  method: 'patch',
  path: '/banks/schedules/{id}',
  tag: 'Schedules',
  summary: 'Change when a schedule runs, or its title',
  access: 'schedules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'SCHEDULE_NOT_FOUND',
  body: z
    .strictObject({
      title: scheduleFields.title.optional(),
      cron: scheduleFields.cron.optional(),
      everyMinutes: scheduleFields.everyMinutes.optional(),
      timezone: scheduleFields.timezone.optional(),
    })
    .refine(({ cron, everyMinutes }) => cron === undefined || everyMinutes === undefined, {
      path: ['cron'],
      message: 'cron and everyMinutes cannot be given together',
    })
    .openapi({ not: { required: ['cron', 'everyMinutes'], properties: { cron: {}, everyMinutes: {} } } }),
  result: scheduleSchema,
  errors: ['SCHEDULE_TOO_FREQUENT'],
  handle: async (call) => {
    const { id } = call.params;
    return scheduleReply(call, 200, id, await changeSchedule(call.context, id, call.body));
  },
});
