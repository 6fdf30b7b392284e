import type { EventCodec, RecordedEvent, StreamEvent } from '../../events/event.ts';
import type { Append, AppendResult, EventLog, LogBatch, Remainder, StreamRange, SubscribeOptions } from '../log.ts';
import { LogUnavailable } from '../log.ts';
import { prepareAppend, prepareAppends } from '../prepared-append.ts';
import { CATEGORIES } from '../streams.ts';
import { createWakeSignal } from '../wake-signal.ts';
import { AppendSender } from './append-call.ts';
import { Appender } from './appends.ts';
import { type Connection, connect } from './connection.ts';
import { createDensity } from './density.ts';
import { unavailable } from './failures.ts';
import { parsePosition } from './positions.ts';
import { type PlacedEvent, Reader, type StoredEvent } from './reading.ts';
import { recorded, streamEvent } from './recorded.ts';
import { supervise } from './subscription.ts';
import { DEFAULT_TIMEOUTS, persistently, type Timeouts } from './timeouts.ts';

export type EventStoreDbLogOptions = {
  /**
   * `esdb://…` or `esdb+discover://…`, credentials in it; read by the client, whose documentation names its settings.
   */
  readonly connectionString: string;
  readonly codec: EventCodec;
  readonly timeouts?: Partial<Timeouts>;
};

/** Events read to see what comes after a position: a count where that is all, else where the estimate begins. */
const REMAINDER_SAMPLE = 100;

/**
 * A log in EventStoreDB, 21.10 or later. It does not connect before the first call. @throws RangeError when the
 * connection string is invalid
 */
export function openEventStoreDbLog(options: EventStoreDbLogOptions): EventLog {
  return new EventStoreDbLog(options);
}

class EventStoreDbLog implements EventLog {
  readonly #codec: EventCodec;
  readonly #connection: Connection;
  readonly #timeouts: Timeouts;
  readonly #reader: Reader;
  readonly #appender: Appender;
  readonly #density = createDensity();
  readonly #closing = new AbortController();

