import type { Refusal } from '../deciders/refusal.ts';
import {
  endRun,
  queueRun,
  type ScheduleRunOutcome,
  type ScheduleRunState,
  schedule,
  scheduleRun,
  startRun,
} from '../deciders/schedule.ts';
import type { EventData } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { computedId } from '../shared/ids.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';
import { lastOrdinal } from './ordinals.ts';
import { ordinalBegunBefore } from './repetition.ts';
import { fold } from './stream-state.ts';

type Done = Promise<Outcome<ScheduleRunState>>;

/**
 * The id of a schedule's nth run. Computed, so that two workers that see the same turn due meet in one stream and one
 * of them takes it.
 */
export function scheduleRunIdOf(scheduleId: string, ordinal: number): string {
  return computedId('schedule run', scheduleId, String(ordinal));
}

function onRun(context: CommandContext, runId: string, decide: (state: ScheduleRunState) => ScheduleRunOutcome): Done {
  return execute(context, {
    stream: streamName('scheduleRun', context.tenantId, runId),
    decider: scheduleRun,
    notFound: 'SCHEDULE_NOT_FOUND',
    decide,
  });
}

export type Turn = Pick<
  EventData<'ScheduleRunQueued'>,
  'scheduleId' | 'accountId' | 'ordinal' | 'dueAt' | 'missedTurns' | 'nextRunAt'
>;

/** Takes a turn as the schedule's nth run; a null position when somebody else has taken the nth. */
export function takeTurn(context: CommandContext, turn: Turn): Done {
  const runId = scheduleRunIdOf(turn.scheduleId, turn.ordinal);
  const queuedAt = isoTime(context.clock.now());
  return onRun(context, runId, (state) => queueRun(state, { ...turn, runId, trigger: 'schedule', queuedAt }));
}

/** A manual run, also of a paused schedule; it uses up no turn. */
export async function runByHand(context: CommandContext, scheduleId: string): Done {
  const events = await context.log.readStream(streamName('schedule', context.tenantId, scheduleId));
  const companyId = events[0]?.metadata.companyId ?? null;
  const { created, deleted } = fold(schedule, events);
  if (created === null || deleted || (context.companyId !== null && companyId !== context.companyId)) {
    const refusal: Refusal = { refused: 'SCHEDULE_NOT_FOUND' };
    return { accepted: false, ...refusal };
  }
  const inCompany = { ...context, companyId };
  const streamOf = (ordinal: number) =>
    streamName('scheduleRun', context.tenantId, scheduleRunIdOf(scheduleId, ordinal));
  for (;;) {
    const last = await lastOrdinal(context.log, streamOf);
    const begun = await ordinalBegunBefore(context, streamOf, last);
    if (begun !== null) return onRun(inCompany, scheduleRunIdOf(scheduleId, begun.ordinal), () => []);
    const ordinal = last + 1;
    const runId = scheduleRunIdOf(scheduleId, ordinal);
    const run = { runId, scheduleId, accountId: created.accountId, ordinal, trigger: 'manual' } as const;
    const by = { dueAt: null, missedTurns: 0, nextRunAt: null, queuedAt: isoTime(context.clock.now()) };
    const outcome = await onRun(inCompany, runId, (state) => queueRun(state, { ...run, ...by }));
    if (!outcome.accepted || outcome.position !== null) return outcome;
  }
}

/** The run as the log has it now. */
export async function loadScheduleRun(
  { log, tenantId }: Pick<CommandContext, 'log' | 'tenantId'>,
  runId: string,
): Promise<ScheduleRunState> {
  return fold(scheduleRun, await log.readStream(streamName('scheduleRun', tenantId, runId)));
}

export function recordRunStarted(context: CommandContext, runId: string, data: EventData<'ScheduleRunStarted'>): Done {
  return onRun(context, runId, (state) => startRun(state, data));
}

export function recordRunEnded(context: CommandContext, runId: string, data: EventData<'ScheduleRunEnded'>): Done {
  return onRun(context, runId, (state) => endRun(state, data));
}
