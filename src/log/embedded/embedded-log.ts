import type { EventCodec, EventMetadata, RecordedEvent, StreamEvent } from '../../events/event.ts';
import { type Clock, isoTime, systemClock } from '../../shared/clock.ts';
import { yieldToOthers } from '../../shared/yield-to-others.ts';
import type {
  Append,
  AppendResult,
  ChangedSince,
  EventLog,
  LogBatch,
  Remainder,
  StreamRange,
  SubscribeOptions,
} from '../log.ts';
import { LOG_START, LogCorrupted, LogUnavailable } from '../log.ts';
import { type PreparedAppend, prepareAppend, prepareAppends } from '../prepared-append.ts';
import { createWakeSignal } from '../wake-signal.ts';
import {
  chainDigest,
  checkChain,
  type Head,
  inLogTerms,
  type LogFile,
  type LogUse,
  openLogFile,
  type Row,
} from './file.ts';
import { createFreshRows } from './fresh-rows.ts';
import { type LogMemory, type LogSharing, openLogSharing } from './log-sharing.ts';
import { type NewestChanges, openNewestChanges } from './newest-changes.ts';
import { parsePosition, positionText } from './positions.ts';

/** Events of one commit and rows of one read: about 10 ms that block the event loop. */
const SLICE = 1_000;
/** Positions of which one read takes those of a tenant: as long as a read of SLICE rows. */
const TENANT_SPAN = 5_000;

export type EmbeddedLogOptions = {
  /** Path of the SQLite file, created when missing; `:memory:` for a log that lasts as long as the process. */
  readonly file: string;
  readonly codec: EventCodec;
  readonly clock?: Clock;
  /** For a file that several threads of this process have open: their memory, and whether this is the first of them. */
  readonly shared?: { readonly memory: LogMemory; readonly first: boolean };
};

export type EmbeddedLog = EventLog & {
  readonly appendManyUnless: NonNullable<EventLog['appendManyUnless']>;
  /**
   * Walks the whole log in slices, checking every digest and that each event is found through its stream; appends can
   * continue meanwhile.
   * @throws LogCorrupted naming the first position that is missing or was altered
   */
  verify(): Promise<{ events: number }>;
};

