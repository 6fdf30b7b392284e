import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventSchemaError, type RecordedEvent } from '../../src/events/event.ts';
import { openEventStoreDbLog } from '../../src/log/eventstoredb/eventstoredb-log.ts';
import type { Timeouts } from '../../src/log/eventstoredb/timeouts.ts';
import { AppendTooLarge, type EventLog, LOG_START, type LogBatch, LogUnavailable } from '../../src/log/log.ts';
import type { Faults } from '../support/eventstore-stand-in/faults.ts';
import { type StandIn, type StandInOptions, startStandIn } from '../support/eventstore-stand-in/stand-in.ts';
import { codec, newTenant, noted, notes, openCodec, readTenant, stream, tenantEvents, textOf } from './fixtures.ts';

/** Short enough to wait for a fault to end, long enough that a busy machine does not look like one. */
const TIMEOUTS: Timeouts = { callMs: 500, giveUpMs: 5_000, pauseMs: 5, longestPauseMs: 50, silentMs: 200 };
/** For calls that are to fail. */
const HASTY: Timeouts = { ...TIMEOUTS, callMs: 150, giveUpMs: 300 };

let standIn: StandIn;
const logs: EventLog[] = [];
const standIns: StandIn[] = [];
const tenant = newTenant();

async function startServer(options: StandInOptions = { front: true }): Promise<StandIn> {
  const started = await startStandIn(options);
  standIns.push(started);
  return started;
}

function openLog(timeouts: Timeouts = TIMEOUTS, connectionString = standIn.connectionString): EventLog {
  const log = openEventStoreDbLog({ connectionString, codec, timeouts });
  logs.push(log);
  return log;
}

beforeEach(async () => {
  standIn = await startServer();
});

afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
  await Promise.all(standIns.splice(0).map((each) => each.stop()));
});

/** Runs a subscription in the background; `until` resolves when what it has delivered meets the condition. */
function follow(log: EventLog, after: string, options: { categories?: readonly string[]; maxBatch?: number } = {}) {
  const stop = new AbortController();
  const batches: LogBatch[] = [];
  let look = (): void => {};
  const ended = (async () => {
    for await (const batch of log.subscribe({ after, signal: stop.signal, ...options })) {
      batches.push(batch);
      look();
    }
  })();
  return {
    batches,
    events: (): RecordedEvent[] => tenantEvents(batches, tenant),
    until: (enough: () => boolean): Promise<void> => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      look = () => {
        if (enough()) resolve();
      };
      look();
      ended.catch(reject);
      return promise;
    },
    stop: async (): Promise<void> => {
      stop.abort();
      await ended;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

describe('an append whose outcome is unknown', () => {
  it('is repeated, and found written, when the connection broke after the write', async () => {
    const log = openLog();
    const name = stream(tenant);
    standIn.faults.swallowAnswers = 1;
    standIn.faults.beforeAnswer = () => {
      standIn.faults.beforeAnswer = undefined;
      standIn.front().cut();
    };
    const result = await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 3) });
    expect(result).toMatchObject({ outcome: 'appended', revision: 2 });
    expect(standIn.store.stream(name)).toHaveLength(3);
    expect((await log.readStreamPositions(name)).at(-1)?.position).toBe(
      result.outcome === 'appended' && result.position,
    );
  });

  it('is repeated on a new connection when no answer arrives', async () => {
    const log = openLog();
    const name = stream(tenant);
    await log.ping();
    const connections = standIn.front().connections();
    standIn.faults.swallowAnswers = 1;
    const result = await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    expect(result).toMatchObject({ outcome: 'appended', revision: 0 });
    expect(standIn.store.stream(name)).toHaveLength(1);
    expect(standIn.front().connections()).toBeGreaterThan(connections);
  });

  it('is repeated when it was never written', async () => {
    const log = openLog();
    const name = stream(tenant);
    standIn.faults.swallowAppends = 1;
    const result = await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    expect(result).toMatchObject({ outcome: 'appended', revision: 0 });
    expect(standIn.store.stream(name)).toHaveLength(1);
  });

  it.each(['Timeout', 'Unknown', 'InvalidTransaction'])('is repeated when the server says %s', async (error) => {
    const log = openLog();
    const name = stream(tenant);
    standIn.faults.failAppends = { count: 2, error };
    const result = await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    expect(result).toMatchObject({ outcome: 'appended', revision: 0 });
  });

  it('ends as LogUnavailable, and the caller can repeat it unchanged', async () => {
    const log = openLog(HASTY);
    const append = { stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 2) } as const;
    standIn.faults.swallowAnswers = Number.POSITIVE_INFINITY;
    await expect(log.append(append)).rejects.toThrow(LogUnavailable);
    standIn.faults.swallowAnswers = 0;
    expect(await log.append(append)).toMatchObject({ outcome: 'appended', revision: 1 });
    expect(await log.readStream(append.stream)).toHaveLength(2);
  });
});

