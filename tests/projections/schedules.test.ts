import { describe, it } from 'vitest';
import type { EventData } from '../../src/events/registry.ts';
import { scheduleRuns } from '../../src/projections/schedule-runs.ts';
import { schedules } from '../../src/projections/schedules.ts';
import { AT } from '../support/facts.ts';
import { given } from '../support/projection-specification.ts';
import { recordedEvent } from '../support/recorded-events.ts';

const [SECOND, THIRD] = ['2026-01-06T06:00:00.000Z', '2026-01-07T06:00:00.000Z'] as const;
const timing = { cron: '0 6 * * *', everyMinutes: null, timezone: 'UTC', anchorAt: AT };
const created = (changes: Partial<EventData<'ScheduleCreated'>> = {}) => ({
  type: 'ScheduleCreated',
  data: {
    ...{ scheduleId: 'schedule', accountId: 'connection', title: 'Daily', timing },
    ...{ status: 'active', nextRunAt: SECOND, createdAt: AT, ...changes },
  },
});
const paused = { type: 'SchedulePaused', data: { reason: 'FAILED_TOO_OFTEN', pausedAt: SECOND } };
const resumed = { type: 'ScheduleResumed', data: { nextRunAt: THIRD, resumedAt: SECOND } };
const queued = (changes: Partial<EventData<'ScheduleRunQueued'>> = {}) => ({
  type: 'ScheduleRunQueued',
  data: {
    ...{ runId: 'run', scheduleId: 'schedule', accountId: 'connection', ordinal: 1, trigger: 'schedule' },
    ...{ dueAt: SECOND, missedTurns: 2, nextRunAt: THIRD, queuedAt: SECOND, ...changes },
  },
});
const started = { type: 'ScheduleRunStarted', data: { scheduleId: 'schedule', syncId: 'sync', startedAt: SECOND } };
const ended = (changes: Partial<EventData<'ScheduleRunEnded'>> = {}) => ({
  type: 'ScheduleRunEnded',
  data: {
    ...{ scheduleId: 'schedule', outcome: 'succeeded', reason: null, syncId: 'sync' },
    ...{ notBefore: null, endedAt: SECOND, ...changes },
  },
});
type Fact = { readonly type: string; readonly data: unknown };
const schedule = (fact: Fact) => recordedEvent('schedule', 'schedule', fact);
const run = (fact: Fact) => recordedEvent('scheduleRun', 'run', fact);

describe('schedules', () => {
  it('a schedule is due at its next turn', () => {
    given(schedules, [schedule(created())]).then({
      ...{ id: 'schedule', accountId: 'connection', title: 'Daily', timing, status: 'active' },
      ...{ deleted: false, nextTurnAt: SECOND, dueAt: SECOND, lastOrdinal: 0, lastOutcome: null },
    });
  });

  it('a schedule that was created paused is never due', () => {
    given(schedules, [schedule(created({ status: 'paused', nextRunAt: null }))]).then({
      ...{ status: 'paused', pausedAt: AT, pausedReason: null, dueAt: null },
    });
  });

  it('a change replaces title, timing and next turn', () => {
    const changed = { title: 'Hourly', timing: { ...timing, cron: null, everyMinutes: 60 }, nextRunAt: THIRD };
    given(schedules, [
      schedule(created()),
      schedule({ type: 'ScheduleChanged', data: { ...changed, changedAt: SECOND } }),
    ]).then({ title: 'Hourly', timing: changed.timing, nextTurnAt: THIRD, dueAt: THIRD, updatedAt: SECOND });
  });

  it('a schedule that is paused is not due, and resuming it forgets its failures', () => {
    const failed = ended({ outcome: 'failed', notBefore: THIRD });
    given(schedules, [schedule(created()), run(queued()), run(failed), schedule(paused)])
      .then({ status: 'paused', pausedReason: 'FAILED_TOO_OFTEN', consecutiveFailures: 1, dueAt: null })
      .when([schedule(resumed)])
      .then({
        ...{ status: 'active', pausedReason: null, pausedAt: null, consecutiveFailures: 0 },
        ...{ notBefore: null, dueAt: THIRD },
      });
  });

  it('a schedule that is deleted stays, and is not due', () => {
    given(schedules, [schedule(created()), schedule({ type: 'ScheduleDeleted', data: { deletedAt: SECOND } })]).then({
      ...{ deleted: true, status: 'active', nextTurnAt: null, dueAt: null, updatedAt: SECOND },
    });
  });

  it('a turn leads to the next one, a manual run does not', () => {
    given(schedules, [schedule(created()), run(queued({ trigger: 'manual', nextRunAt: null }))])
      .then({ lastOrdinal: 1, lastRunAt: SECOND, nextTurnAt: SECOND })
      .when([recordedEvent('scheduleRun', 'run-2', queued({ runId: 'run-2', ordinal: 2 }))])
      .then({ lastOrdinal: 2, nextTurnAt: THIRD });
  });

  it('after a failure no turn starts before the time the failure names', () => {
    const later = '2026-01-08T06:00:00.000Z';
    given(schedules, [schedule(created()), run(queued()), run(ended({ outcome: 'failed', notBefore: later }))]).then({
      ...{ lastOutcome: 'failed', consecutiveFailures: 1, nextTurnAt: THIRD, notBefore: later, dueAt: later },
    });
  });

  it('a skipped run neither counts as a failure nor ends a series of failures', () => {
    const failed = ended({ outcome: 'failed', notBefore: THIRD });
    given(schedules, [schedule(created()), run(queued()), run(failed), run(ended({ outcome: 'skipped' }))])
      .then({ lastOutcome: 'skipped', consecutiveFailures: 1, notBefore: THIRD })
      .when([run(ended())])
      .then({ lastOutcome: 'succeeded', consecutiveFailures: 0, notBefore: null });
  });
});

describe('runs of schedules', () => {
  it('a run is open from the time it is queued until it ends, and names its sync', () => {
    given(scheduleRuns, [run(queued())])
      .then({
        ...{ id: 'run', scheduleId: 'schedule', accountId: 'connection', ordinal: 1, trigger: 'schedule' },
        ...{ status: 'queued', open: true, dueAt: SECOND, missedTurns: 2, syncId: null, startedAt: null },
      })
      .when([run(started)])
      .then({ status: 'running', open: true, syncId: 'sync', startedAt: SECOND })
      .when([run(ended({ endedAt: THIRD }))])
      .then({ status: 'succeeded', open: false, reason: null, endedAt: THIRD });
  });

  it('a run that was skipped has the reason, and no sync', () => {
    const skipped = ended({ outcome: 'skipped', reason: 'CONNECTION_DISABLED', syncId: null });
    given(scheduleRuns, [run(queued()), run(skipped)]).then({
      ...{ status: 'skipped', open: false, reason: 'CONNECTION_DISABLED', syncId: null },
    });
  });
});
