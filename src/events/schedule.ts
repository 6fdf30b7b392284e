import { z } from 'zod';
import { count, id, instant } from './fields.ts';

/** When turns fall due: a cron line of five fields, or every so many minutes from `anchorAt` on. */
export const scheduleTiming = z.strictObject({
  cron: z.string().min(9).max(200).nullable(),
  everyMinutes: z.int().min(5).max(10_080).nullable(),
  /** IANA time zone in which the cron line is read. */
  timezone: z.string().min(1).max(64),
  anchorAt: instant,
});

export type ScheduleTiming = z.infer<typeof scheduleTiming>;

const settings = { title: z.string().min(1).max(120).nullable(), timing: scheduleTiming };

/**
 * Streams `schedule-{tenant}_{id}`: what a person set. Its turns have streams of their own. `nextRunAt` is the next
 * turn from then on.
 */
export const scheduleEvents = {
  ScheduleCreated: {
    version: 1,
    schema: z.strictObject({
      scheduleId: id,
      accountId: id,
      ...settings,
      status: z.enum(['active', 'paused']),
      nextRunAt: instant.nullable(),
      createdAt: instant,
    }),
  },
  ScheduleChanged: {
    version: 1,
    schema: z.strictObject({ ...settings, nextRunAt: instant.nullable(), changedAt: instant }),
  },
  /** Null reason: a person paused it. */
  SchedulePaused: {
    version: 1,
    schema: z.strictObject({
      reason: z.enum(['FAILED_TOO_OFTEN', 'CONNECTION_ARCHIVED']).nullable(),
      pausedAt: instant,
    }),
  },
  ScheduleResumed: { version: 1, schema: z.strictObject({ nextRunAt: instant.nullable(), resumedAt: instant }) },
  ScheduleDeleted: { version: 1, schema: z.strictObject({ deletedAt: instant }) },
} as const;

/**
 * Streams `scheduleRun-{tenant}_{id}`: one turn. The nth run of a schedule has a computed id, so a turn is taken once,
 * by whoever is first.
 */
export const scheduleRunEvents = {
  ScheduleRunQueued: {
    version: 1,
    schema: z.strictObject({
      runId: id,
      scheduleId: id,
      accountId: id,
      ordinal: z.int().min(1),
      trigger: z.enum(['schedule', 'manual']),
      /** The turn that it uses up; null for a manual run. */
      dueAt: instant.nullable(),
      /** Earlier missed turns, which this run covers. */
      missedTurns: count,
      /** The turn after it; null for a manual run, which moves none. */
      nextRunAt: instant.nullable(),
      queuedAt: instant,
    }),
  },
  ScheduleRunStarted: { version: 1, schema: z.strictObject({ scheduleId: id, syncId: id, startedAt: instant }) },
  ScheduleRunEnded: {
    version: 1,
    schema: z.strictObject({
      scheduleId: id,
      outcome: z.enum(['succeeded', 'failed', 'skipped']),
      /** Why it failed or was skipped, a code; null when it succeeded. */
      reason: z.string().max(100).nullable(),
      syncId: id.nullable(),
      /** After a failure: no turn starts before this. */
      notBefore: instant.nullable(),
      endedAt: instant,
    }),
  },
} as const;
