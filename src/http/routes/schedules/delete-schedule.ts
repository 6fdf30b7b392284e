import { deleteSchedule } from '../../../commands/schedules.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { scheduleSchema } from '../../resources/schedule.ts';
import { scheduleReply } from './schedule-of.ts';

export const deleteScheduleOperation = operation({
  id: 'deleteSchedule',
  method: 'delete',
  path: '/banks/schedules/{id}',
  tag: 'Schedules',
  summary: 'Delete a schedule; its history stays in the log',
  description: 'Returns the schedule as it was.',
  access: 'schedules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'SCHEDULE_NOT_FOUND',
  result: scheduleSchema,
  handle: async (call) => {
    const { id } = call.params;
    return scheduleReply(call, 200, id, await deleteSchedule(call.context, id));
  },
});
