import type { NewEvent, RecordedEvent, StreamEvent } from '../events/event.ts';
import type { Category } from './streams.ts';

/** Before every event of a log; every real position compares greater. */
export const LOG_START = '';

/** The revision the stream must have for the append to succeed; there is deliberately no "any" (ADR 0001). */
export type ExpectedRevision = 'no-stream' | number;

export type Append = {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
};

/**
 * `appended`: the events are in the log at `revision` (of the last one) and `position` (of the last one); also the
 * answer when the same events (same ids, same revisions) were already there, so that an append whose outcome was
 * unknown can be repeated. `conflict`: the stream was at another revision; nothing was written.
 */
export type AppendResult =
  | { readonly outcome: 'appended'; readonly revision: number; readonly position: string }
  | { readonly outcome: 'conflict' };

/** That the tenant's streams of one category have an event after the position (exclusive). */
export type ChangedSince = {
  readonly category: Category;
  readonly tenantId: string;
  readonly after: string;
};

/**
 * A run of events in log order. `position` is the watermark: every event of the filter at or before it has been
 * delivered.
 */
export type LogBatch = {
  readonly events: readonly RecordedEvent[];
  readonly position: string;
  /** True when the log had nothing further at the time the batch was cut. */
  readonly caughtUp: boolean;
};

/** `fromRevision` is inclusive, 0 unless given; without a `limit`, to the end of the stream. */
export type StreamRange = { readonly fromRevision?: number; readonly limit?: number };

export type SubscribeOptions = {
  /** Exclusive. */
  readonly after: string;
  /**
   * Only events of streams in these categories (the part of the stream name before the first `-`); unset: all of ours.
   */
  readonly categories?: readonly string[];
  /**
   * Events of other tenants are left out, and the watermark passes over them. For a tenant's own work, which must not
   * cost what others have stored.
   */
  readonly tenantId?: string;
  /** Upper bound of events in one batch; 1,000 unless given. */
  readonly maxBatch?: number;
  readonly signal: AbortSignal;
};

/** What of a log comes after a position. */
export type Remainder = {
  /** Our events after the position. */
  readonly events: number;
  /** True where `events` was not counted but computed from how densely the log holds our events. */
  readonly isEstimate: boolean;
  /** When the first of them was recorded; null when there is none. */
  readonly oldestAt: string | null;
};

/**
 * The event log. Two adapters, embedded (SQLite) and EventStoreDB, pass one contract suite. Every method may throw
 * LogUnavailable; an append that threw it may or may not be in the log: repeat the identical append.
 */
export interface EventLog {
  /**
   * Appends to one stream, all or nothing. An empty `events` is refused (RangeError).
   * @throws EventSchemaError, LogUnavailable, AppendTooLarge (over 1 MiB in one call)
   */
  append(append: Append): Promise<AppendResult>;
  /**
   * Appends to many streams, each with its own result, in the order given; fast because they share round trips or
   * commits, but not atomic together. No two appends of one call may name the same stream (RangeError).
   */
  appendMany(appends: readonly Append[]): Promise<AppendResult[]>;
  /**
   * The same, except that an append is a conflict as well where streams have changed: what is appended is right only as
   * long as they have not. The check is part of the append; an append that is repeated is recognised whatever has
   * changed. Where nothing has changed the answer may be a conflict too, if the log does not know. Unset for a log that
   * cannot check it together with the append.
   */
  readonly appendManyUnless?: (appends: readonly Append[], changed: ChangedSince) => Promise<AppendResult[]>;
  /** The events of a stream, oldest first; a stream that does not exist has none. */
  readStream(stream: string, options?: StreamRange): Promise<StreamEvent[]>;
  /** The same with their positions. An EventStoreDB before 22.6 has to be asked for each: only where they are used. */
  readStreamPositions(stream: string, options?: StreamRange): Promise<RecordedEvent[]>;
  /** Up to `limit` events after the position (exclusive) in log order, of our categories only. */
  readAll(options: { after: string; limit: number; categories?: readonly string[] }): Promise<LogBatch>;
  /**
   * Everything after the position, then new events as they are appended, until the signal aborts; it survives broken
   * links and server restarts without gap or repeat. A batch without events only advances the watermark.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<LogBatch>;
  /** The position of the last event of our categories, LOG_START for an empty log. */
  head(): Promise<string>;
  /**
   * The position of the last event of the whole log, also of other writers; LOG_START when there is none. No watermark
   * of this log is beyond it (ADR 0022).
   */
  end(): Promise<string>;
  /** How much comes after the position; it costs a small read, however much it is. */
  remainder(after: string): Promise<Remainder>;
  /** Resolves when the log answers a small read. @throws LogUnavailable */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export class LogUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LogUnavailable';
  }
}

export class AppendTooLarge extends Error {
  constructor(bytes: number) {
    super(`an append of ${bytes} bytes is over the limit of 1 MiB`);
    this.name = 'AppendTooLarge';
  }
}

/** The embedded log found that its file was torn or changed from outside. */
export class LogCorrupted extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LogCorrupted';
  }
}