describe('a read of a stream', () => {
  it('asks the server for no position that is not used', async () => {
    const log = openLog();
    const name = stream(tenant);
    await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 3) });
    let asked = 0;
    standIn.faults.beforeAnswer = () => {
      asked += 1;
    };
    expect(await log.readStream(name)).toHaveLength(3);
    expect(asked).toBe(0);
    expect(await log.readStreamPositions(name)).toHaveLength(3);
    // A server before 22.6 is asked for each by an append.
    expect([0, 3]).toContain(asked);
  });
});

describe('a version error', () => {
  it('is checked: the stream is read, and if it holds our own events, the append succeeded', async () => {
    const log = openLog();
    const name = stream(tenant);
    standIn.faults.swallowAnswers = 1;
    standIn.faults.beforeAnswer = () => {
      standIn.faults.beforeAnswer = undefined;
      standIn.faults.failAppends = { count: 1, error: 'WrongExpectedVersion' };
    };
    const result = await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 2) });
    const events = await log.readStreamPositions(name);
    expect(result).toEqual({ outcome: 'appended', revision: 1, position: events[1]?.position });
  });

  it('is a conflict when other events are there, or none', async () => {
    const log = openLog();
    const name = stream(tenant);
    standIn.faults.failAppends = { count: 1, error: 'WrongExpectedVersion' };
    const append = { stream: name, expected: 'no-stream', events: notes(tenant, 1) } as const;
    expect(await log.append(append)).toEqual({ outcome: 'conflict' });
    await log.append(append);
    expect(await log.append({ ...append, events: notes(tenant, 1) })).toEqual({ outcome: 'conflict' });
  });
});

describe('a definite refusal', () => {
  it.each(['AccessDenied', 'StreamDeleted', 'BadRequest'])('is not retried: %s', async (error) => {
    const log = openLog();
    const name = stream(tenant);
    // A second attempt would succeed.
    standIn.faults.failAppends = { count: 1, error };
    const attempt = log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    await expect(attempt).rejects.toThrow(LogUnavailable);
    expect(standIn.store.stream(name)).toEqual([]);
  });

  it('is AppendTooLarge when the server finds an append too large', async () => {
    const log = openLog();
    standIn.faults.failAppends = { count: 1, error: 'MaximumAppendSizeExceeded' };
    const attempt = log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) });
    await expect(attempt).rejects.toThrow(AppendTooLarge);
  });
});

