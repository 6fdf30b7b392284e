import type { CommandContext, Outcome } from '../../../commands/command.ts';
import { isCronLine } from '../../../deciders/turns.ts';
import { type ScheduleDocument, schedules } from '../../../projections/schedules.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import type { Reader } from '../../../queries/reader.ts';
import { isTimeZone } from '../../../shared/time-zone.ts';
import { ApiError } from '../../core/errors.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { scheduleResource } from '../../resources/schedule.ts';

/** What a person may set. `cron` and `everyMinutes` exclude each other. */
export const scheduleFields = {
  title: z.string().trim().min(1).max(120).nullable(),
  cron: z
    .string()
    .max(200)
    .refine(isCronLine, 'must be a cron line of five fields that occurs at some time')
    .openapi({ type: 'string', maxLength: 200, example: '0 6 * * 1-5' }),
  everyMinutes: z.int().min(1).max(10_080),
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be an IANA time zone')
    .openapi({ type: 'string', maxLength: 64, example: 'Europe/Istanbul' }),
};

/** @throws ApiError SCHEDULE_NOT_FOUND, also for a deleted one */
export async function scheduleOf(reader: Reader, id: string): Promise<ScheduleDocument> {
  const schedule = await reader.get(schedules, id);
  if (schedule === undefined || schedule.deleted) throw new ApiError('SCHEDULE_NOT_FOUND');
  return schedule;
}

/**
 * The answer of every write to a schedule: the schedule folded from its events, on top of the effects of its turns.
 * @throws ApiError
 */
export async function scheduleReply<Status extends 200 | 201>(
  call: { reader: Reader; context: CommandContext },
  status: Status,
  id: string | null,
  outcome: Outcome<unknown>,
) {
  const { events, position } = requireAccepted(outcome);
  const base = id === null ? undefined : await call.reader.get(schedules, id);
  return { status, result: scheduleResource(documentAfter(schedules, events, base)), position };
}
