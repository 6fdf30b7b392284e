import { bankConnection } from '../deciders/bank-connection.ts';
import type { Refusal } from '../deciders/refusal.ts';
import {
  decideChangeSchedule,
  decideCreateSchedule,
  decideDeleteSchedule,
  decidePauseSchedule,
  decideResumeSchedule,
  type ScheduleOutcome,
  type ScheduleState,
  schedule,
} from '../deciders/schedule.ts';
import { isTooFrequent, nextTurn } from '../deciders/turns.ts';
import type { EventData } from '../events/registry.ts';
import type { ScheduleTiming } from '../events/schedule.ts';
import { lastEvent } from '../log/stream-parts.ts';
import { isStreamId, streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';
import { fold } from './stream-state.ts';

type Done = Promise<Outcome<ScheduleState>>;

/** What a person sets. Either a cron line or a number of minutes; a change may name the one or the other. */
export type ScheduleDraft = {
  readonly title?: string | null;
  readonly cron?: string;
  readonly everyMinutes?: number;
  readonly timezone?: string;
};

export function nextRunAt(timing: ScheduleTiming, afterMs: number): string | null {
  const next = nextTurn(timing, afterMs);
  return next === null ? null : isoTime(next);
}

function onSchedule(
  context: CommandContext,
  scheduleId: string,
  decide: (state: ScheduleState, nowMs: number) => ScheduleOutcome,
): Done {
  const nowMs = context.clock.now();
  return execute(context, {
    stream: streamName('schedule', context.tenantId, scheduleId),
    decider: schedule,
    notFound: 'SCHEDULE_NOT_FOUND',
    decide: (state) => decide(state, nowMs),
  });
}

const no = (refusal: Refusal) => ({ accepted: false, ...refusal }) as const;

const TOO_FREQUENT: Refusal = { refused: 'SCHEDULE_TOO_FREQUENT' };

export async function createSchedule(
  context: CommandContext,
  draft: ScheduleDraft & { readonly accountId: string; readonly status: 'active' | 'paused' },
): Done {
  const { accountId, status, title = null, cron = null, everyMinutes = null, timezone = 'UTC' } = draft;
  if (!isStreamId(accountId)) return no({ refused: 'CONNECTION_NOT_FOUND' });
  const events = await context.log.readStream(streamName('bankConnection', context.tenantId, accountId));
  const companyId = events[0]?.metadata.companyId ?? null;
  const connection = fold(bankConnection, events);
  if (connection.opened === null || (context.companyId !== null && companyId !== context.companyId)) {
    return no({ refused: 'CONNECTION_NOT_FOUND' });
  }
  if (connection.archived) return no({ refused: 'CONNECTION_ARCHIVED' });
  const nowMs = context.clock.now();
  const createdAt = isoTime(nowMs);
  const timing: ScheduleTiming = { cron, everyMinutes, timezone, anchorAt: createdAt };
  if (isTooFrequent(timing, nowMs)) return no(TOO_FREQUENT);
  const scheduleId = context.newId();
  const next = status === 'active' ? nextRunAt(timing, nowMs) : null;
  const created = { scheduleId, accountId, title, timing, status, nextRunAt: next, createdAt };
  return onSchedule({ ...context, companyId }, scheduleId, (state) => decideCreateSchedule(state, created));
}

/** When the timing changes, its minutes count from now. */
export function changeSchedule(context: CommandContext, scheduleId: string, draft: ScheduleDraft): Done {
  return onSchedule(context, scheduleId, (state, nowMs) => {
    if (state.settings === null || state.deleted) return { refused: 'SCHEDULE_NOT_FOUND' };
    const { title = state.settings.title } = draft;
    const timing = changedTiming(state.settings.timing, draft, isoTime(nowMs));
    if (isTooFrequent(timing, nowMs)) return TOO_FREQUENT;
    const next = state.status === 'active' ? nextRunAt(timing, nowMs) : null;
    return decideChangeSchedule(state, {
      settings: { ...state.settings, title, timing },
      nextRunAt: next,
      changedAt: isoTime(nowMs),
    });
  });
}

function changedTiming(before: ScheduleTiming, draft: ScheduleDraft, now: string): ScheduleTiming {
  const { timezone = before.timezone } = draft;
  const given = draft.cron !== undefined || draft.everyMinutes !== undefined;
  const cron = given ? (draft.cron ?? null) : before.cron;
  const everyMinutes = given ? (draft.everyMinutes ?? null) : before.everyMinutes;
  const same = cron === before.cron && everyMinutes === before.everyMinutes && timezone === before.timezone;
  return same ? before : { ...before, cron, everyMinutes, timezone, anchorAt: now };
}

export function pauseSchedule(
  context: CommandContext,
  scheduleId: string,
  reason: EventData<'SchedulePaused'>['reason'] = null,
): Done {
  return onSchedule(context, scheduleId, (state, nowMs) =>
    decidePauseSchedule(state, { reason, pausedAt: isoTime(nowMs) }),
  );
}

/** Turns that fell due meanwhile are skipped. `onlyAfter`: nothing happens unless it was paused for that reason. */
export function resumeSchedule(
  context: CommandContext,
  scheduleId: string,
  onlyAfter?: EventData<'SchedulePaused'>['reason'],
): Done {
  return onSchedule(context, scheduleId, (state, nowMs) => {
    const next = state.settings === null ? null : nextRunAt(state.settings.timing, nowMs);
    return decideResumeSchedule(state, { nextRunAt: next, resumedAt: isoTime(nowMs) }, onlyAfter);
  });
}

export function deleteSchedule(context: CommandContext, scheduleId: string): Done {
  return onSchedule(context, scheduleId, (state, nowMs) => decideDeleteSchedule(state, isoTime(nowMs)));
}

/** Position of the last change of the schedule itself, not of its runs; empty when there is no such schedule. */
export async function lastChangeOf({ log, tenantId }: CommandContext, scheduleId: string): Promise<string> {
  const stream = streamName('schedule', tenantId, scheduleId);
  const last = await lastEvent((range) => log.readStreamPositions(stream, range));
  return last?.position ?? '';
}
