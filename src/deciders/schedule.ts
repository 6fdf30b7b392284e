import type { EventData, FactOf } from '../events/registry.ts';
import type { scheduleEvents, scheduleRunEvents } from '../events/schedule.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

export type ScheduleFact = FactOf<typeof scheduleEvents>;
export type ScheduleRunFact = FactOf<typeof scheduleRunEvents>;

type Created = EventData<'ScheduleCreated'>;
export type ScheduleSettings = Pick<Created, 'title' | 'timing'>;

export type ScheduleState = {
  readonly created: Created | null;
  readonly settings: ScheduleSettings | null;
  readonly status: 'active' | 'paused';
  readonly pausedReason: EventData<'SchedulePaused'>['reason'];
  readonly deleted: boolean;
};

const initialState: ScheduleState = {
  created: null,
  settings: null,
  status: 'paused',
  pausedReason: null,
  deleted: false,
};

function evolve(state: ScheduleState, fact: ScheduleFact): ScheduleState {
  switch (fact.type) {
    case 'ScheduleCreated': {
      const { scheduleId, accountId, nextRunAt, createdAt, status, ...settings } = fact.data;
      return { ...state, created: fact.data, settings, status };
    }
    case 'ScheduleChanged': {
      const { nextRunAt, changedAt, ...settings } = fact.data;
      return { ...state, settings };
    }
    case 'SchedulePaused':
      return { ...state, status: 'paused', pausedReason: fact.data.reason };
    case 'ScheduleResumed':
      return { ...state, status: 'active', pausedReason: null };
    case 'ScheduleDeleted':
      return { ...state, deleted: true };
  }
}

export const schedule: Decider<ScheduleState, ScheduleFact> = { initialState, evolve };

export type ScheduleOutcome = readonly ScheduleFact[] | Refusal;

const NOT_FOUND: Refusal = { refused: 'SCHEDULE_NOT_FOUND' };

function exists(state: ScheduleState): boolean {
  return state.created !== null && !state.deleted;
}

export function decideCreateSchedule(state: ScheduleState, created: Created): ScheduleOutcome {
  return state.created === null ? [{ type: 'ScheduleCreated', data: created }] : [];
}

/** The same settings again are no change. */
export function decideChangeSchedule(
  state: ScheduleState,
  change: { settings: ScheduleSettings; nextRunAt: string | null; changedAt: string },
): ScheduleOutcome {
  if (!exists(state)) return NOT_FOUND;
  const { settings, ...rest } = change;
  if (JSON.stringify(settings) === JSON.stringify(state.settings)) return [];
  return [{ type: 'ScheduleChanged', data: { ...settings, ...rest } }];
}

export function decidePauseSchedule(
  state: ScheduleState,
  pause: { reason: EventData<'SchedulePaused'>['reason']; pausedAt: string },
): ScheduleOutcome {
  if (!exists(state)) return NOT_FOUND;
  return state.status === 'paused' ? [] : [{ type: 'SchedulePaused', data: pause }];
}

/** `onlyAfter`: nothing unless it was paused for this reason. */
export function decideResumeSchedule(
  state: ScheduleState,
  resume: { nextRunAt: string | null; resumedAt: string },
  onlyAfter?: EventData<'SchedulePaused'>['reason'],
): ScheduleOutcome {
  if (!exists(state)) return NOT_FOUND;
  if (state.status === 'active') return [];
  return onlyAfter !== undefined && state.pausedReason !== onlyAfter ? [] : [{ type: 'ScheduleResumed', data: resume }];
}

export function decideDeleteSchedule(state: ScheduleState, deletedAt: string): ScheduleOutcome {
  return exists(state) ? [{ type: 'ScheduleDeleted', data: { deletedAt } }] : NOT_FOUND;
}

export type ScheduleRunState = {
  readonly queued: EventData<'ScheduleRunQueued'> | null;
  readonly syncId: string | null;
  readonly ended: boolean;
};

export const scheduleRun: Decider<ScheduleRunState, ScheduleRunFact> = {
  initialState: { queued: null, syncId: null, ended: false },
  evolve(state, fact) {
    switch (fact.type) {
      case 'ScheduleRunQueued':
        return { ...state, queued: fact.data };
      case 'ScheduleRunStarted':
        return { ...state, syncId: fact.data.syncId };
      case 'ScheduleRunEnded':
        return { ...state, ended: true };
    }
  },
};

export type ScheduleRunOutcome = readonly ScheduleRunFact[] | Refusal;

/** A run that was already queued keeps its first requester. */
export function queueRun(state: ScheduleRunState, queued: EventData<'ScheduleRunQueued'>): ScheduleRunOutcome {
  return state.queued === null ? [{ type: 'ScheduleRunQueued', data: queued }] : [];
}

export function startRun(state: ScheduleRunState, started: EventData<'ScheduleRunStarted'>): ScheduleRunOutcome {
  return state.queued === null || state.syncId !== null || state.ended
    ? []
    : [{ type: 'ScheduleRunStarted', data: started }];
}

export function endRun(state: ScheduleRunState, ended: EventData<'ScheduleRunEnded'>): ScheduleRunOutcome {
  return state.queued === null || state.ended ? [] : [{ type: 'ScheduleRunEnded', data: ended }];
}
