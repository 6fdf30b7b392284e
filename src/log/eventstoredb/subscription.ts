import type { RecordedEvent } from '../../events/event.ts';
import { backoffMs } from '../../shared/backoff.ts';
import { orAborted } from '../../shared/or-aborted.ts';
import { yieldToOthers } from '../../shared/yield-to-others.ts';
import { LOG_START, type LogBatch } from '../log.ts';
import { createWakeSignal, type WakeSignal } from '../wake-signal.ts';
import type { Connection } from './connection.ts';
import { isOwnFault } from './failures.ts';
import { type Feed, openFeed } from './feed.ts';
import { parsePosition } from './positions.ts';
import type { PlacedEvent, Reader } from './reading.ts';
import { backoffOf, type Timeouts } from './timeouts.ts';

/** Events searched for the last one wanted; in a log that ends in more foreign ones, silence means caught up. */
const PROBE_EVENTS = 5_000;
/** Events read at a time after the last position that the server reported. */
const TAIL_EVENTS = 500;
/** After how much silence a subscription counts as caught up when nothing else says so, in milliseconds. */
const QUIET_MS = 500;

export type Supervision = {
  readonly connection: Connection;
  readonly reader: Reader;
  readonly timeouts: Timeouts;
  readonly after: string;
  /** Of the names of the streams wanted. */
  readonly prefixes: readonly string[];
  /** Whether they are of one tenant, so that a large log may hold few of their events. */
  readonly ofTenant: boolean;
  readonly maxBatch: number;
  readonly recorded: (event: PlacedEvent) => RecordedEvent;
  /** Aborts when the subscriber stops or the log is closed. */
  readonly signal: AbortSignal;
};

/** A subscription over several feeds: whatever ends one, the next continues after the last event delivered. */
export async function* supervise(supervision: Supervision): AsyncGenerator<LogBatch> {
  const { timeouts, signal } = supervision;
  const wake = createWakeSignal();
  signal.addEventListener('abort', wake.notify);
  const run: Run = { ...supervision, wake, position: supervision.after, end: LOG_START, announced: false, failures: 0 };
  // Checked before the first request to the server, so that a position of another log is the caller's error, not the
  // server's.
  parsePosition(run.position);
  try {
    while (!signal.aborted) {
      try {
        yield* oneFeed(run);
      } catch (error) {
        if (!(error instanceof FeedEnded)) throw error;
      }
      if (signal.aborted) return;
      await sleep(run, backoffMs(run.failures + 1, backoffOf(timeouts)));
      run.failures += 1;
    }
  } finally {
    signal.removeEventListener('abort', wake.notify);
  }
}

type Run = Supervision & {
  readonly wake: WakeSignal;
  /** The watermark: everything at or before it has been delivered. */
  position: string;
  /** The log is known to reach this position. */
  end: string;
  /** True once the subscriber was notified that there was nothing further. */
  announced: boolean;
  /** Consecutive feeds that ended without delivering anything. */
  failures: number;
};

class FeedEnded extends Error {
  constructor(cause: unknown) {
    super('the subscription was dropped', { cause });
    this.name = 'FeedEnded';
  }
}

/**
 * Failures of the server are retried; those of the codec or the subscriber are not. Stops waiting when the subscriber
 * does.
 */
async function fromServer<T>(run: Run, asked: Promise<T>): Promise<T> {
  try {
    return await orAborted(asked, run.signal);
  } catch (error) {
    throw isOwnFault(error) ? error : new FeedEnded(error);
  }
}

/** Waits the full time, whatever notifications arrive, unless the subscription ends. */
async function sleep(run: Run, ms: number): Promise<void> {
  const until = performance.now() + ms;
  for (let left = ms; left > 0 && !run.signal.aborted; left = until - performance.now()) {
    if (!(await run.wake.wait(left))) return;
  }
}

async function* oneFeed(run: Run): AsyncGenerator<LogBatch> {
  const target = run.ofTenant ? undefined : await fromServer(run, lastWanted(run));
  const end = run.ofTenant ? await fromServer(run, run.reader.end()) : LOG_START;
  if (!run.announced && target !== undefined && target <= run.position) {
    run.announced = true;
    yield { events: [], position: run.position, caughtUp: true };
  }
  const from = await fromServer(run, eventBefore(run));
  const feed = openFeed(run.connection.link(), {
    from,
    prefixes: run.prefixes,
    maxWaiting: 2 * run.maxBatch,
    onNews: run.wake.notify,
  });
  try {
    yield* drain(run, feed, { target, end });
  } finally {
    feed.close();
  }
}

/**
 * @param known `target`: the position of the last event wanted; undefined when it is not known. `end`: the end of the
 * log when the feed was opened, which the watermark must reach; the start where it need not
 */