type Job = {
  readonly appends: readonly PreparedAppend[];
  readonly unless?: { readonly owner: string; readonly after: number };
  readonly results: AppendResult[];
  readonly resolve: (results: AppendResult[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A log in one SQLite file, for one process at a time, whose threads may share it (ADR 0043). Every answered append has
 * been synced to the disk.
 * @throws LogUnavailable when another process has the file open, LogCorrupted when its end is torn or altered
 */
export function openEmbeddedLog(options: EmbeddedLogOptions): EmbeddedLog {
  return new SqliteLog(options);
}

class SqliteLog implements EmbeddedLog {
  readonly #codec: EventCodec;
  readonly #clock: Clock;
  readonly #file: LogFile;
  #head: Head;
  readonly #changes: NewestChanges;
  readonly #fresh = createFreshRows();
  #queue: Job[] = [];
  #flushing = false;
  #closed = false;
  #closing: Promise<void> | undefined;
  readonly #sleepers = new Set<() => void>();
  readonly #sharing: LogSharing | undefined;
  readonly #endWatch: () => Promise<void> = async () => {};

  constructor({ file, codec, clock = systemClock, shared }: EmbeddedLogOptions) {
    this.#codec = codec;
    this.#clock = clock;
    this.#file = openLogFile(file, useOf(shared));
    this.#head = this.#file.head;
    const { newestOf } = this.#file.statements;
    this.#changes = openNewestChanges(
      this.#head.position,
      (from, to) => newestOf.all(from, to) as { owner: string; position: number }[],
    );
    if (shared === undefined) return;
    this.#sharing = openLogSharing(shared.memory);
    if (shared.first) this.#sharing.moveEnd(this.#head.position);
    this.#endWatch = this.#sharing.onMoved(() => this.#wakeAll());
  }

  /** The number of the last committed event, whichever thread appended it. */
  get #end(): number {
    return this.#sharing?.end() ?? this.#head.position;
  }

  #wakeAll(): void {
    for (const wake of this.#sleepers) wake();
  }

  async append(append: Append): Promise<AppendResult> {
    const [result] = await this.#enqueue([prepareAppend(append, this.#codec)]);
    if (result === undefined) throw new LogUnavailable('the append was not answered');
    return result;
  }

  async appendMany(appends: readonly Append[]): Promise<AppendResult[]> {
    const prepared = await prepareAppends(appends, this.#codec);
    return prepared.length === 0 ? [] : this.#enqueue(prepared);
  }

  async appendManyUnless(appends: readonly Append[], changed: ChangedSince): Promise<AppendResult[]> {
    const unless = { owner: `${changed.category}-${changed.tenantId}`, after: parsePosition(changed.after) };
    const prepared = await prepareAppends(appends, this.#codec);
    return prepared.length === 0 ? [] : this.#enqueue(prepared, { unless });
  }

  #enqueue(appends: readonly PreparedAppend[], condition: Pick<Job, 'unless'> = {}): Promise<AppendResult[]> {
    this.#assertOpen();
    return new Promise((resolve, reject) => {
      this.#queue.push({ appends, results: [], resolve, reject, ...condition });
      if (this.#flushing) return;
      this.#flushing = true;
      // Later in the same iteration of the event loop, so that all its appends share one sync of the disk.
      setImmediate(() => this.#flushInTurn());
    });
  }

  #flushInTurn(): void {
    const turn = this.#sharing?.turn;
    if (turn === undefined) this.#flush();
    else if (turn.tryEnter()) this.#flushAndLeave();
    else void turn.enter().then(() => this.#flushAndLeave());
  }

  #flushAndLeave(): void {
    try {
      this.#flush();
    } finally {
      this.#sharing?.turn.leave();
    }
  }

  /** One commit: as many waiting appends as fit a slice. */
  #flush(): void {
    const { begin, commit, rollback, moveHead, head } = this.#file.statements;
    const before = this.#head;
    let start = before;
    const done: Job[] = [];
    try {
      begin.run();
      // Another thread has appended since.
      if (this.#end !== before.position) start = head.get() as unknown as Head;
      this.#head = start;
      const recordedAt = this.#clock.now();
      let room = SLICE;
      for (const job of this.#queue) {
        while (room > 0 && job.results.length < job.appends.length) {
          const append = job.appends[job.results.length] as PreparedAppend;
          const { unless } = job;
          const holds = unless === undefined || this.#changes.isUnchanged(unless.owner, unless.after, start.position);
          job.results.push(holds ? this.#decide(append, recordedAt) : this.#repeated(append));
          room -= append.events.length;
        }
        if (job.results.length < job.appends.length) break;
        done.push(job);
      }
      if (this.#head !== start) moveHead.run(this.#head.position, this.#head.digest);
      commit.run();
    } catch (error) {
      this.#head = before;
      const failed = this.#queue;
      this.#queue = [];
      this.#flushing = false;
      for (const job of failed) job.reject(inLogTerms(error));
      if (this.#file.db.isTransaction) rollback.run();
      this.#file.packing.forget();
      this.#fresh.forget();
      return;
    }
    this.#queue = this.#queue.slice(done.length);
    for (const job of done) job.resolve(job.results);
    this.#changes.committed(start.position, this.#head.position);
    this.#fresh.committed();
    if (this.#head !== start) {
      this.#sharing?.moveEnd(this.#head.position);
      this.#wakeAll();
    }
    this.#flushAgain();
  }

  #flushAgain(): void {
    if (this.#queue.length > 0) setImmediate(() => this.#flushInTurn());
    else this.#flushing = false;
  }

  #decide(append: PreparedAppend, recordedAt: number): AppendResult {
    const { streamHead, insert, insertFirst } = this.#file.statements;
    const { stream, events, expected } = append;
    if (expected >= 0) {
      const current = (streamHead.get(stream) as { revision: number } | undefined)?.revision ?? -1;
      if (current !== expected) return this.#repeated(append);
    }
    let { position, digest } = this.#head;
    let revision = expected;
    const rows: Row[] = [];
    for (const { id, type, data, metadata } of events) {
      position += 1;
      revision += 1;
      const row = { position, stream, revision, id, type, recorded_at: recordedAt, metadata, data };
      digest = chainDigest(digest, row);
      rows.push({ ...row, digest });
      const stored = this.#file.packing.pack(type, metadata, data);
      // The unique index decides whether a stream is new: a query first would search the index twice.
      const statement = revision === 0 ? insertFirst : insert;
      const { changes } = statement.run(
        position,
        stream,
        revision,
        id,
        type,
        recordedAt,
        digest,
        stored.metadata,
        stored.data,
        stored.body,
      );
      if (changes === 0) return this.#repeated(append);
    }
    this.#head = { position, digest };
    this.#changes.note(stream, position);
    for (const row of rows) this.#fresh.note(row);
    return { outcome: 'appended', revision, position: positionText(position) };
  }

  /** The same ids at the same revision are an append repeated because its answer was lost. */
  #repeated({ stream, expected, events }: PreparedAppend): AppendResult {
    let position = 0;
    let revision = expected;
    for (const { id } of events) {
      revision += 1;
      const found = this.#file.statements.recordedAt.get(stream, revision) as
        | { id: string; position: number }
        | undefined;
      if (found?.id !== id) return { outcome: 'conflict' };
      position = found.position;
    }
    return { outcome: 'appended', revision, position: positionText(position) };
  }

  readStream(stream: string, options?: StreamRange): Promise<StreamEvent[]> {
    return this.readStreamPositions(stream, options);
  }

  async readStreamPositions(stream: string, options: StreamRange = {}): Promise<RecordedEvent[]> {
    const { fromRevision = 0, limit = Number.MAX_SAFE_INTEGER } = options;
    assertCount('fromRevision', fromRevision);
    assertCount('limit', limit);
    const events: RecordedEvent[] = [];
    while (events.length < limit) {
      this.#assertOpen();
      const size = Math.min(SLICE, limit - events.length);
      const rows = this.#events(() => this.#file.statements.readStream.all(stream, fromRevision + events.length, size));
      for (const row of rows) events.push(this.#recorded(row));
      if (rows.length < size) break;
      await yieldToOthers();
    }
    return events;
  }

  async readAll(options: { after: string; limit: number; categories?: readonly string[] }): Promise<LogBatch> {
    assertCount('limit', options.limit);
    const wanted = categoryTest(options.categories);
    const events: RecordedEvent[] = [];
    let from = parsePosition(options.after);
    while (true) {
      this.#assertOpen();
      const slice = this.#slice(from, Math.min(SLICE, options.limit - events.length), wanted);
      events.push(...slice.events);
      from = slice.to;
      const caughtUp = from >= this.#end;
      if (caughtUp || events.length >= options.limit) {
        return { events, position: from === 0 ? LOG_START : positionText(from), caughtUp };
      }
      await yieldToOthers();
    }
  }

  /** The wanted events among at most SLICE rows, never more than `room`; `to` is the last row examined. */
  #slice(from: number, room: number, wanted: CategoryTest): { events: RecordedEvent[]; to: number } {
    const events: RecordedEvent[] = [];
    let to = from;
    if (room <= 0 || from >= this.#end) return { events, to };
    const size = wanted === undefined ? Math.min(SLICE, room) : Math.min(SLICE, 8 * room);
    const fresh = this.#fresh.after(from, size);
    for (const row of fresh ?? this.#rawEvents(() => this.#file.statements.readAll.all(from, size))) {
      if (wanted === undefined || wanted(row.stream)) {
        if (events.length === room) break;
        events.push(this.#recorded(fresh === undefined ? this.#file.packing.unpacked(row) : row));
      }
      to = row.position;
    }
    return { events, to };
  }

  /** The same of one tenant: what others have is passed over in the database, and not decoded. */
  #sliceOfTenant(
    from: number,
    room: number,
    tenantId: string,
    wanted: CategoryTest,
  ): { events: RecordedEvent[]; to: number } {
    const until = Math.min(from + TENANT_SPAN, this.#end);
    const { readTenant } = this.#file.statements;
    const rows = this.#rawEvents(() => readTenant.all(from, until, `-${tenantId}_`, room));
    const events = rows
      .filter(({ stream }) => wanted?.(stream) ?? true)
      .map((row) => this.#recorded(this.#file.packing.unpacked(row)));
    return { events, to: rows.length < room ? Math.max(from, until) : (rows.at(-1)?.position ?? until) };
  }

  async *subscribe(options: SubscribeOptions): AsyncIterable<LogBatch> {
    const { signal, tenantId, maxBatch = SLICE } = options;
    assertCount('maxBatch', maxBatch - 1);
    const wanted = categoryTest(options.categories);
    const sliceFrom = (position: number, room: number) =>
      tenantId === undefined
        ? this.#slice(position, room, wanted)
        : this.#sliceOfTenant(position, room, tenantId, wanted);
    let from = parsePosition(options.after);
    let announced = false;
    const wake = createWakeSignal();
    this.#sleepers.add(wake.notify);
    signal.addEventListener('abort', wake.notify);
    try {
      while (!signal.aborted && !this.#closed) {
        const { events, to } = sliceFrom(from, Math.min(maxBatch, SLICE));
        const caughtUp = to >= this.#end;
        if (to > from || (caughtUp && !announced)) {
          from = to;
          announced ||= caughtUp;
          yield { events, position: from === 0 ? LOG_START : positionText(from), caughtUp };
          // A reader that never waits must not block the event loop.
          await yieldToOthers();
        } else await wake.wait();
      }
    } finally {
      this.#sleepers.delete(wake.notify);
      signal.removeEventListener('abort', wake.notify);
    }
  }

  async head(): Promise<string> {
    this.#assertOpen();
    const end = this.#end;
    return end === 0 ? LOG_START : positionText(end);
  }

  /** Nothing else writes to this file. */
  end(): Promise<string> {
    return this.head();
  }

  /** Positions have no gaps here, so that their difference is a count. */
  async remainder(after: string): Promise<Remainder> {
    this.#assertOpen();
    const from = parsePosition(after);
    const events = Math.max(0, this.#end - from);
    const [oldest] = events === 0 ? [] : this.#rawEvents(() => this.#file.statements.readAll.all(from, 1));
    return { events, isEstimate: false, oldestAt: oldest === undefined ? null : isoTime(oldest.recorded_at) };
  }

  async ping(): Promise<void> {
    this.#assertOpen();
    this.#rawEvents(() => this.#file.statements.readAll.all(this.#end - 1, 1));
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeOnce();
    return this.#closing;
  }

  async #closeOnce(): Promise<void> {
    this.#closed = true;
    while (this.#flushing) await yieldToOthers();
    const watchEnded = this.#endWatch();
    this.#wakeAll();
    this.#file.close();
    await watchEnded;
  }

  async verify(): Promise<{ events: number }> {
    this.#assertOpen();
    const { head, readAll, indexed } = this.#file.statements;
    const { packing } = this.#file;
    const goal = this.#rows<Head>(() => [head.get()])[0];
    let reached: Head = { position: 0, digest: '' };
    while (goal !== undefined && reached.position < goal.position) {
      this.#assertOpen();
      const size = Math.min(SLICE, goal.position - reached.position);
      const rows = this.#rawEvents(() => readAll.all(reached.position, size));
      reached = checkChain(reached, packing.eachUnpacked(rows));
      if (rows.length === 0) throw new LogCorrupted(`the event at position ${reached.position + 1} is missing`);
      for (const row of rows) {
        const found = this.#rows<{ position: number }>(() => indexed.all(row.stream, row.revision));
        if (found[0]?.position !== row.position) {
          throw new LogCorrupted(`the event at position ${row.position} is not found through its stream`);
        }
      }
      await yieldToOthers();
    }
    if (goal === undefined || reached.digest !== goal.digest) {
      throw new LogCorrupted(`the last event, at position ${reached.position}, was altered`);
    }
    return { events: reached.position };
  }

  #events(read: () => unknown[]): Row[] {
    return this.#rawEvents(read).map((row) => this.#file.packing.unpacked(row));
  }

  /** Rows as they are stored, to be unpacked where they are wanted. */
  #rawEvents(read: () => unknown[]): Row[] {
    return this.#rows<Row>(read);
  }

  #rows<T>(read: () => unknown[]): T[] {
    try {
      return read() as T[];
    } catch (error) {
      throw inLogTerms(error);
    }
  }

  #recorded(row: Row): RecordedEvent {
    let stored: { data: unknown; metadata: EventMetadata };
    try {
      stored = { data: JSON.parse(row.data), metadata: JSON.parse(row.metadata) };
    } catch {
      throw new LogCorrupted(`the event at position ${row.position} was altered: it is not JSON`);
    }
    const { schemaVersion, data } = this.#codec.upcast(row.type, stored.metadata.schemaVersion, stored.data);
    const { metadata } = stored;
    const lifted = metadata.schemaVersion !== schemaVersion;
    return {
      id: row.id,
      type: row.type,
      data,
      metadata: lifted ? { ...metadata, schemaVersion } : metadata,
      stream: row.stream,
      revision: row.revision,
      position: positionText(row.position),
      recordedAt: isoTime(row.recorded_at),
      ...(lifted ? { asStored: { schemaVersion: metadata.schemaVersion, data: stored.data } } : {}),
    };
  }

  #assertOpen(): void {
    if (this.#closed) throw new LogUnavailable('the log is closed');
  }
}

function useOf(shared: EmbeddedLogOptions['shared']): LogUse {
  if (shared === undefined) return 'alone';
  return shared.first ? 'first' : 'further';
}

type CategoryTest = ((stream: string) => boolean) | undefined;

function categoryTest(categories: readonly string[] | undefined): CategoryTest {
  if (categories === undefined) return undefined;
  const wanted = new Set(categories);
  return (stream) => wanted.has(stream.slice(0, stream.indexOf('-')));
}

function assertCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} is not valid: ${value}`);
}
