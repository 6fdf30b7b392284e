import { resumeSchedule } from '../../../commands/schedules.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { scheduleSchema } from '../../resources/schedule.ts';
import { scheduleReply } from './schedule-of.ts';

export const resumeScheduleOperation = operation({
  id: 'resumeSchedule',
  method: 'patch',
  path: '/banks/schedules/{id}/resume',
  tag: 'Schedules',
  summary: 'Resume a schedule with its next turn',
  access: 'schedules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'SCHEDULE_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: scheduleSchema,
  handle: async (call) => {
    const { id } = call.params;
    return scheduleReply(call, 200, id, await resumeSchedule(call.context, id));
  },
});
