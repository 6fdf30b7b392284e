import { runByHand } from '../../../commands/schedule-runs.ts';
import { scheduleRuns } from '../../../projections/schedule-runs.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { scheduleRunResource, scheduleRunSchema } from '../../resources/schedule.ts';

export const runScheduleOperation = operation({
  id: 'runSchedule',
  method: 'post',
  path: '/banks/schedules/{id}/run',
  tag: 'Schedules',
  summary: 'Run a schedule now, in addition to its turns; also while paused',
  access: 'schedules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'SCHEDULE_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: scheduleRunSchema,
  successes: [202],
  handle: async ({ params, context }) => {
    const { events, position } = requireAccepted(await runByHand(context, params.id));
    return { status: 202, result: scheduleRunResource(documentAfter(scheduleRuns, events)), position };
  },
});
