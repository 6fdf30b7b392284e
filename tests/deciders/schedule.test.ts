import { describe, expect, it } from 'vitest';
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  endRun,
  pauseSchedule,
  queueRun,
  resumeSchedule,
  type ScheduleFact,
  type ScheduleRunFact,
  schedule,
  scheduleRun,
  startRun,
} from '../../src/deciders/schedule.ts';
import type { EventData } from '../../src/events/registry.ts';
import { AT } from '../support/facts.ts';
import { given as givenFacts } from './given.ts';

const given = (...facts: ScheduleFact[]) => givenFacts(schedule, facts);
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
const paused: ScheduleFact = { type: 'SchedulePaused', data: { reason: null, pausedAt: AT } };
const gaveUp: ScheduleFact = { type: 'SchedulePaused', data: { reason: 'FAILED_TOO_OFTEN', pausedAt: AT } };
const deleted: ScheduleFact = { type: 'ScheduleDeleted', data: { deletedAt: AT } };
const resume = { nextRunAt: AT, resumedAt: AT };
const resumed: ScheduleFact = { type: 'ScheduleResumed', data: resume };

describe('a schedule', () => {
  it('is created once', () => {
    expect(given()((state) => createSchedule(state, data))).toEqual([created]);
    expect(given(created)((state) => createSchedule(state, data))).toEqual([]);
  });

  it('changes when its settings do', () => {
    const change = (settings: { title: string | null; timing: typeof timing }) =>
      given(created)((state) => changeSchedule(state, { settings, nextRunAt: AT, changedAt: AT }));
    expect(change({ title: null, timing })).toEqual([]);
    expect(change({ title: 'New', timing })).toMatchObject([{ type: 'ScheduleChanged', data: { title: 'New' } }]);
  });

  it('is paused and resumed, each once', () => {
    const pause = { reason: null, pausedAt: AT };
    expect(given(created)((state) => pauseSchedule(state, pause))).toEqual([paused]);
    expect(given(created, gaveUp)((state) => pauseSchedule(state, pause))).toEqual([]);
    expect(given(created, paused)((state) => resumeSchedule(state, resume))).toEqual([resumed]);
    expect(given(created)((state) => resumeSchedule(state, resume))).toEqual([]);
  });

  it('that a person paused is not resumed by what resumes the ones that gave up', () => {
    const renewed = (...facts: ScheduleFact[]) =>
      given(...facts)((state) => resumeSchedule(state, resume, 'FAILED_TOO_OFTEN'));
    expect(renewed(created, paused)).toEqual([]);
    expect(renewed(created, gaveUp)).toEqual([resumed]);
  });

  it('is not there before it is created, nor once it is deleted', () => {
    const missing = { refused: 'SCHEDULE_NOT_FOUND' };
    for (const facts of [[], [created, deleted]]) {
      expect(given(...facts)((state) => pauseSchedule(state, { reason: null, pausedAt: AT }))).toEqual(missing);
      expect(given(...facts)((state) => resumeSchedule(state, resume))).toEqual(missing);
      expect(given(...facts)((state) => deleteSchedule(state, AT))).toEqual(missing);
    }
  });
});

describe('a run of a schedule', () => {
  const run = (...facts: ScheduleRunFact[]) => givenFacts(scheduleRun, facts);
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

  it('is the first one’s who queues it, starts once and ends once', () => {
    expect(run()((state) => queueRun(state, queue))).toEqual([queued]);
    expect(run(queued)((state) => queueRun(state, { ...queue, trigger: 'manual' }))).toEqual([]);
    expect(run(queued)((state) => startRun(state, start))).toEqual([{ type: 'ScheduleRunStarted', data: start }]);
    expect(run(queued, ended)((state) => startRun(state, start))).toEqual([]);
    expect(run(queued)((state) => endRun(state, end))).toEqual([ended]);
    expect(run(queued, ended)((state) => endRun(state, end))).toEqual([]);
  });
});
