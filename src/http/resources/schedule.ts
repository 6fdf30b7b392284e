import type { ScheduleRunDocument } from '../../projections/schedule-runs.ts';
import type { ScheduleDocument } from '../../projections/schedules.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

export const scheduleSchema = z
  .strictObject({
    id: z.string(),
    companies: z.string(),
    accountId: z.string(),
    title: z.string().nullable(),
    cron: z.string().nullable(),
    everyMinutes: z.int().nullable(),
    timezone: z.string(),
    status: z.enum(['active', 'paused']),
    nextRunAt: instant
      .nullable()
      .openapi({ description: 'The next turn, put off after failures; null while it is paused.' }),
    lastRunAt: instant.nullable(),
    lastOutcome: z.enum(['succeeded', 'failed', 'skipped']).nullable(),
    consecutiveFailures: z.int().min(0),
    pausedReason: z
      .enum(['FAILED_TOO_OFTEN', 'CONNECTION_ARCHIVED'])
      .nullable()
      .openapi({ description: 'Why it paused itself; null when it is active or a person paused it.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .openapi('Schedule');

export function scheduleResource(schedule: ScheduleDocument): z.input<typeof scheduleSchema> {
  const { id, companyId, accountId, title, timing, status, dueAt, lastRunAt, lastOutcome } = schedule;
  const { consecutiveFailures, pausedReason, createdAt, updatedAt } = schedule;
  const { cron, everyMinutes, timezone } = timing;
  return {
    id,
    companies: companyId,
    accountId,
    title,
    cron,
    everyMinutes,
    timezone,
    status,
    nextRunAt: dueAt,
    lastRunAt,
    lastOutcome,
    consecutiveFailures,
    pausedReason,
    createdAt,
    updatedAt,
  };
}

export const scheduleRunSchema = z
  .strictObject({
    id: z.string(),
    scheduleId: z.string(),
    accountId: z.string(),
    trigger: z.enum(['schedule', 'manual']),
    status: z.enum(['queued', 'running', 'succeeded', 'failed', 'skipped']),
    dueAt: instant.nullable().openapi({ description: 'The turn; null for a run by hand.' }),
    missedTurns: z.int().min(0).openapi({
      description: 'Earlier turns that nobody took and that are done with this one; 1,000 at most are counted.',
    }),
    syncId: z.string().nullable(),
    reason: z.string().nullable().openapi({ description: 'Why it failed or was skipped: a code.' }),
    queuedAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
  })
  .openapi('ScheduleRun');

export function scheduleRunResource(run: ScheduleRunDocument): z.input<typeof scheduleRunSchema> {
  const { id, scheduleId, accountId, trigger, status, dueAt, missedTurns, syncId, reason } = run;
  const { queuedAt, startedAt, endedAt } = run;
  return {
    id,
    scheduleId,
    accountId,
    trigger,
    status,
    dueAt,
    missedTurns,
    syncId,
    reason,
    queuedAt,
    startedAt,
    endedAt,
  };
}
