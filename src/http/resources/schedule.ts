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
    nextRunAt: instant.nullable().openapi({ description: 'The next turn, delayed after failures; null while paused.' }),
    lastRunAt: instant.nullable(),
    lastOutcome: z.enum(['succeeded', 'failed', 'skipped']).nullable(),
    consecutiveFailures: z.int().min(0),
    pausedReason: z
      .enum(['FAILED_TOO_OFTEN', 'CONNECTION_ARCHIVED'])
      .nullable()
      .openapi({ description: 'Why the schedule paused itself; null if it is active or was paused by a person.' }),
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
    dueAt: instant.nullable().openapi({ description: 'When the turn was due; null for a run started by hand.' }),
    missedTurns: z.int().min(0).openapi({
      description: 'Earlier missed turns that this run covers; counted up to 1,000.',
    }),
    syncId: z.string().nullable(),
    reason: z.string().nullable().openapi({ description: 'Code of the reason why it failed or was skipped.' }),
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
