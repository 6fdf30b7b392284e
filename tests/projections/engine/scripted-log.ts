import type { RecordedEvent } from '../../../src/events/event.ts';
import { type EventLog, type LogBatch, LogUnavailable, type SubscribeOptions } from '../../../src/log/log.ts';

export type ScriptedEvent = RecordedEvent<string, { readonly key: string; readonly amount: number }>;

/**
 * A log in memory whose batches and faults the test decides. It implements only the part of the port that projections
 * use.
 */
export type ScriptedLog = EventLog & {
  /** Adds events and wakes the subscribers; returns the last position. */
  readonly record: (...events: readonly { type?: string; key: string; amount?: number }[]) => string;
  /** A watermark past the last event, without an event. */
  readonly pass: () => string;
  readonly events: readonly ScriptedEvent[];
  /** Most events in a batch of a subscription; a change applies from the next batch on. */
  batchSize: number;
  /** Calls and batches that still fail with LogUnavailable. */
  failures: number;
  /** Starts of subscriptions, by the position after which they began. */
  readonly subscriptions: string[];
  /** Number of events delivered to subscriptions. */
  given: number;
};

export function scriptedLog(batchSize = 1_000): ScriptedLog {
  const events: ScriptedEvent[] = [];
  const wakers = new Set<() => void>();
  let watermark = '';
  // Steps of seven: positions are ordered, with gaps.
  let next = 7;
  const wake = (): void => {
    for (const waker of wakers) waker();
  };

  function fault(): void {
    if (log.failures <= 0) return;
    log.failures -= 1;
    throw new LogUnavailable('scripted');
  }

  function batchAfter(after: string, size: number): LogBatch {
    const from = events.findIndex((event) => event.position > after);
    const found = from < 0 ? [] : events.slice(from, from + size);
    const caughtUp = from < 0 || from + found.length === events.length;
    const last = found.at(-1)?.position ?? after;
    return { events: found, position: caughtUp && watermark > last ? watermark : last, caughtUp };
  }

  async function* subscribe({ after, signal, maxBatch = 1_000 }: SubscribeOptions): AsyncGenerator<LogBatch> {
    log.subscriptions.push(after);
    let from = after;
    let announced = false;
    while (!signal.aborted) {
      const batch = batchAfter(from, Math.min(maxBatch, log.batchSize));
      if (batch.position > from || !announced) {
        fault();
        announced = true;
        from = batch.position;
        log.given += batch.events.length;
        yield batch;
        continue;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      wakers.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      wakers.delete(resolve);
    }
  }

  const log: ScriptedLog = {
    events,
    batchSize,
    failures: 0,
    subscriptions: [],
    given: 0,
    record(...added) {
      for (const { type = 'Added', key, amount = 1 } of added) {
        events.push(recorded(next, type, key, amount, events.length));
        next += 7;
      }
      wake();
      return events.at(-1)?.position ?? '';
    },
    pass() {
      watermark = positionOf(next);
      next += 7;
      wake();
      return watermark;
    },
    subscribe,
    async readAll({ after, limit }) {
      fault();
      return batchAfter(after, limit);
    },
    async head() {
      fault();
      return events.at(-1)?.position ?? '';
    },
    async end() {
      fault();
      const last = events.at(-1)?.position ?? '';
      return watermark > last ? watermark : last;
    },
    async remainder(after) {
      fault();
      const left = events.filter((event) => event.position > after);
      return { events: left.length, isEstimate: false, oldestAt: left[0]?.recordedAt ?? null };
    },
    async ping() {
      fault();
    },
    append: () => Promise.reject(new Error('not scripted')),
    appendMany: () => Promise.reject(new Error('not scripted')),
    readStream: () => Promise.reject(new Error('not scripted')),
    readStreamPositions: () => Promise.reject(new Error('not scripted')),
    async close() {},
  };
  return log;
}

export function positionOf(n: number): string {
  return String(n).padStart(20, '0');
}

function recorded(at: number, type: string, key: string, amount: number, revision: number): ScriptedEvent {
  return {
    id: `event-${at}`,
    type,
    data: { key, amount },
    metadata: {
      schemaVersion: 1,
      tenantId: 't1',
      companyId: null,
      actor: { type: 'system', id: 'test' },
      correlationId: `c-${at}`,
      causationId: null,
    },
    stream: `bankTransaction-t1_${key}`,
    revision,
    position: positionOf(at),
    recordedAt: new Date(1_700_000_000_000 + at).toISOString(),
  };
}