describe('a server that does not answer', () => {
  const outages: [string, () => Promise<void> | void, () => Promise<void> | void][] = [
    ['frozen', () => standIn.front().freeze(), () => standIn.front().thaw()],
    ['gone', () => standIn.front().shut(), () => standIn.front().open()],
    [
      'not ready',
      () => {
        standIn.faults.notReady = true;
      },
      () => {
        standIn.faults.notReady = false;
      },
    ],
  ];

  it.each(outages)('makes every call fail eventually, and none once it is back: %s', async (_, begin, end) => {
    const append = { stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) } as const;
    const calls = (log: EventLog): Promise<unknown>[] => [
      log.append(append),
      log.appendMany([{ ...append, stream: stream(tenant) }]),
      log.readStream(append.stream),
      log.readAll({ after: LOG_START, limit: 10 }),
      log.head(),
      log.ping(),
    ];
    const hasty = openLog(HASTY);
    // The first call connects, which a busy machine may not do within the hasty limits.
    await vi.waitFor(() => hasty.ping(), { timeout: 20_000 });
    await begin();
    for (const outcome of await Promise.allSettled(calls(hasty))) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(LogUnavailable) });
    }
    await end();
    const patient = openLog();
    await Promise.all(calls(patient));
    expect(await patient.readStream(append.stream)).toHaveLength(1);
  });

  it.each(outages)('is waited for when it is soon back: %s', async (_, begin, end) => {
    const log = openLog();
    const name = stream(tenant);
    await begin();
    const calls = Promise.all([
      log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) }),
      log.head(),
      log.readStream(stream(tenant)),
    ]);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    await end();
    expect((await calls)[0]).toMatchObject({ outcome: 'appended', revision: 0 });
    expect(standIn.store.stream(name)).toHaveLength(1);
  });

  it('accepts connections and does not answer: calls fail eventually, and succeed once it answers', async () => {
    standIn.front().freeze();
    const log = openLog(HASTY);
    await expect(log.ping()).rejects.toThrow(LogUnavailable);
    const append = { stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) } as const;
    await expect(log.append(append)).rejects.toThrow(LogUnavailable);
    standIn.front().thaw();
    expect(await openLog().append(append)).toMatchObject({ outcome: 'appended', revision: 0 });
  });

  it('fails reads with a raw gRPC status: they are retried', async () => {
    const log = openLog();
    const name = stream(tenant);
    await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    for (const code of [1, 2, 4, 8, 10, 14]) {
      standIn.faults.failReads = { count: 2, code, details: 'injected' };
      expect(await log.readStream(name)).toHaveLength(1);
      standIn.faults.failReads = { count: 2, code, details: 'injected' };
      expect((await log.readAll({ after: LOG_START, limit: 10 })).events).toHaveLength(1);
    }
  });

  it('closes a log at once', async () => {
    const log = openLog({ ...TIMEOUTS, callMs: 3_600_000, giveUpMs: 3_600_000 });
    await log.ping();
    standIn.front().freeze();
    const calls = [
      log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) }),
      log.readStream(stream(tenant)),
      log.head(),
    ];
    const settled = Promise.allSettled(calls);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    await log.close();
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(LogUnavailable) });
    }
  });
});

describe('a link that breaks under load', () => {
  it('neither loses nor duplicates an append, with more waiting than any buffer holds', async () => {
    const log = openLog();
    const appends = Array.from({ length: 300 }, (_, index) => ({
      stream: stream(tenant),
      expected: 'no-stream' as const,
      events: [noted(tenant, `${index} ${'x'.repeat(50_000)}`)],
    }));
    let written = 0;
    standIn.faults.beforeAnswer = () => {
      written += 1;
      if (written === 60 || written === 130) standIn.front().cut();
    };
    const results = await log.appendMany(appends);
    expect(results.every((result) => result.outcome === 'appended' && result.revision === 0)).toBe(true);
    for (const append of appends) expect(standIn.store.stream(append.stream)).toHaveLength(1);
    expect(standIn.front().connections()).toBeGreaterThanOrEqual(3);
  });

  it('does not affect the log of another server', async () => {
    const other = await startServer();
    const [mine, theirs] = [openLog({ ...TIMEOUTS, callMs: 60_000 }), openLog(TIMEOUTS, other.connectionString)];
    const appends = (prefix: string) =>
      Array.from({ length: 40 }, () => ({
        stream: stream(tenant),
        expected: 'no-stream' as const,
        events: notes(tenant, 1, prefix),
      }));
    await Promise.all([mine.ping(), theirs.ping()]);
    other.faults.beforeAnswer = () => other.front().cut();
    const broken = theirs.appendMany(appends('theirs'));
    const connections = standIn.front().connections();
    expect((await mine.appendMany(appends('mine'))).every((result) => result.outcome === 'appended')).toBe(true);
    expect(standIn.front().connections()).toBe(connections);
    other.faults.beforeAnswer = undefined;
    expect((await broken).every((result) => result.outcome === 'appended')).toBe(true);
  });

  it('writes each event exactly once, whatever happens to the connection', async () => {
    const log = openLog();
    const fault = fc.constantFrom('none', 'cut', 'swallow answer', 'swallow append', 'version error', 'not ready');
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 6 }), async (faults) => {
        const name = stream(tenant);
        for (const [index, chosen] of faults.entries()) {
          if (chosen === 'swallow answer') standIn.faults.swallowAnswers = 1;
          if (chosen === 'swallow append') standIn.faults.swallowAppends = 1;
          if (chosen === 'version error') standIn.faults.failAppends = { count: 1, error: 'Timeout' };
          if (chosen === 'cut') {
            standIn.faults.beforeAnswer = () => {
              standIn.faults.beforeAnswer = undefined;
              standIn.front().cut();
            };
          }
          if (chosen === 'not ready') {
            standIn.faults.notReady = true;
            setImmediate(() => {
              standIn.faults.notReady = false;
            });
          }
          const expected = index === 0 ? 'no-stream' : index - 1;
          const result = await log.append({ stream: name, expected, events: notes(tenant, 1, `${index}`) });
          expect(result).toMatchObject({ outcome: 'appended', revision: index });
        }
        expect((await log.readStream(name)).map(textOf)).toEqual(faults.map((_, index) => `${index} 0`));
      }),
      { numRuns: 8, examples: [[['cut', 'swallow answer', 'not ready']]] },
    );
  });
});

