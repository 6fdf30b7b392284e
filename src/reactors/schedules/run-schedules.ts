import { scheduleRunIdOf, takeTurn } from '../../commands/schedule-runs.ts';
import { lastChangeOf, nextRunAt, pauseSchedule, resumeSchedule } from '../../commands/schedules.ts';
import { dueTurn } from '../../deciders/turns.ts';
import { connections } from '../../projections/connections.ts';
import { type ScheduleRunDocument, scheduleRuns } from '../../projections/schedule-runs.ts';
import { type ScheduleDocument, schedules } from '../../projections/schedules.ts';
import { leaseNames } from '../../readstore/lease-names.ts';
import { isoTime } from '../../shared/clock.ts';
import { documentId } from '../../shared/ids.ts';
import { withLease } from '../lease.ts';
import { type ReactorServices, workerContext } from '../reactor-services.ts';
import type { WorkPool } from '../work-pool.ts';
import { executeScheduleRun } from './execute-schedule-run.ts';

const LOOK_AT = 200;
const MOST_FAILURES = 10;

/**
 * Starts the turns that are due, continues open runs, and resumes schedules that were paused after failures and whose
 * connection has new credentials since. Any number of instances may do so at once: the log accepts each turn from one
 * of them.
 */
export async function runSchedules(services: ReactorServices, pool: WorkPool): Promise<boolean> {
  const now = isoTime(services.clock.now());
  const due = await services.readModels.of(schedules).find({
    filter: [
      { field: 'dueAt', op: 'gt', value: '' },
      { field: 'dueAt', op: 'lte', value: now },
    ],
    sort: [{ field: 'dueAt', direction: 'asc' }],
    limit: LOOK_AT,
  });
  for (const schedule of due) await takeDueTurn(services, schedule);
  const open = await services.readModels.of(scheduleRuns).find({
    filter: [{ field: 'open', op: 'eq', value: true }],
    sort: [{ field: 'queuedAt', direction: 'asc' }],
    limit: LOOK_AT,
  });
  for (const run of open) offer(services, pool, run);
  await resumeWithNewCredentials(services);
  return false;
}

async function takeDueTurn(services: ReactorServices, schedule: ScheduleDocument): Promise<void> {
  const { tenantId, companyId, id, accountId, timing, nextTurnAt, lastOrdinal, consecutiveFailures } = schedule;
  if (nextTurnAt === null) return;
  const ordinal = lastOrdinal + 1;
  const correlationId = scheduleRunIdOf(id, ordinal);
  const context = workerContext(services, 'schedules', { tenantId, companyId, correlationId });
  // A pause, change or resumption that the read model does not show yet decides what is due: the next run will see it.
  if ((await lastChangeOf(context, id)) > schedule._position) return;
  if (consecutiveFailures >= MOST_FAILURES) {
    await pauseSchedule(context, id, 'FAILED_TOO_OFTEN');
    return;
  }
  const nowMs = services.clock.now();
  const turn = dueTurn(timing, Date.parse(nextTurnAt), nowMs);
  if (turn === null) return;
  await takeTurn(context, {
    scheduleId: id,
    accountId,
    ordinal,
    dueAt: isoTime(turn.dueMs),
    missedTurns: turn.missed,
    nextRunAt: nextRunAt(timing, turn.dueMs),
  });
}

function offer(services: ReactorServices, pool: WorkPool, run: ScheduleRunDocument): void {
  pool.offer(run._id, (signal) =>
    withLease(services, leaseNames.scheduleRun(run._id), signal, () => executeScheduleRun(services, run)),
  );
}

async function resumeWithNewCredentials(services: ReactorServices): Promise<void> {
  const paused = await services.readModels.of(schedules).find({
    filter: [
      { field: 'pausedReason', op: 'eq', value: 'FAILED_TOO_OFTEN' },
      { field: 'deleted', op: 'eq', value: false },
    ],
    sort: [{ field: 'pausedAt', direction: 'asc' }],
    limit: LOOK_AT,
  });
  for (const { tenantId, companyId, id, accountId, pausedAt } of paused) {
    const connection = await services.readModels.of(connections).get(documentId(tenantId, accountId));
    const renewedAt = connection?.credentials?.updatedAt ?? null;
    if (renewedAt === null || pausedAt === null || renewedAt <= pausedAt) continue;
    const context = workerContext(services, 'schedules', { tenantId, companyId, correlationId: id });
    await resumeSchedule(context, id, 'FAILED_TOO_OFTEN');
  }
}
