import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/identity/caller.ts';
import { createKnownCallers, type Verified } from '../../src/identity/known-callers.ts';

const MINUTE_MS = 60_000;

function verified(tenantId: string, id: string, endsAtMs: number | null = null): Verified {
  const actor = { type: 'api-key' as const, id };
  const caller: Caller = { tenantId, actor, scopes: [], companies: null, role: null, sessionId: null };
  return { caller, endsAtMs, streams: [`apiKey-${tenantId}_${id}`], position: '1' };
}

function setUp(options: { readWithoutLogMs?: number; most?: number; mostOfTenant?: number } = {}) {
  const world = { nowMs: 1_000_000, monotonicMs: 0, isDown: false, lastAnswerMs: 0 };
  let append: (stream: string) => void = () => {};
  const known = createKnownCallers({
    link: {
      isDown: () => world.isDown,
      lastAnswerMs: () => world.lastAnswerMs,
      onAppended: (listener) => {
        append = listener;
      },
    },
    clock: { now: () => world.nowMs },
    monotonicMs: () => world.monotonicMs,
    readWithoutLogMs: 5 * MINUTE_MS,
    ...options,
  });
  return {
    world,
    known,
    append: (stream: string) => append(stream),
    learn: (name: string, what: Verified) => known.callerOf(name, async () => what),
    goAway: () => {
      world.isDown = true;
      world.lastAnswerMs = world.monotonicMs;
    },
  };
}

const isKnown = (it: ReturnType<typeof setUp>, name: string): boolean => it.known.withoutLog(name) !== null;

describe('a verification', () => {
  it('counts without the log when it was made at most the set time before the log went away', async () => {
    const test = setUp();
    await test.learn('early', verified('t', 'early'));
    test.world.monotonicMs += 1;
    await test.learn('late', verified('t', 'late'));
    test.world.monotonicMs += 5 * MINUTE_MS;
    expect(isKnown(test, 'late')).toBe(false);
    test.goAway();
    expect([isKnown(test, 'early'), isKnown(test, 'late'), isKnown(test, 'never')]).toEqual([false, true, false]);
    // The length is measured up to the moment when the log went away, not into its absence.
    test.world.monotonicMs += 60 * MINUTE_MS;
    expect(isKnown(test, 'late')).toBe(true);
  });

  it('has an age that does not depend on a clock that was set', async () => {
    const test = setUp();
    await test.learn('old', verified('t', 'old'));
    test.world.monotonicMs += 6 * MINUTE_MS;
    test.world.nowMs -= 60 * MINUTE_MS;
    await test.learn('new', verified('t', 'new'));
    test.goAway();
    test.world.nowMs += 600 * MINUTE_MS;
    expect([isKnown(test, 'old'), isKnown(test, 'new')]).toEqual([false, true]);
  });

  it('is not trusted for longer when the clock is set back', async () => {
    const test = setUp();
    await test.learn('key', verified('t', 'key'));
    test.world.nowMs -= MINUTE_MS;
    expect(await test.known.callerOf('key', async () => null)).toBeNull();
  });

  it('does not count without the log where that is turned off', async () => {
    const test = setUp({ readWithoutLogMs: 0 });
    await test.learn('key', verified('t', 'key'));
    test.goAway();
    expect(isKnown(test, 'key')).toBe(false);
  });

  it('does not count after its credentials have ended', async () => {
    const test = setUp();
    await test.learn('key', verified('t', 'key', test.world.nowMs + MINUTE_MS));
    test.goAway();
    expect(isKnown(test, 'key')).toBe(true);
    test.world.nowMs += MINUTE_MS;
    expect(isKnown(test, 'key')).toBe(false);
  });

  it('is forgotten when a later one fails', async () => {
    const test = setUp();
    await test.learn('key', verified('t', 'key'));
    test.world.nowMs += 501;
    expect(await test.known.callerOf('key', async () => null)).toBeNull();
    test.goAway();
    expect(isKnown(test, 'key')).toBe(false);
  });

  it('is forgotten when this process appends to one of its streams, also while it is made', async () => {
    const test = setUp();
    await test.learn('key', verified('t', 'key'));
    await test.learn('other', verified('t', 'other'));
    test.append('apiKey-t_key');
    test.append('bankTransaction-t_other');
    await test.known.callerOf('third', async () => {
      test.append('apiKey-t_third');
      return verified('t', 'third');
    });
    test.goAway();
    expect(['key', 'other', 'third'].map((name) => isKnown(test, name))).toEqual([false, true, false]);
  });

  it('takes the place of none of another tenant while its own has more', async () => {
    const test = setUp({ most: 6, mostOfTenant: 4 });
    await test.learn('quiet', verified('quiet', 'quiet'));
    for (let at = 0; at < 10; at += 1) await test.learn(`loud-${at}`, verified('loud', `loud-${at}`));
    for (let at = 0; at < 10; at += 1) await test.learn(`busy-${at}`, verified('busy', `busy-${at}`));
    test.goAway();
    const left = (tenant: string): number =>
      Array.from({ length: 10 }, (_, at) => isKnown(test, `${tenant}-${at}`)).filter(Boolean).length;
    expect([isKnown(test, 'quiet'), left('loud') + left('busy')]).toEqual([true, 5]);
    expect(Math.min(left('loud'), left('busy'))).toBeGreaterThanOrEqual(2);
    expect([isKnown(test, 'loud-9'), isKnown(test, 'busy-9')]).toEqual([true, true]);
  });
});
