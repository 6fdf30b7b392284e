import type { EventCodec, EventMetadata, RecordedEvent } from '../../src/events/event.ts';
import {
  type Append,
  type AppendResult,
  type EventLog,
  LOG_START,
  type LogBatch,
  LogUnavailable,
  type StreamRange,
  type SubscribeOptions,
} from '../../src/log/log.ts';
import { type PreparedAppend, prepareAppend, prepareAppends } from '../../src/log/prepared-append.ts';
import { type Clock, isoTime } from '../../src/shared/clock.ts';
import { faultlessLink, type Link } from './link.ts';

const MOST_EVENTS = 1_000;
const POSITION_LENGTH = 16;
const POSITION = /^\d{16}$/;

type StoredEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  readonly stream: string;
  readonly revision: number;
  readonly recordedAt: string;
  decoded?: { readonly by: EventCodec; readonly event: RecordedEvent };
};

/** The disk of a simulated log, which outlives the instances that open it. */
export type LogDisk = {
  /** In log order: the event at index n has position n + 1. */
  readonly events: StoredEvent[];
  /** Indexes of each stream's events. */
  readonly streams: Map<string, number[]>;
  /** Called after each append. */
  readonly followers: Set<() => void>;
};

export function newLogDisk(): LogDisk {
  return { events: [], streams: new Map(), followers: new Set() };
}

function positionText(count: number): string {
  return count === 0 ? LOG_START : String(count).padStart(POSITION_LENGTH, '0');
}

/** @throws RangeError for a text that is no position of a simulated log */
function countAt(position: string): number {
  if (position === LOG_START) return 0;
  if (!POSITION.test(position)) throw new RangeError(`not a position: ${position}`);
  return Number(position);
}

function appendTo(disk: LogDisk, { stream, expected, events }: PreparedAppend, recordedAt: string): AppendResult {
  const known = disk.streams.get(stream) ?? [];
  if (known.length - 1 !== expected) return repeated(disk, known, expected, events);
  disk.streams.set(stream, known);
  for (const event of events) {
    known.push(disk.events.length);
    disk.events.push({ ...event, stream, revision: known.length - 1, recordedAt });
  }
  for (const follow of disk.followers) follow();
  return { outcome: 'appended', revision: known.length - 1, position: positionText(disk.events.length) };
}

/** The same ids at the same revisions are an append that is repeated because its answer was lost. */
function repeated(
  disk: LogDisk,
  known: readonly number[],
  expected: number,
  events: PreparedAppend['events'],
): AppendResult {
  let last = 0;
  for (const [index, { id }] of events.entries()) {
    const at = known[expected + 1 + index];
    if (at === undefined || disk.events[at]?.id !== id) return { outcome: 'conflict' };
    last = at;
  }
  return { outcome: 'appended', revision: expected + events.length, position: positionText(last + 1) };
}

function recordedEvent(disk: LogDisk, index: number, codec: EventCodec): RecordedEvent {
  const stored = disk.events[index] as StoredEvent;
  if (stored.decoded?.by === codec) return stored.decoded.event;
  const data: unknown = JSON.parse(stored.data);
  const metadata = JSON.parse(stored.metadata) as EventMetadata;
  const upcast = codec.upcast(stored.type, metadata.schemaVersion, data);
  const lifted = upcast.schemaVersion !== metadata.schemaVersion;
  const { id, type, stream, revision, recordedAt } = stored;
  const event = {
    id,
    type,
    data: upcast.data,
    metadata: lifted ? { ...metadata, schemaVersion: upcast.schemaVersion } : metadata,
    stream,
    revision,
    position: positionText(index + 1),
    recordedAt,
    ...(lifted ? { asStored: { schemaVersion: metadata.schemaVersion, data } } : {}),
  };
  stored.decoded = { by: codec, event };
  return event;
}

/** Everything in the log. */
export function eventsOn(disk: LogDisk, codec: EventCodec): RecordedEvent[] {
  return disk.events.map((_, index) => recordedEvent(disk, index, codec));
}

export type SimulatedLogOptions = {
  readonly disk: LogDisk;
  readonly codec: EventCodec;
  /** The clock of the server. */
  readonly clock: Clock;
  readonly link?: Link;
  /** Whether it takes conditions of appends, as the embedded log does and EventStoreDB does not; true unless given. */
  readonly checksChanges?: boolean;
};

