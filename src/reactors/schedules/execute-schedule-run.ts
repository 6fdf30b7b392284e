import type { CommandContext } from '../../commands/command.ts';
import { endOfSync } from '../../commands/continue-sync.ts';
import { openRepetition } from '../../commands/repetition.ts';
import { requestSync } from '../../commands/request-sync.ts';
import { loadScheduleRun, recordRunEnded, recordRunStarted } from '../../commands/schedule-runs.ts';
import { pauseSchedule } from '../../commands/schedules.ts';
import type { ScheduleRunDocument } from '../../projections/schedule-runs.ts';
import { schedules } from '../../projections/schedules.ts';
import { isoTime } from '../../shared/clock.ts';
import { documentId } from '../../shared/ids.ts';
import { type ReactorServices, workerContext } from '../reactor-services.ts';

/** After the first failure, doubled with each further one in a row. */
const FIRST_PAUSE_MS = 5 * 60_000;
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** A turn with one of these codes is skipped: they say nothing about whether the bank answers. */
const SKIPPED = new Set(['CONNECTION_DISABLED', 'CONNECTION_ARCHIVED', 'PROVIDER_QUOTA_EXHAUSTED']);

type Ending = {
  readonly outcome: 'succeeded' | 'failed' | 'skipped';
  readonly reason: string | null;
  readonly syncId: string | null;
  /** ISO time that the bank named; null when it named none. */
  readonly allowedAt?: string | null;
};

/**
 * The next step of a run: requests its sync, or ends with it; true when something was done. The request names the run,
 * so that a repetition after a crash finds the sync it started and starts no second one.
 */
export async function executeScheduleRun(services: ReactorServices, run: ScheduleRunDocument): Promise<boolean> {
  const { tenantId, companyId, id, scheduleId, accountId, trigger, queuedAt } = run;
  const context = workerContext(services, 'schedules', { tenantId, companyId, correlationId: id });
  // The read model may be behind: an ended run must not request a sync again.
  const { syncId, ended } = await loadScheduleRun(context, id);
  if (ended) return false;
  if (syncId !== null) {
    const ending = await endingOf(context, syncId);
    if (ending === null) return false;
    await end(services, context, run, ending);
    return true;
  }
  const repetition = openRepetition(id, Date.parse(queuedAt), true);
  const asked = await requestSync({ ...context, repetition }, accountId, {
    trigger,
    from: null,
    to: null,
    syncsPerDay: (bankCode) => services.providers.get(bankCode)?.description.limits.syncsPerDay ?? null,
  });
  if (!asked.accepted) {
    const outcome = SKIPPED.has(asked.refused) ? 'skipped' : 'failed';
    if (asked.refused === 'CONNECTION_ARCHIVED') await pauseSchedule(context, scheduleId, 'CONNECTION_ARCHIVED');
    await end(services, context, run, { outcome, reason: asked.refused, syncId: null });
  } else if (asked.started) {
    const startedAt = isoTime(services.clock.now());
    await recordRunStarted(context, id, { scheduleId, syncId: asked.syncId, startedAt });
  } else {
    await end(services, context, run, { outcome: 'skipped', reason: 'SYNC_IN_PROGRESS', syncId: asked.syncId });
  }
  return true;
}

/** How the sync ended; null while it has not. */
async function endingOf(context: CommandContext, syncId: string): Promise<Ending | null> {
  const { ended, failure } = await endOfSync(context, syncId);
  if (ended === null) return null;
  if (ended === 'completed') return { outcome: 'succeeded', reason: null, syncId };
  if (ended === 'cancelled') return { outcome: 'skipped', reason: 'SYNC_CANCELLED', syncId };
  const { code: reason, nextAllowedAt: allowedAt } = failure ?? { code: 'SYNC_FAILED', nextAllowedAt: null };
  return { outcome: 'failed', reason, syncId, allowedAt };
}

async function end(
  services: ReactorServices,
  context: CommandContext,
  run: ScheduleRunDocument,
  ending: Ending,
): Promise<void> {
  const { tenantId, id, scheduleId } = run;
  const { outcome, reason, syncId, allowedAt = null } = ending;
  const nowMs = services.clock.now();
  let notBefore: string | null = null;
  if (outcome === 'failed') {
    const schedule = await services.readModels.of(schedules).get(documentId(tenantId, scheduleId));
    const failures = schedule?.consecutiveFailures ?? 0;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    const rested = isoTime(nowMs + pauseMs);
    notBefore = allowedAt !== null && allowedAt > rested ? allowedAt : rested;
  }
  await recordRunEnded(context, id, { scheduleId, outcome, reason, syncId, notBefore, endedAt: isoTime(nowMs) });
}