describe('a subscription', () => {
  async function appendRounds(log: EventLog, name: string, rounds: number, between: (round: number) => unknown) {
    for (let round = 0; round < rounds; round += 1) {
      const expected = round === 0 ? 'no-stream' : 5 * round - 1;
      await log.append({ stream: name, expected, events: notes(tenant, 5, `${round}`) });
      await between(round);
    }
  }

  const drops: [string, () => Promise<void> | void][] = [
    ['dropped as too slow', () => standIn.dropSubscribers()],
    ['whose link is cut', () => standIn.front().cut()],
    [
      'whose server restarts',
      async () => {
        await standIn.front().shut();
        await standIn.front().open();
      },
    ],
  ];

  it.each(drops)('continues without gap or repeat: %s', async (_, drop) => {
    const log = openLog();
    const name = stream(tenant);
    const following = follow(log, LOG_START, { maxBatch: 7 });
    await appendRounds(log, name, 20, async (round) => {
      if (round % 4 !== 3) return;
      await following.until(() => following.events().length >= 5 * round);
      await drop();
    });
    await following.until(() => following.events().length >= 100);
    expect(following.events().map((event) => event.revision)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(standIn.subscriptions()).toBeGreaterThanOrEqual(5);
    await following.stop();
  });

  it('that has ended silently is detected and replaced', async () => {
    const log = openLog();
    const name = stream(tenant);
    const following = follow(log, LOG_START);
    await following.until(() => following.batches.some((batch) => batch.caughtUp));
    await until(() => standIn.subscribers() === 1);
    standIn.faults.silentSubscriptions = true;
    await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 3) });
    // The first subscription would wait indefinitely: nothing more is appended.
    await until(() => standIn.subscriptions() > 1);
    standIn.faults.silentSubscriptions = false;
    await following.until(() => following.events().length === 3);
    await following.stop();
  });

  it('that is merely quiet is left alone', async () => {
    const log = openLog({ ...TIMEOUTS, callMs: 10_000, silentMs: 20 });
    await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) });
    const following = follow(log, LOG_START);
    await following.until(() => following.events().length === 1);
    const [reads, subscriptions] = [standIn.reads(), standIn.subscriptions()];
    // Each probe is a read: the watchdog has probed several times.
    await until(() => standIn.reads() >= reads + 4);
    expect(standIn.subscriptions()).toBe(subscriptions);
    await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) });
    await following.until(() => following.events().length === 2);
    await following.stop();
  });

  it('survives a server that is suspended', async () => {
    const log = openLog();
    const following = follow(log, LOG_START);
    await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) });
    await following.until(() => following.events().length === 1);
    standIn.front().freeze();
    const connections = standIn.front().connections();
    await until(() => standIn.front().connections() > connections);
    standIn.front().thaw();
    await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) });
    await following.until(() => following.events().length === 2);
    await following.stop();
  });

  it('ends when aborted, though the server does not answer', async () => {
    const log = openLog({ ...TIMEOUTS, callMs: 3_600_000, silentMs: 3_600_000 });
    await log.ping();
    standIn.front().freeze();
    const following = follow(log, LOG_START);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    await following.stop();
    expect(following.batches).toEqual([]);
  });

  it('starts while the server is unavailable, and continues once it is available', async () => {
    await standIn.front().shut();
    const log = openLog();
    const following = follow(log, LOG_START);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    await standIn.front().open();
    await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 2) });
    await following.until(() => following.events().length === 2);
    await following.stop();
  });

  it('passes on an error of the codec instead of retrying', async () => {
    const name = stream(tenant);
    const writer = openEventStoreDbLog({ connectionString: standIn.connectionString, codec: openCodec });
    logs.push(writer);
    await writer.append({ stream: name, expected: 'no-stream', events: [{ ...noted(tenant, 'x'), type: 'Counted' }] });
    const log = openLog();
    await expect(follow(log, LOG_START).until(() => false)).rejects.toThrow(EventSchemaError);
    await expect(log.readStream(name)).rejects.toThrow(EventSchemaError);
    await expect(log.readAll({ after: LOG_START, limit: 1 })).rejects.toThrow(EventSchemaError);
  });
});