  constructor({ connectionString, codec, timeouts }: EventStoreDbLogOptions) {
    this.#codec = codec;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...timeouts };
    this.#connection = connectTo(connectionString);
    this.#reader = new Reader(this.#connection, this.#timeouts.callMs);
    const sender = new AppendSender(this.#connection, this.#timeouts.callMs);
    this.#appender = new Appender(sender, this.#reader, this.#timeouts, () => this.#closed());
  }

  async append(append: Append): Promise<AppendResult> {
    this.#assertOpen();
    return this.#appender.append(prepareAppend(append, this.#codec));
  }

  async appendMany(appends: readonly Append[]): Promise<AppendResult[]> {
    this.#assertOpen();
    const prepared = await prepareAppends(appends, this.#codec);
    const settled = await Promise.allSettled(prepared.map((append) => this.#appender.append(append)));
    return settled.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  async readStream(stream: string, range?: StreamRange): Promise<StreamEvent[]> {
    const events = await this.#inStream(stream, range, async (found) => found);
    return events.map((event) => streamEvent(event, this.#codec));
  }

  async readStreamPositions(stream: string, range?: StreamRange): Promise<RecordedEvent[]> {
    const placed = await this.#inStream(stream, range, (found) =>
      Promise.all(found.map(async (event) => ({ event, position: await this.#appender.placeOf(event) }))),
    );
    return placed.map((event) => this.#recorded(event));
  }

  async readAll(options: { after: string; limit: number; categories?: readonly string[] }): Promise<LogBatch> {
    const { after, limit, categories = CATEGORIES } = options;
    assertCount('limit', limit);
    const wanted = categoryTest(categories);
    let at = parsePosition(after);
    let position = after;
    const events: RecordedEvent[] = [];
    this.#assertOpen();
    while (true) {
      const from = { text: position, at };
      const page = await this.#persistently('read of the log', () =>
        this.#reader.forwards(from.text, from.at, Math.max(1, limit - events.length)),
      );
      for (const placed of page.events) {
        if (wanted(placed.event.streamId)) {
          if (events.length >= limit) return { events, position, caughtUp: false };
          events.push(this.#recorded(placed));
        }
        position = placed.position;
        at = placed.event.position;
      }
      if (page.ended) return { events, position, caughtUp: true };
      if (events.length >= limit) return { events, position, caughtUp: false };
    }
  }

  async *subscribe(options: SubscribeOptions): AsyncIterable<LogBatch> {
    const { after, signal, categories = CATEGORIES, tenantId, maxBatch = 1_000 } = options;
    assertCount('maxBatch', maxBatch - 1);
    parsePosition(after);
    const stop = AbortSignal.any([signal, this.#closing.signal]);
    if (categories.length === 0) {
      // The server treats a filter without prefixes as no filter.
      if (!stop.aborted) yield { events: [], position: after, caughtUp: true };
      const wake = createWakeSignal();
      stop.addEventListener('abort', wake.notify);
      while (!stop.aborted) await wake.wait();
      return;
    }
    const batches = supervise({
      connection: this.#connection,
      reader: this.#reader,
      timeouts: this.#timeouts,
      after,
      prefixes: categories.map((category) => (tenantId === undefined ? `${category}-` : `${category}-${tenantId}_`)),
      ofTenant: tenantId !== undefined,
      maxBatch,
      recorded: (event) => this.#recorded(event),
      signal: stop,
    });
    let from = after;
    for await (const batch of batches) {
      if (categories === CATEGORIES && tenantId === undefined)
        this.#density.passed(from, batch.position, batch.events.length);
      from = batch.position;
      yield batch;
    }
  }

  async head(): Promise<string> {
    this.#assertOpen();
    const last = await this.#persistently('read of the head', () =>
      this.#reader.lastBefore(undefined, categoryTest(CATEGORIES), Number.POSITIVE_INFINITY),
    );
    return last.position;
  }

  async end(): Promise<string> {
    this.#assertOpen();
    return this.#persistently('read of the end', () => this.#reader.end());
  }

  async remainder(after: string): Promise<Remainder> {
    this.#assertOpen();
    return this.#persistently('read of what is left', async () => {
      const page = await this.#reader.forwards(after, parsePosition(after), REMAINDER_SAMPLE);
      const isOurs = categoryTest(CATEGORIES);
      const ours = page.events.filter(({ event }) => isOurs(event.streamId));
      const last = page.events.at(-1);
      const oldestAt = (ours[0] ?? (page.ended ? undefined : page.events[0]))?.event.created.toISOString() ?? null;
      if (page.ended || last === undefined) return { events: ours.length, isEstimate: false, oldestAt };
      const beyond = this.#density.events(last.position, await this.#reader.end(), {
        from: after,
        to: last.position,
        events: ours.length,
      });
      return { events: ours.length + beyond, isEstimate: true, oldestAt };
    });
  }

  async ping(): Promise<void> {
    this.#assertOpen();
    try {
      await this.#reader.end();
    } catch (error) {
      throw unavailable('ping', error);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#connection.release();
  }

  /** What `complete` makes of the events in the range, again and again until the server has answered all of it. */
  async #inStream<T>(
    stream: string,
    { fromRevision = 0, limit = Number.MAX_SAFE_INTEGER }: StreamRange = {},
    complete: (events: readonly StoredEvent[]) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    assertCount('fromRevision', fromRevision);
    assertCount('limit', limit);
    this.#assertOpen();
    if (limit === 0) return [];
    return this.#persistently('read of a stream', async () =>
      complete(await this.#reader.stream(stream, fromRevision, limit)),
    );
  }

  #recorded({ event, position }: PlacedEvent): RecordedEvent {
    return recorded(event, position, this.#codec);
  }

  #persistently<T>(what: string, call: () => Promise<T>): Promise<T> {
    return persistently(what, this.#timeouts, () => this.#closed(), call);
  }

  #closed(): LogUnavailable | undefined {
    return this.#closing.signal.aborted ? new LogUnavailable('the log is closed') : undefined;
  }

  #assertOpen(): void {
    const closed = this.#closed();
    if (closed !== undefined) throw closed;
  }
}

function connectTo(connectionString: string): Connection {
  try {
    return connect(connectionString);
  } catch (cause) {
    // Without the client's own message, which quotes the credentials.
    throw new RangeError('the EventStoreDB connection string cannot be read', { cause: nameOf(cause) });
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}

function categoryTest(categories: readonly string[]): (stream: string) => boolean {
  const wanted = new Set<string>(categories.filter((category) => CATEGORIES.some((known) => known === category)));
  return (stream) => wanted.has(stream.slice(0, Math.max(0, stream.indexOf('-'))));
}

function assertCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} is not valid: ${value}`);
}
