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
import { currentVersion, type EventType } from '../events/registry.ts';
import type { Append, EventLog } from '../log/log.ts';
import { streamParts } from '../log/stream-parts.ts';
import type { Clock } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import { openDoneBefore, type Repetition, repeatedIds } from './repetition.ts';
import { fold } from './stream-state.ts';

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
 * `appended` are the command's own events; where a repetition found them done already, others may have come after.
 * `position` is that of the last event appended, null when nothing had to be.
 */
type Done<State, Event> = {
  readonly appended: readonly Event[];
  readonly state: State;
  readonly position: string | null;
};

/** `events` is the whole stream after the command, what was there before included: answers are made from it. */
type Accepted<State, Event> = Done<State, Event> & { readonly events: readonly Event[] };

export type Refused = { readonly accepted: false } & Refusal;

export type Outcome<State, Event = RecordedEvent> = ({ readonly accepted: true } & Accepted<State, Event>) | Refused;

/** Of a command on a stream that may be too long to be in memory at once. */
export type LongOutcome<State, Event = StreamEvent> = ({ readonly accepted: true } & Done<State, Event>) | Refused;

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

export const RETRIES_ON_CONFLICT = 3;

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
 * Load, decide, append. On a conflict it loads what came and decides again, up to 3 times. The facts of one decision
 * are one append. The events' company is that of the stream's first event; for a new stream that of the context. What a
 * repeatable request has already done is not decided again but accepted as it is.
 * @throws ConcurrencyError, LogUnavailable, EventSchemaError
 */
export function execute<State, F extends Fact>(
  context: CommandContext,
  target: Target<State, F>,
): Promise<Outcome<State>> {
  return executeOnWhole(context, target, (stream, fromRevision) =>
    context.log.readStreamPositions(stream, { fromRevision }),
  );
}

/** The same for background work, which does not need the positions of the events that were there before. */
export function executeInBackground<State, F extends Fact>(
  context: CommandContext,
  target: Target<State, F>,
): Promise<Outcome<State, StreamEvent>> {
  return executeOnWhole(context, target, (stream, fromRevision) => context.log.readStream(stream, { fromRevision }));
}

/**
 * The same on a stream of any length, of which a part is in memory at a time. Its facts carry no unknown fields over
 * from the stream itself, only from `contentFrom`.
 */
export function executeOnLong<State, F extends Fact>(
  context: CommandContext,
  target: Target<State, F>,
): Promise<LongOutcome<State>> {
  const { log } = context;
  const read = (stream: string, from: number) => streamParts((range) => log.readStream(stream, range), from);
  return executeOn(context, target, read, []);
}

async function executeOnWhole<State, F extends Fact, Event extends StreamEvent>(
  context: CommandContext,
  target: Target<State, F>,
  read: (stream: string, fromRevision: number) => Promise<Event[]>,
): Promise<Outcome<State, Event | RecordedEvent>> {
  const before: Event[] = [];
  async function* whole(stream: string, fromRevision: number): AsyncIterable<Event[]> {
    const events = await read(stream, fromRevision);
    for (const event of events) before.push(event);
    yield events;
  }
  const outcome = await executeOn(context, target, whole, before);
  if (!outcome.accepted) return outcome;
  const isNew = outcome.appended[0]?.revision === before.length;
  return { ...outcome, events: isNew ? [...before, ...outcome.appended] : before };
}

/** @param before what `read` has given, where it is kept */
async function executeOn<State, F extends Fact, Event extends StreamEvent>(
  context: CommandContext,
  target: Target<State, F>,
  read: (stream: string, fromRevision: number) => AsyncIterable<readonly Event[]>,
  before: readonly StreamEvent[],
): Promise<LongOutcome<State, Event | RecordedEvent>> {
  const { repetition } = context;
  const { stream, decider } = target;
  const idOf = target.eventId ?? (repetition === undefined ? undefined : repeatedIds(repetition, stream));
  const done = repetition === undefined || idOf === undefined ? undefined : openDoneBefore<Event>(idOf);
  let { companyId } = context;
  let state = decider.initialState;
  let revision = -1;
  for (let attempt = 0; attempt <= RETRIES_ON_CONFLICT; attempt += 1) {
    for await (const events of read(stream, revision + 1)) {
      const [first] = events;
      if (revision < 0 && first !== undefined) companyId = first.metadata.companyId;
      state = fold({ ...decider, initialState: state }, events);
      revision += events.length;
      done?.take(events);
    }
    if (context.companyId !== null && companyId !== context.companyId) {
      return { accepted: false, refused: target.notFound };
    }
    const repeated = done?.events() ?? [];
    if (repeated.length > 0) {
      return { accepted: true, appended: repeated, state, position: await lastPosition(context.log, repeated) };
    }
    const decision = target.decide(state);
    if (isRefusal(decision)) return { accepted: false, ...decision };
    if (decision.length === 0) return { accepted: true, appended: [], state, position: null };
    const events = decision.map(
      (fact, index): NewEvent => ({
        id: idOf?.(index) ?? context.newId(),
        type: fact.type,
        data: fact.data,
        metadata: metadataFor(context, fact.type as EventType, companyId),
      }),
    );
    const append: Append = { stream, expected: revision < 0 ? 'no-stream' : revision, events };
    const appended = await appendCarrying(context.log, append, [...before, ...(target.contentFrom ?? [])]);
    if (appended.outcome === 'appended') {
      const recordedAt = new Date(context.clock.now()).toISOString();
      const { position } = appended;
      const recorded = events.map((event, index) => ({
        ...event,
        stream,
        revision: revision + 1 + index,
        position,
        recordedAt,
      }));
      return { accepted: true, appended: recorded, state: decision.reduce(decider.evolve, state), position };
    }
  }
  throw new ConcurrencyError(stream);
}

async function lastPosition(log: EventLog, events: readonly StreamEvent[]): Promise<string | null> {
  const last = events.at(-1);
  if (last === undefined) return null;
  const [placed] = await log.readStreamPositions(last.stream, { fromRevision: last.revision, limit: 1 });
  return placed?.position ?? null;
}