/** A log in memory that implements the port like the adapters of real ones. */
export function openSimulatedLog(options: SimulatedLogOptions): EventLog {
  const { disk, codec, clock, link = faultlessLink, checksChanges = true } = options;
  let closed = false;
  const waiting = new Set<() => void>();

  function assertOpen(): void {
    if (closed) throw new LogUnavailable('the log is closed');
  }

  const eventAt = (index: number): RecordedEvent => recordedEvent(disk, index, codec);

  function slice(from: number, most: number, wanted: (stream: string) => boolean): LogBatch {
    const events: RecordedEvent[] = [];
    let at = from;
    for (; at < disk.events.length && events.length < most; at += 1) {
      if (wanted((disk.events[at] as StoredEvent).stream)) events.push(eventAt(at));
    }
    const caughtUp = at >= disk.events.length;
    return { events, position: positionText(Math.min(at, disk.events.length)), caughtUp };
  }

  async function inStream(
    stream: string,
    { fromRevision = 0, limit = Number.MAX_SAFE_INTEGER }: StreamRange = {},
  ): Promise<RecordedEvent[]> {
    assertOpen();
    return link.read(`read ${stream}`, () =>
      (disk.streams.get(stream) ?? []).slice(fromRevision, fromRevision + limit).map(eventAt),
    );
  }

  const appendNow = (prepared: PreparedAppend): AppendResult => appendTo(disk, prepared, isoTime(clock.now()));

  const appendManyUnless: EventLog['appendManyUnless'] = async (appends, { category, tenantId, after }) => {
    const prepared = await prepareAppends(appends, codec);
    const from = countAt(after);
    const isChanged = streamTest({ categories: [category], tenantId });
    assertOpen();
    if (prepared.length === 0) return [];
    const appendUnless = (one: PreparedAppend): AppendResult => {
      const hasChanged = disk.events.slice(from).some(({ stream }) => isChanged(stream));
      return hasChanged ? repeated(disk, disk.streams.get(one.stream) ?? [], one.expected, one.events) : appendNow(one);
    };
    const some = prepared.slice(0, Math.ceil(prepared.length / 2));
    return link.write(
      `append ${prepared.length} streams`,
      () => prepared.map(appendUnless),
      () => some.map(appendUnless),
    );
  };

  return {
    async append(append: Append) {
      const prepared = prepareAppend(append, codec);
      assertOpen();
      return link.write(`append ${prepared.stream}`, () => appendNow(prepared));
    },
    async appendMany(appends) {
      const prepared = await prepareAppends(appends, codec);
      assertOpen();
      if (prepared.length === 0) return [];
      const some = prepared.slice(0, Math.ceil(prepared.length / 2));
      return link.write(
        `append ${prepared.length} streams`,
        () => prepared.map(appendNow),
        () => some.map(appendNow),
      );
    },
    readStream: inStream,
    readStreamPositions: inStream,
    ...(checksChanges ? { appendManyUnless } : {}),
    async readAll({ after, limit, categories }) {
      assertOpen();
      const from = countAt(after);
      return link.read('read all', () => slice(from, limit, streamTest({ categories })));
    },
    async *subscribe(options: SubscribeOptions) {
      const { signal, maxBatch = MOST_EVENTS } = options;
      const wanted = streamTest(options);
      let from = countAt(options.after);
      let announced = false;
      const wake = createWake();
      disk.followers.add(wake.notify);
      waiting.add(wake.notify);
      signal.addEventListener('abort', wake.notify);
      try {
        while (!signal.aborted && !closed) {
          const batch = await link.read('subscription', () => slice(from, maxBatch, wanted));
          const moved = countAt(batch.position) > from;
          if (moved || (batch.caughtUp && !announced)) {
            from = countAt(batch.position);
            announced ||= batch.caughtUp;
            yield batch;
            await link.rest();
          } else await wake.next();
        }
      } finally {
        disk.followers.delete(wake.notify);
        waiting.delete(wake.notify);
        signal.removeEventListener('abort', wake.notify);
      }
    },
    async head() {
      assertOpen();
      return link.read('head', () => positionText(disk.events.length));
    },
    async end() {
      assertOpen();
      return link.read('end', () => positionText(disk.events.length));
    },
    async remainder(after) {
      assertOpen();
      const from = countAt(after);
      return link.read('remainder', () => ({
        events: disk.events.length - from,
        isEstimate: false,
        oldestAt: from < disk.events.length ? eventAt(from).recordedAt : null,
      }));
    },
    async ping() {
      assertOpen();
      await link.read('ping', () => undefined);
    },
    async close() {
      closed = true;
      for (const notify of waiting) notify();
    },
  };
}

function streamTest({
  categories,
  tenantId,
}: Pick<SubscribeOptions, 'tenantId'> & { categories?: readonly string[] | undefined }) {
  const wanted = categories === undefined ? null : new Set(categories);
  const ofTenant = tenantId === undefined ? null : `-${tenantId}_`;
  return (stream: string): boolean =>
    (wanted === null || wanted.has(stream.slice(0, stream.indexOf('-')))) &&
    (ofTenant === null || stream.includes(ofTenant));
}

/** A notification between two waits is kept for the next one. */
function createWake() {
  let notified = false;
  let resolve = (): void => {};
  return {
    notify(): void {
      notified = true;
      resolve();
    },
    async next(): Promise<void> {
      if (!notified) {
        await new Promise<void>((done) => {
          resolve = done;
        });
      }
      notified = false;
    },
  };
}