const nominations: [string, Faults['nominate']][] = [
  ['wherever it fell', undefined],
  // A subscription that starts there would skip that event: the worst position that can be nominated.
  [
    'even at the start of the event to come',
    ({ position }, following) =>
      following === undefined ? { commit: position, prepare: position } : { commit: following.position, prepare: 0n },
  ],
];

describe('among events of others', () => {
  it('a log with events of others only appears empty', async () => {
    standIn.addForeignEvents(2_500);
    const log = openLog();
    expect(await log.head()).toBe(LOG_START);
    const batch = await log.readAll({ after: LOG_START, limit: 10 });
    expect(batch).toMatchObject({ events: [], caughtUp: true });
    expect(batch.position > LOG_START).toBe(true);
    const following = follow(log, LOG_START);
    await following.until(() => following.batches.some((each) => each.caughtUp));
    expect(following.events()).toEqual([]);
    await following.stop();
  });

  it.each(nominations)(
    'no watermark, %s, hides an event from a subscriber that continues from it',
    async (_, nominate) => {
      standIn.faults.nominate = nominate;
      const log = openLog();
      const categories = ['user'];
      // The server searches 1,000 events at a time: there are wanted events directly before and after each checkpoint.
      for (const until of [998, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 3_000, 3_500]) {
        standIn.addForeignEvents(until - standIn.store.events.length);
        await log.append({
          stream: stream(tenant, undefined, 'user'),
          expected: 'no-stream',
          events: notes(tenant, 1, `${until}`),
        });
      }
      standIn.addForeignEvents(2_000);
      const wanted = await readTenant(log, tenant, LOG_START, { categories });
      expect(wanted).toHaveLength(9);
      const whole = follow(log, LOG_START, { categories, maxBatch: 1 });
      await whole.until(() => whole.events().length === 9 && whole.batches.some((batch) => batch.caughtUp));
      const marks = new Set(whole.batches.map((batch) => batch.position));
      expect([...marks].some((mark) => wanted.every((event) => event.position !== mark))).toBe(true);
      for (const after of marks) {
        const rest = wanted.filter((event) => event.position > after);
        const again = follow(log, after, { categories });
        await again.until(() => again.batches.some((batch) => batch.caughtUp));
        expect(again.events()).toEqual(rest);
        await again.stop();
        expect((await log.readAll({ after, limit: 100, categories })).events).toEqual(rest);
      }
      await whole.stop();
    },
  );

  it.each([
    ['the largest there is', () => ({ commit: 0xffff_ffff_ffff_ffffn, prepare: 0xffff_ffff_ffff_ffffn })],
    ['one far beyond the end', ({ position }) => ({ commit: position + 1_000_000n, prepare: position + 1_000_000n })],
  ] satisfies [string, Faults['nominate']][])(
    'a place nominated that is not in the log is not believed: %s',
    async (_, nominate) => {
      standIn.faults.nominate = nominate;
      const log = openLog();
      const name = stream(tenant);
      standIn.addForeignEvents(2_500);
      const following = follow(log, LOG_START, { categories: ['bankTransaction'] });
      await until(() => standIn.live() === 1);
      await log.ping();
      for (let round = 0; round < 3; round += 1) {
        const expected = round === 0 ? 'no-stream' : round - 1;
        await log.append({ stream: name, expected, events: notes(tenant, 1) });
        await following.until(() => following.events().length === round + 1);
        standIn.addForeignEvents(1_500);
      }
      const end = await log.end();
      for (const { position } of following.batches) expect(position <= end).toBe(true);
      await following.stop();
    },
  );

  it('the end is not requested at every nomination while a long log is searched', async () => {
    const log = openLog({ ...TIMEOUTS, silentMs: 3_600_000 });
    const categories = ['user'];
    for (let round = 0; round < 20; round += 1) {
      const name = stream(tenant, undefined, 'user');
      await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
      standIn.addForeignEvents(1_000);
    }
    const reads = standIn.reads();
    const following = follow(log, LOG_START, { categories, maxBatch: 1 });
    await following.until(() => following.events().length === 20);
    const moved = following.batches.filter(({ events, position }) => events.at(-1)?.position !== position);
    expect(moved.length).toBeGreaterThan(10);
    // The search for the last wanted event reads four or five pages.
    expect(standIn.reads() - reads).toBeLessThan(8);
    await following.stop();
  });

  it('a category without events near the end is still reported as caught up', async () => {
    const log = openLog();
    const name = stream(tenant, undefined, 'user');
    await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 2) });
    standIn.addForeignEvents(6_000);
    const following = follow(log, LOG_START, { categories: ['user'] });
    await following.until(() => following.batches.some((batch) => batch.caughtUp));
    expect(following.events()).toHaveLength(2);
    await following.stop();
  });

  it('follows no category when none is requested', async () => {
    const log = openLog();
    await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) });
    const following = follow(log, LOG_START, { categories: [] });
    await following.until(() => following.batches.some((batch) => batch.caughtUp));
    expect(following.events()).toEqual([]);
    await following.stop();
  });
});