async function* drain(
  run: Run,
  feed: Feed,
  { target, end }: { readonly target: string | undefined; readonly end: string },
): AsyncGenerator<LogBatch> {
  let quiet = false;
  while (!run.signal.aborted) {
    await gather(feed, run.maxBatch);
    const { events, watermark } = feed.take(run.maxBatch);
    const fresh = events.filter(({ position }) => position > run.position);
    const passed = later(run.position, fresh.at(-1)?.position ?? LOG_START);
    const reached =
      watermark !== undefined && (await isInLog(run, passed, watermark)) ? later(passed, watermark) : passed;
    const known = feed.caughtUp() || (target !== undefined && reached >= target) || quiet;
    if (known && feed.waiting() === 0 && fresh.length === 0 && reached < end) {
      const tail = await fromServer(run, tailAfter(run, reached, end));
      const isEnd = tail.position >= end;
      run.position = tail.position;
      run.failures = 0;
      run.announced ||= isEnd;
      yield { events: tail.events.map(run.recorded), position: tail.position, caughtUp: isEnd };
      continue;
    }
    const caughtUp = known && feed.waiting() === 0;
    if (fresh.length > 0 || reached > run.position || (caughtUp && !run.announced)) {
      const delivered = { events: fresh.map(run.recorded), position: reached, caughtUp };
      run.position = reached;
      run.failures = 0;
      run.announced ||= caughtUp;
      yield delivered;
      continue;
    }
    if (feed.waiting() > 0 || events.length > 0) continue;
    if (feed.ended() !== undefined) throw new FeedEnded(feed.ended());
    const waitMs = known || !feed.confirmed() ? run.timeouts.silentMs : Math.min(QUIET_MS, run.timeouts.silentMs);
    if (await run.wake.wait(waitMs)) continue;
    quiet = feed.confirmed();
    if (waitMs >= run.timeouts.silentMs) await fromServer(run, assertAlive(run, feed));
  }
}

/**
 * A watermark is accepted where the log is known to hold an event at or after it, so that it never hides a future event
 * (ADR 0022). The end of the log is read only when the server nominates a position beyond what is known: once for the
 * present log, then at most once per search window.
 */
async function isInLog(run: Run, passed: string, nominated: string): Promise<boolean> {
  if (nominated > passed && nominated > run.end) run.end = await fromServer(run, run.reader.end());
  return nominated <= later(passed, run.end);
}

/**
 * What follows a position, read without a filter: the server reports how far it has searched only after each search
 * window, so where nothing wanted is among the last events, it never reports the end.
 */
async function tailAfter(
  run: Run,
  after: string,
  end: string,
): Promise<{ events: readonly PlacedEvent[]; position: string }> {
  const { events } = await run.reader.forwards(after, parsePosition(after), TAIL_EVENTS);
  const wanted = events.filter(({ event }) => isWanted(run, event.streamId));
  const some = wanted.slice(0, run.maxBatch);
  const last = some.length < wanted.length ? some.at(-1) : events.at(-1);
  return { events: some, position: last?.position ?? end };
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

/** Events arrive one by one, many in one iteration of the event loop: a batch holds those of one iteration. */
async function gather(feed: Feed, enough: number): Promise<void> {
  for (let before = -1; feed.waiting() > before && feed.waiting() < enough; ) {
    before = feed.waiting();
    await yieldToOthers();
  }
}

/** A subscription can end silently. If the log has advanced and the feed has not, it is dead. */
async function assertAlive(run: Run, feed: Feed): Promise<void> {
  if (!feed.confirmed()) throw new Error('the subscription was not confirmed');
  const last = await lastWanted(run);
  if (last !== undefined && last > run.position && feed.waiting() === 0) throw new Error('the subscription is silent');
}

/** The position of the last event of the wanted categories; undefined when the search for it would be long. */
async function lastWanted(run: Run): Promise<string | undefined> {
  const { position, exhausted } = await run.reader.lastBefore(
    undefined,
    (stream) => isWanted(run, stream),
    PROBE_EVENTS,
  );
  return exhausted ? undefined : position;
}

/**
 * Where to subscribe from: the event before the watermark, since the server skips one event at the given position, and
 * after a watermark taken from a checkpoint that could be an event not yet delivered. Repeated events are dropped on
 * arrival.
 */
async function eventBefore(run: Run): Promise<ReturnType<typeof parsePosition>> {
  const position = parsePosition(run.position);
  if (position === undefined) return undefined;
  const { at } = await run.reader.lastBefore({ text: run.position, position }, () => true, 1);
  return at;
}

function isWanted({ prefixes }: Run, stream: string): boolean {
  return prefixes.some((prefix) => stream.startsWith(prefix));
}
