import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { type Admission, type LoginAttempts, openLoginAttempts } from '../../src/traffic/login-attempts.ts';

let folder: string;
let readStore: ReadStore;
let nowMs: number;
let attempts: LoginAttempts;
const clock = { now: () => nowMs };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bank-attempts-'));
  readStore = openEmbeddedReadStore({ file: join(folder, 'store.sqlite') });
  nowMs = Date.parse('2026-03-01T08:00:00.000Z');
  attempts = await openLoginAttempts(readStore, clock);
});
afterEach(async () => {
  await readStore.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The wait of one attempt, after which the clock stands where its answer is given. */
async function waited(name = 'a'): Promise<number | 'sent away'> {
  const admission = await attempts.admit(name);
  if (!admission.admitted) return 'sent away';
  nowMs += admission.waitMs;
  return admission.waitMs;
}

async function inTurn(times: number, name?: string): Promise<unknown[]> {
  const waits: unknown[] = [];
  for (let nth = 0; nth < times; nth += 1) waits.push(await waited(name));
  return waits;
}

const kept = () => readStore.collection({ name: 'login_attempts', indexes: [] }).count([]);

describe('attempts to sign in', () => {
  it('wait 1, 2, 4 and then 8 seconds from the sixth on, each name for itself', async () => {
    expect(await inTurn(10)).toEqual([0, 0, 0, 0, 0, 1_000, 2_000, 4_000, 8_000, 8_000]);
    expect(await inTurn(2, 'b')).toEqual([0, 0]);
  });

  it('are forgotten a quarter of an hour later', async () => {
    await inTurn(7);
    nowMs += 15 * 60_000;
    expect(await inTurn(6)).toEqual([0, 0, 0, 0, 0, 1_000]);
  });

  it('do not count where they succeeded, and do not hide those that failed', async () => {
    for (let nth = 0; nth < 4; nth += 1) {
      expect(await waited()).toBe(0);
      nowMs += 1_000;
      const right = await attempts.admit('a');
      if (!right.admitted) throw new Error('sent away');
      await attempts.takeBack('a', right);
      nowMs += 1_000;
    }
    expect(await inTurn(3)).toEqual([0, 1_000, 2_000]);
  });

  it('at once queue one after another over two instances, and the rest is asked to retry', async () => {
    const other = await openLoginAttempts(readStore, clock);
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, nth): Promise<Admission> => (nth % 2 === 0 ? attempts : other).admit('a')),
    );
    const waits = all.flatMap((one) => (one.admitted ? [one.waitMs] : []));
    expect(waits.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 1_000, 3_000, 7_000]);
    const away = all.flatMap((one) => (one.admitted ? [] : [one.retryAfterMs]));
    expect(away).toHaveLength(32);
    expect(Math.min(...away)).toBeGreaterThan(0);
  });

  it('of names that are no longer tried are not kept', async () => {
    for (let nth = 0; nth < 20; nth += 1) await attempts.admit(`made up ${nth}`);
    expect(await kept()).toBe(20);
    nowMs += 16 * 60_000;
    await attempts.admit('a');
    expect(await kept()).toBe(1);
  });
});
