import { describe, it } from 'vitest';
import {
  decideChangeSchedule,
  decideCreateSchedule,
  decideDeleteSchedule,
  decidePauseSchedule,
  decideResumeSchedule,
  endRun,
  queueRun,
  type ScheduleFact,
  type ScheduleRunFact,
  schedule,
  scheduleRun,
  startRun,
} from '../../src/deciders/schedule.ts';
import type { EventData } from '../../src/events/registry.ts';
import { AT } from '../support/facts.ts';
import { specification } from './specification.ts';

const timing = { cron: '0 6 * * *', everyMinutes: null, timezone: 'UTC', anchorAt: AT };
const data: EventData<'ScheduleCreated'> = {
  scheduleId: 's',
  accountId: 'connection',
  title: null,
  timing,
  status: 'active',
  nextRunAt: AT,
  createdAt: AT,
};
const created: ScheduleFact = { type: 'ScheduleCreated', data };
const pause = { reason: null, pausedAt: AT };
const paused: ScheduleFact = { type: 'SchedulePaused', data: pause };
const gaveUp: ScheduleFact = { type: 'SchedulePaused', data: { reason: 'FAILED_TOO_OFTEN', pausedAt: AT } };
const deleted: ScheduleFact = { type: 'ScheduleDeleted', data: { deletedAt: AT } };
const resume = { nextRunAt: AT, resumedAt: AT };
const resumed: ScheduleFact = { type: 'ScheduleResumed', data: resume };

describe('schedule', () => {
  const given = specification(schedule);

  it('a schedule is created once', () => {
    given([])
      .when((state) => decideCreateSchedule(state, data))
      .then([created]);
    given([created])
      .when((state) => decideCreateSchedule(state, data))
      .thenNothing();
  });

  it('a schedule changes only when its settings do', () => {
    const times = { nextRunAt: AT, changedAt: AT };
    given([created])
      .when((state) => decideChangeSchedule(state, { settings: { title: null, timing }, ...times }))
      .thenNothing();
    given([created])
      .when((state) => decideChangeSchedule(state, { settings: { title: 'New', timing }, ...times }))
      .then([{ type: 'ScheduleChanged', data: { title: 'New', timing, ...times } }]);
  });

  it('an active schedule can be paused, and one that is paused stays so', () => {
    given([created])
      .when((state) => decidePauseSchedule(state, pause))
      .then([paused]);
    given([created, gaveUp])
      .when((state) => decidePauseSchedule(state, pause))
      .thenNothing();
  });

  it('a paused schedule can be resumed, and one that is active stays so', () => {
    given([created, paused])
      .when((state) => decideResumeSchedule(state, resume))
      .then([resumed]);
    given([created])
      .when((state) => decideResumeSchedule(state, resume))
      .thenNothing();
  });

  it('only a schedule that was paused for its failures is resumed automatically', () => {
    given([created, paused])
      .when((state) => decideResumeSchedule(state, resume, 'FAILED_TOO_OFTEN'))
      .thenNothing();
    given([created, gaveUp])
      .when((state) => decideResumeSchedule(state, resume, 'FAILED_TOO_OFTEN'))
      .then([resumed]);
  });

  it.each([
    ['was never created', []],
    ['is deleted', [created, deleted]],
  ] as const)('a schedule that %s cannot be paused, resumed or deleted', (_, facts) => {
    given(facts)
      .when((state) => decidePauseSchedule(state, pause))
      .thenRefused('SCHEDULE_NOT_FOUND');
    given(facts)
      .when((state) => decideResumeSchedule(state, resume))
      .thenRefused('SCHEDULE_NOT_FOUND');
    given(facts)
      .when((state) => decideDeleteSchedule(state, AT))
      .thenRefused('SCHEDULE_NOT_FOUND');
  });
});

describe('scheduled run', () => {
  const given = specification(scheduleRun);
  const queue: EventData<'ScheduleRunQueued'> = {
    runId: 'r',
    scheduleId: 's',
    accountId: 'connection',
    ordinal: 1,
    trigger: 'schedule',
    dueAt: AT,
    missedTurns: 0,
    nextRunAt: AT,
    queuedAt: AT,
  };
  const queued: ScheduleRunFact = { type: 'ScheduleRunQueued', data: queue };
  const start = { scheduleId: 's', syncId: 'y', startedAt: AT };
  const end: EventData<'ScheduleRunEnded'> = {
    scheduleId: 's',
    outcome: 'succeeded',
    reason: null,
    syncId: 'y',
    notBefore: null,
    endedAt: AT,
  };
  const ended: ScheduleRunFact = { type: 'ScheduleRunEnded', data: end };

  it('a run belongs to the first trigger that queues it', () => {
    given([])
      .when((run) => queueRun(run, queue))
      .then([queued])
      .when((run) => queueRun(run, { ...queue, trigger: 'manual' }))
      .thenNothing();
  });

  it('a run that is queued can start, one that has ended cannot', () => {
    given([queued])
      .when((run) => startRun(run, start))
      .then([{ type: 'ScheduleRunStarted', data: start }]);
    given([queued, ended])
      .when((run) => startRun(run, start))
      .thenNothing();
  });

  it('a run ends once', () => {
    given([queued])
      .when((run) => endRun(run, end))
      .then([ended])
      .when((run) => endRun(run, end))
      .thenNothing();
  });
});
