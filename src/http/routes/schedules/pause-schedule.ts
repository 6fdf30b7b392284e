import { pauseSchedule } from '../../../commands/schedules.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { scheduleSchema } from '../../resources/schedule.ts';
import { scheduleReply } from './schedule-of.ts';

export const pauseScheduleOperation = operation({
  id: 'pauseSchedule',
  method: 'patch',
  path: '/banks/schedules/{id}/pause',
  tag: 'Schedules',
  summary: 'Pause a schedule; turns that fall due while it is paused are skipped',
  access: 'schedules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'SCHEDULE_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: scheduleSchema,
  handle: async (call) => {
    const { id } = call.params;
    return scheduleReply(call, 200, id, await pauseSchedule(call.context, id));
  },
});
