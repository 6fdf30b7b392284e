import { scheduleRunIdOf, takeTurn } from '../../commands/schedule-runs.ts';
import { lastChangeOf, nextRunAt, pauseSchedule, resumeSchedule } from '../../commands/schedules.ts';
import { dueTurn } from '../../deciders/turns.ts';
import { connections } from '../../projections/connections.ts';
import { type ScheduleRunDocument, scheduleRuns } from '../../projections/schedule-runs.ts';
import { type ScheduleDocument, schedules } from '../../projections/schedules.ts';
import { openWorkByTenant, type WorkByTenant } from '../../queries/work-by-tenant.ts';
import { leaseNames } from '../../readstore/lease-names.ts';
import { keysetOf } from '../../readstore/ordering.ts';
import { isoTime } from '../../shared/clock.ts';
import { documentId } from '../../shared/ids.ts';
import { withLease } from '../lease.ts';
import { type ReactorServices, workerContext } from '../reactor-services.ts';
import type { WorkPool } from '../work-pool.ts';
import { executeScheduleRun } from './execute-schedule-run.ts';

const LOOK_AT = 200;
const MOST_FAILURES = 10;

export type ScheduleWork = {
  readonly due: WorkByTenant<ScheduleDocument>;
  readonly open: WorkByTenant<ScheduleRunDocument>;
  /** Schedules that were paused after too many failures, a batch at a time. */
  readonly paused: () => Promise<readonly ScheduleDocument[]>;
};

export function openScheduleWork({ readModels, clock }: ReactorServices): ScheduleWork {
  const all = readModels.of(schedules);
  let after: readonly (string | number)[] | undefined;
  return {
    due: openWorkByTenant(readModels, ({ filter, limit }) =>
      all.find({
        filter: [
          ...filter,
          { field: 'dueAt', op: 'gt', value: '' },
          { field: 'dueAt', op: 'lte', value: isoTime(clock.now()) },
        ],
        sort: [{ field: 'dueAt', direction: 'asc' }],
        limit,
      }),
    ),
    open: openWorkByTenant(readModels, ({ filter, limit }) =>
      readModels.of(scheduleRuns).find({
        filter: [...filter, { field: 'open', op: 'eq', value: true }],
        sort: [{ field: 'queuedAt', direction: 'asc' }],
        limit,
      }),
    ),
    async paused() {
      const sort = [{ field: 'pausedAt', direction: 'asc' }] as const;
      const found = await all.find({
        filter: [
          { field: 'pausedReason', op: 'eq', value: 'FAILED_TOO_OFTEN' },
          { field: 'deleted', op: 'eq', value: false },
        ],
        sort,
        limit: LOOK_AT,
        ...(after === undefined ? {} : { after }),
      });
      // The next search continues after these schedules, so that many that stay paused do not hide others.
      after = found.length < LOOK_AT ? undefined : keysetOf(sort)(found.at(-1));
      return found;
    },
  };
}

/**
 * Starts the turns that are due, continues open runs, and resumes schedules that were paused after failures and whose
 * connection has new credentials since. Any number of instances may do so at once: the log accepts each turn from one
 * of them.
 */
export async function runSchedules(services: ReactorServices, work: ScheduleWork, pool: WorkPool): Promise<boolean> {
  for (const schedule of await work.due.look()) await takeDueTurn(services, schedule);
  for (const run of await work.open.look()) offer(services, pool, run);
  await resumeWithNewCredentials(services, await work.paused());
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
  const { tenantId, _id: key } = run;
  pool.offer({
    tenantId,
    key,
    work: (signal) => withLease(services, leaseNames.scheduleRun(key), signal, () => executeScheduleRun(services, run)),
  });
}

async function resumeWithNewCredentials(services: ReactorServices, paused: readonly ScheduleDocument[]): Promise<void> {
  for (const { tenantId, companyId, id, accountId, pausedAt } of paused) {
    const connection = await services.readModels.of(connections).get(documentId(tenantId, accountId));
    const renewedAt = connection?.credentials?.updatedAt ?? null;
    if (renewedAt === null || pausedAt === null || renewedAt <= pausedAt) continue;
    const context = workerContext(services, 'schedules', { tenantId, companyId, correlationId: id });
    await resumeSchedule(context, id, 'FAILED_TOO_OFTEN');
  }
}
