import type { Decider, Fact } from '../deciders/decider.ts';
import { isRefusal } from '../deciders/decider.ts';
import type { Refusal, RefusalCode } from '../deciders/refusal.ts';
import { carriedFields } from '../events/carried-fields.ts';
import {
  type Actor,
  type EventMetadata,
  EventSchemaError,
  type NewEvent,
  type RecordedEvent,
  type StreamEvent,
} from '../events/event.ts';
import { currentVersion, type EventType, isKnown } from '../events/registry.ts';
import type { Append, EventLog } from '../log/log.ts';
import type { Clock } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import { doneBefore, type Repetition, repeatedIds } from './repetition.ts';

/** Who acts on whose behalf, and what a command needs from outside. */
export type CommandContext = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly tenantId: string;
  /**
   * The company the request names; a resource of another company does not exist for it. Null for background work, which
   * sees all companies.
   */
  readonly companyId: string | null;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId?: string;
  /** Unset for a request without an idempotency key, and for background work. */
  readonly repetition?: Repetition;
};

/**
 * `events` is the whole stream after the command, what was there before included, so that the answer can be made from
 * state. `appended` are the command's own; where a repetition found them done already, others may have come after.
 * `position` is that of the last event appended, null when nothing had to be.
 */
export type Accepted<State, Event = RecordedEvent> = {
  readonly events: readonly Event[];
  readonly appended: readonly Event[];
  readonly state: State;
  readonly position: string | null;
};

export type Outcome<State, Event = RecordedEvent> =
  | ({ readonly accepted: true } & Accepted<State, Event>)
  | ({ readonly accepted: false } & Refusal);

type Target<State, F extends Fact> = {
  readonly stream: string;
  readonly decider: Decider<State, F>;
  readonly decide: (state: State) => readonly F[] | Refusal;
  /** The refusal when the stream exists but belongs to another company. */
  readonly notFound: RefusalCode;
  /** Makes a fact's event id; unset: a fresh one. A computed one makes a repeated command recognisable. */
  readonly eventId?: (index: number) => string;
  /** Events of another stream whose content the facts copy. */
  readonly contentFrom?: readonly StreamEvent[];
};

const RETRIES_ON_CONFLICT = 3;

/** The stream kept changing while the command ran, or changed once when the caller had named a version. */
export class ConcurrencyError extends Error {
  constructor(stream: string) {
    super(`${stream} kept changing under the command`);
    this.name = 'ConcurrencyError';
  }
}

export function metadataFor(context: CommandContext, type: EventType, companyId: string | null): EventMetadata {
  return {
    schemaVersion: currentVersion(type),
    tenantId: context.tenantId,
    companyId,
    actor: context.actor,
    correlationId: context.correlationId,
    causationId: context.causationId ?? null,
  };
}

export function fold<State, F extends Fact>(decider: Decider<State, F>, events: readonly StreamEvent[]): State {
  // An event type of a newer release is skipped: this release does not know what it changes, only everything else.
  return events
    .filter(isKnown)
    .reduce<State>((state, event) => decider.evolve(state, event as unknown as F), decider.initialState);
}

/**
 * Unknown fields that facts carry over from earlier events are accepted; anything else that the schema refuses is not.
 */
async function appendCarrying(
  log: EventLog,
  append: Append,
  earlier: readonly StreamEvent[],
): ReturnType<EventLog['append']> {
  try {
    return await log.append(append);
  } catch (error) {
    if (!(error instanceof EventSchemaError) || error.fields.length === 0) throw error;
    const { fields } = error;
    const events = append.events.map((event) => ({ ...event, carried: carriedFields(event, fields, earlier) }));
    return log.append({ ...append, events });
  }
}

/**
 * Load, decide, append. On a conflict it loads and decides again, up to 3 times. The facts of one decision are one
 * append. The events' company is that of the stream's first event; for a new stream that of the context. What a
 * repeatable request has already done is not decided again but accepted as it is.
 * @throws ConcurrencyError, LogUnavailable, EventSchemaError
 */
export function execute<State, F extends Fact>(
  context: CommandContext,
  target: Target<State, F>,
): Promise<Outcome<State>> {
  return executeOn(context, target, (stream) => context.log.readStreamPositions(stream));
}

/** The same for background work, which does not need the positions of the events that were there before. */
export function executeInBackground<State, F extends Fact>(
  context: CommandContext,
  target: Target<State, F>,
): Promise<Outcome<State, StreamEvent>> {
  return executeOn(context, target, (stream) => context.log.readStream(stream));
}

async function executeOn<State, F extends Fact, Event extends StreamEvent>(
  context: CommandContext,
  target: Target<State, F>,
  read: (stream: string) => Promise<Event[]>,
): Promise<Outcome<State, Event | RecordedEvent>> {
  const { repetition } = context;
  const idOf = target.eventId ?? (repetition === undefined ? undefined : repeatedIds(repetition, target.stream));
  for (let attempt = 0; attempt <= RETRIES_ON_CONFLICT; attempt += 1) {
    const before = await read(target.stream);
    const companyId = before[0] === undefined ? context.companyId : before[0].metadata.companyId;
    if (context.companyId !== null && companyId !== context.companyId) {
      return { accepted: false, refused: target.notFound };
    }
    const state = fold(target.decider, before);
    const done = repetition === undefined || idOf === undefined ? [] : doneBefore(before, idOf);
    if (done.length > 0) {
      const position = await lastPosition(context.log, done);
      return { accepted: true, events: before, appended: done, state, position };
    }
    const decision = target.decide(state);
    if (isRefusal(decision)) return { accepted: false, ...decision };
    if (decision.length === 0) return { accepted: true, events: before, appended: [], state, position: null };
    const events = decision.map(
      (fact, index): NewEvent => ({
        id: idOf?.(index) ?? context.newId(),
        type: fact.type,
        data: fact.data,
        metadata: metadataFor(context, fact.type as EventType, companyId),
      }),
    );
    const expected = before.length === 0 ? 'no-stream' : before.length - 1;
    const append: Append = { stream: target.stream, expected, events };
    const appended = await appendCarrying(context.log, append, [...before, ...(target.contentFrom ?? [])]);
    if (appended.outcome === 'appended') {
      const recordedAt = new Date(context.clock.now()).toISOString();
      const recorded = events.map((event, index) => ({
        ...event,
        stream: target.stream,
        revision: before.length + index,
        position: appended.position,
        recordedAt,
      }));
      const after = decision.reduce<State>((current, fact) => target.decider.evolve(current, fact), state);
      const { position } = appended;
      return { accepted: true, events: [...before, ...recorded], appended: recorded, state: after, position };
    }
  }
  throw new ConcurrencyError(target.stream);
}

async function lastPosition(log: EventLog, events: readonly StreamEvent[]): Promise<string | null> {
  const last = events.at(-1);
  if (last === undefined) return null;
  const [placed] = await log.readStreamPositions(last.stream, { fromRevision: last.revision, limit: 1 });
  return placed?.position ?? null;
}
