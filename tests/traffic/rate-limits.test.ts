import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { type ReadStore, ReadStoreUnavailable } from '../../src/readstore/read-store.ts';
import {
  type Allowance,
  createRateLimits,
  openSharedRateLimits,
  type RateLimits,
} from '../../src/traffic/rate-limits.ts';
import { setClock } from '../support/small-reactor-services.ts';

const START = '2026-01-05T10:00:00.000Z';
const MINUTE = 60_000;

let opened: { readStore: ReadStore; folder: string }[] = [];
afterEach(async () => {
  for (const { readStore, folder } of opened) {
    await readStore.close();
    rmSync(folder, { recursive: true, force: true });
  }
  opened = [];
});

function openStore(): ReadStore {
  const folder = mkdtempSync(join(tmpdir(), 'rate-'));
  const readStore = openEmbeddedReadStore({ file: join(folder, 'read.sqlite') });
  opened.push({ readStore, folder });
  return readStore;
}

const silent = { warn: () => undefined };

async function admittedOf(limits: RateLimits, caller: string, requests: number): Promise<number> {
  const taken = await Promise.all(Array.from({ length: requests }, () => limits.take(caller)));
  return taken.filter(({ admitted }) => admitted).length;
}

describe('the limit of one instance', () => {
  it('admits exactly so many in a minute of the clock, and says how many are left', async () => {
    const clock = setClock('2026-01-05T10:00:45.500Z');
    const limits = createRateLimits({ limit: 3, clock, fetchBlock: null });
    const taken = [1, 2, 3, 4].map(() => limits.take('a') as Allowance);
    expect(taken.map(({ admitted, remaining }) => [admitted, remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
    expect(taken[0]).toMatchObject({ limit: 3, resetSeconds: 15 });
    expect((limits.take('b') as Allowance).admitted).toBe(true);
    clock.pass(14_500);
    expect((limits.take('a') as Allowance).admitted).toBe(true);
  });
});

describe('the limit of instances that share a store', () => {
  it('is never passed, however requests are spread, and used up to the last by one instance', async () => {
    const readStore = openStore();
    let nth = 0;
    const burst = fc.record({ instance: fc.nat(3), requests: fc.integer({ min: 1, max: 40 }), passMs: fc.nat(20_000) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 120 }), fc.array(burst, { maxLength: 25 }), async (limit, bursts) => {
        nth += 1;
        const caller = `caller-${nth}`;
        const clock = setClock(START);
        const options = { limit, clock, readStore, logger: silent };
        const instances = await Promise.all([0, 1, 2, 3].map(() => openSharedRateLimits(options)));
        const through = new Map<number, number>();
        const asked: Promise<void>[] = [];
        for (const { instance, requests, passMs } of bursts) {
          clock.pass(passMs);
          const window = Math.floor(clock.now() / MINUTE);
          const counted = admittedOf(instances[instance] as RateLimits, caller, requests).then((admitted) => {
            through.set(window, (through.get(window) ?? 0) + admitted);
          });
          asked.push(counted);
          // Half of them run beside one another.
          if (requests % 2 === 0) await counted;
        }
        await Promise.all(asked);
        for (const admitted of through.values()) expect(admitted).toBeLessThanOrEqual(limit);
        const alone = await openSharedRateLimits(options);
        expect(await admittedOf(alone, `${caller}-alone`, limit + 5)).toBe(limit);
      }),
      { numRuns: 40 },
    );
  });

  it('fetches one block for all that wait for it', async () => {
    let fetched = 0;
    const limits = createRateLimits({
      limit: 100,
      clock: setClock(START),
      fetchBlock: async () => {
        fetched += 1;
        return { granted: 50, left: 50 - 50 * (fetched - 1) };
      },
    });
    expect(await admittedOf(limits, 'a', 50)).toBe(50);
    expect(fetched).toBe(1);
  });

  it('is counted by each instance separately while the store is unavailable, which is logged once', async () => {
    const readStore = openStore();
    const lines: string[] = [];
    const clock = setClock(START);
    let away = true;
    const collection = readStore.collection.bind(readStore);
    const shaky: ReadStore = Object.assign(Object.create(readStore) as ReadStore, {
      ensureCollection: readStore.ensureCollection.bind(readStore),
      collection: (spec: Parameters<ReadStore['collection']>[0]) => {
        const real = collection(spec);
        const get = (id: string) => (away ? Promise.reject(new ReadStoreUnavailable('down')) : real.get(id));
        return Object.assign(Object.create(real), { get, compareAndSet: real.compareAndSet.bind(real) });
      },
    });
    const options = { limit: 10, clock, readStore: shaky };
    const limits = await openSharedRateLimits({ ...options, logger: { warn: (_, line) => lines.push(line) } });
    expect(await admittedOf(limits, 'a', 15)).toBe(10);
    expect(await admittedOf(limits, 'b', 15)).toBe(10);
    expect(lines).toHaveLength(1);
    away = false;
    clock.pass(MINUTE);
    const other = await openSharedRateLimits({ ...options, logger: silent });
    expect((await admittedOf(limits, 'a', 6)) + (await admittedOf(other, 'a', 6))).toBe(10);
  });

  it('leaves no old windows behind', async () => {
    const readStore = openStore();
    const clock = setClock(START);
    const limits = await openSharedRateLimits({ limit: 5, clock, readStore, logger: silent });
    const windows = readStore.collection({ name: 'rate_windows', indexes: [{ fields: ['endsAtMs'] }] });
    await limits.take('a');
    clock.pass(20 * MINUTE);
    await limits.take('b');
    await expect.poll(async () => (await windows.find({ filter: [], sort: [], limit: 10 })).length).toBe(1);
  });
});
