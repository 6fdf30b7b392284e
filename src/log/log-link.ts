import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../shared/or-aborted.ts';
import { type Append, type AppendResult, type EventLog, LogUnavailable } from './log.ts';

/** All in milliseconds. */
export type Heartbeat = {
  /** Between an answer, of a heartbeat or of anything else, and the next heartbeat. */
  readonly everyMs: number;
  /** Between a failed heartbeat and the next one. */
  readonly againMs: number;
  /** A heartbeat without an answer for this long counts as missed, and again after each further such time. */
  readonly missedAfterMs: number;
};

const HEARTBEAT: Heartbeat = { everyMs: 500, againMs: 250, missedAfterMs: 1_000 };
/** One could be the cut of a single connection, which the next call repairs. */
const MISSED_IN_A_ROW = 2;

/** Whether the log answers, and the log as seen by those who wait for it and by those who do not. */
export type LogLink = {
  /** The log itself: its calls wait out a short restart. */
  readonly log: EventLog;
  /**
   * The log for requests that only read: while the link is known to be down, a call fails at once with LogUnavailable,
   * and so do the calls in progress when it becomes known.
   */
  readonly readLog: EventLog;
  /** Two heartbeats in a row were missed, and nothing has been answered since. */
  readonly isDown: () => boolean;
  /** When the log last answered anything, in milliseconds of a monotonic clock; unset before the first answer. */
  readonly lastAnswerMs: () => number | undefined;
  /** Aborted while the link is known to be down; another one after each recovery. */
  readonly down: () => AbortSignal;
  /** Calls the listener with the stream of each append that this process made. */
  readonly onAppended: (listener: (stream: string) => void) => void;
  readonly stop: () => Promise<void>;
};

/** Waits, unless the signal cuts it short. A process whose start failed must not be kept alive by it. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal, ref: false }).catch(() => {});
}

/** Watches the link by heartbeats until stopped. Any answer of the log counts as one. */
export function watchLog(
  inner: EventLog,
  options: { readonly heartbeat?: Partial<Heartbeat>; readonly monotonicMs?: () => number } = {},
): LogLink {
  const { monotonicMs = () => performance.now() } = options;
  const heartbeat: Heartbeat = { ...HEARTBEAT, ...options.heartbeat };
  const stopping = new AbortController();
  const listeners: ((stream: string) => void)[] = [];
  let downed = new AbortController();
  let missed = 0;
  let lastAnswerMs: number | undefined;
  let endBeat = (): void => {};

  /** Under load a heartbeat may wait behind other calls, whose answers show as much. */
  function answered(): void {
    lastAnswerMs = monotonicMs();
    missed = 0;
    if (downed.signal.aborted) downed = new AbortController();
  }

  function miss(): void {
    missed += 1;
    if (missed >= MISSED_IN_A_ROW && !downed.signal.aborted) {
      downed.abort(new LogUnavailable('the link to the log is down'));
    }
  }

  async function noting<T>(call: Promise<T>): Promise<T> {
    const result = await call;
    answered();
    return result;
  }

  function noteAppends(appends: readonly Append[], results: readonly AppendResult[]): void {
    for (const [at, { stream }] of appends.entries()) {
      if (results[at]?.outcome === 'appended') for (const listener of listeners) listener(stream);
    }
  }

  const appendUnless = inner.appendManyUnless?.bind(inner);
  const log: EventLog = {
    async append(append) {
      const result = await noting(inner.append(append));
      noteAppends([append], [result]);
      return result;
    },
    async appendMany(appends) {
      const results = await noting(inner.appendMany(appends));
      noteAppends(appends, results);
      return results;
    },
    ...(appendUnless === undefined
      ? {}
      : {
          async appendManyUnless(appends, changed) {
            const results = await noting(appendUnless(appends, changed));
            noteAppends(appends, results);
            return results;
          },
        }),
    readStream: (stream, options) => noting(inner.readStream(stream, options)),
    readStreamPositions: (stream, options) => noting(inner.readStreamPositions(stream, options)),
    readAll: (options) => noting(inner.readAll(options)),
    async *subscribe(options) {
      for await (const batch of inner.subscribe(options)) {
        answered();
        yield batch;
      }
    },
    head: () => noting(inner.head()),
    end: () => noting(inner.end()),
    remainder: (after) => noting(inner.remainder(after)),
    ping: () => noting(inner.ping()),
    close: () => inner.close(),
  };

  function whileUp<T>(call: () => Promise<T>): Promise<T> {
    const { signal } = downed;
    if (signal.aborted) return Promise.reject(signal.reason);
    const called = call();
    // Its failure after the link went down is nobody's.
    called.catch(() => {});
    return orAborted(called, signal);
  }

  const readLog: EventLog = {
    ...log,
    append: (append) => whileUp(() => log.append(append)),
    appendMany: (appends) => whileUp(() => log.appendMany(appends)),
    readStream: (stream, options) => whileUp(() => log.readStream(stream, options)),
    readStreamPositions: (stream, options) => whileUp(() => log.readStreamPositions(stream, options)),
    readAll: (options) => whileUp(() => log.readAll(options)),
    head: () => whileUp(() => log.head()),
    end: () => whileUp(() => log.end()),
    remainder: (after) => whileUp(() => log.remainder(after)),
    ping: () => whileUp(() => log.ping()),
  };

  /** One heartbeat, until it is answered or fails; true when it was answered. */
  async function beat(): Promise<boolean> {
    const ping = log.ping().then(
      () => true,
      () => false,
    );
    for (;;) {
      const late = Promise.withResolvers<'late'>();
      const timer = setTimeout(() => late.resolve('late'), heartbeat.missedAfterMs).unref();
      endBeat = () => late.resolve('late');
      const outcome = await Promise.race([ping, late.promise]);
      clearTimeout(timer);
      if (outcome !== 'late') return outcome;
      if (stopping.signal.aborted) return false;
      miss();
    }
  }

  /** Until the next heartbeat is due. */
  function everyMsLeft(): number {
    return lastAnswerMs === undefined ? 0 : lastAnswerMs + heartbeat.everyMs - monotonicMs();
  }

  async function watch(): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      const isAnswered = await beat();
      if (!isAnswered && !signal.aborted) miss();
      if (!isAnswered) await sleep(heartbeat.againMs, signal);
      // Whatever was answered meanwhile shows as much as a heartbeat would.
      for (let restMs = everyMsLeft(); restMs > 0 && !signal.aborted; restMs = everyMsLeft()) {
        await sleep(Math.ceil(restMs), signal);
      }
    }
  }

  const watching = watch();
  return {
    log,
    readLog,
    isDown: () => downed.signal.aborted,
    lastAnswerMs: () => lastAnswerMs,
    down: () => downed.signal,
    onAppended: (listener) => void listeners.push(listener),
    async stop() {
      stopping.abort();
      endBeat();
      await watching;
    },
  };
}