describe('the connection', () => {
  it('is one for all logs of a process, until the last is closed', async () => {
    const [one, two] = [openLog(), openLog()];
    await Promise.all([one.ping(), two.ping()]);
    expect(standIn.front().connections()).toBe(1);
    await one.close();
    const name = stream(tenant);
    await two.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    expect(standIn.front().connections()).toBe(1);
    await two.close();
    await two.close();
    expect(await openLog().readStream(name)).toHaveLength(1);
    expect(standIn.front().connections()).toBe(2);
  });

  it('finds the leader of a cluster', async () => {
    const log = openLog(TIMEOUTS, standIn.connectionString.replace('esdb:', 'esdb+discover:'));
    const name = stream(tenant);
    await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    expect(await log.readStream(name)).toHaveLength(1);
  });

  it('does not reveal the secret of a connection string it cannot read', () => {
    const open = (): unknown => openLog(TIMEOUTS, 'nonsense://admin:secret@host');
    expect(open).toThrow(RangeError);
    expect(open).not.toThrow(/secret/);
  });
});

describe('the stand-in in a process of its own', () => {
  const script = fileURLToPath(new URL('../support/eventstore-stand-in/main.ts', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  let child: ChildProcess | undefined;

  async function start(port: number): Promise<number> {
    const args = [script, '--port', String(port), '--file', join(folder, 'events')];
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    for await (const line of createInterface(started.stdout)) {
      const listening = /^listening (\d+)$/.exec(line);
      if (listening !== null) return Number(listening[1]);
    }
    throw new Error('the stand-in did not start');
  }

  async function kill(): Promise<void> {
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    child = undefined;
  }

  afterEach(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is killed and restarted on its data: nothing is lost, repeats are recognised, subscriptions continue', async () => {
    const port = await start(0);
    const log = openLog({ ...TIMEOUTS, giveUpMs: 20_000 }, `esdb://127.0.0.1:${port}?tls=false`);
    const append = { stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 2) } as const;
    const result = await log.append(append);
    const before = await log.readStream(append.stream);
    const following = follow(log, LOG_START);
    await following.until(() => following.events().length === 2);
    await kill();
    const meanwhile = log.append({ ...append, expected: 1, events: notes(tenant, 1) });
    await start(port);
    expect(await meanwhile).toMatchObject({ outcome: 'appended', revision: 2 });
    expect(await log.append(append)).toEqual(result);
    expect((await log.readStream(append.stream)).slice(0, 2)).toEqual(before);
    await following.until(() => following.events().length === 3);
    await following.stop();
  });
});
