import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ProjectionRunner, startProjections } from '../../../src/projections/engine/projection-runner.ts';
import { versionedName } from '../../../src/projections/engine/runnable.ts';
import { lookAgainMs } from '../../../src/projections/engine/waiting.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import type { ReadStore } from '../../../src/readstore/read-store.ts';
import { eventually } from './eventually.ts';
import { faultyStore } from './faulty-store.ts';
import { scriptedLog } from './scripted-log.ts';
import { sums } from './sums.ts';

const LONG_MS = 20_000;
const [own, others] = [sums({ name: 'own' }), sums({ name: 'others' })];

describe('waiting for a read model of another instance', () => {
  const log = scriptedLog();
  let store: ReadStore;
  const runners: ProjectionRunner[] = [];
  /** Reads of checkpoints. */
  let looks = 0;

  beforeEach(async () => {
    looks = 0;
    const inner = faultyStore(openEmbeddedReadStore({ file: ':memory:' }));
    store = {
      ...inner,
      checkpoints(names) {
        looks += 1;
        return inner.checkpoints(names);
      },
    };
    await store.leases.acquireMany([`projection/${versionedName(others)}`], 'another', 3_600_000, 1_700_000_000_000);
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.stop();
    await store.close();
  });

  function start(pollMs: number): ProjectionRunner {
    const runner = startProjections({
      log,
      readStore: store,
      projections: [own, others],
      clock: { now: () => 1_700_000_000_000 },
      owner: 'one',
      timing: { tickMs: 100_000, pollMs, backoffFirstMs: 1, backoffMostMs: 5 },
    });
    runners.push(runner);
    return runner;
  }

  /** As the other instance would. */
  async function move(position: string): Promise<void> {
    const expected = (await store.checkpoints([versionedName(others)])).get(versionedName(others))?.position ?? null;
    const checkpoint = { name: versionedName(others), expected, position, fence: 1 };
    await store.commitBatch({ collection: { name: 'others_v1', indexes: [] }, documents: [], checkpoint });
  }

  it('reads nothing because a read model of this instance moves', async () => {
    const runner = start(100_000);
    const first = log.record({ key: 'a' });
    expect(await runner.waitFor(['own'], first, LONG_MS)).toBe(true);
    await eventually(() => expect(runner.status().map(({ state }) => state)).toEqual(['live', 'standby']));
    const waiting = runner.waitFor(['own', 'others'], first, 3_600_000);
    await eventually(() => expect(looks).toBeGreaterThan(0));
    const before = looks;
    for (let n = 0; n < 20; n += 1) {
      expect(await runner.waitFor(['own'], log.record({ key: 'a', type: 'Added' }), LONG_MS)).toBe(true);
    }
    expect(looks - before).toBeLessThanOrEqual(1);
    await runner.stop();
    expect(await waiting).toBe(false);
  });

  it('ends when the other instance has written it, and looks once more when the time is up', async () => {
    const runner = start(2);
    const position = log.record({ key: 'a' });
    const waiting = runner.waitFor(['own', 'others'], position, LONG_MS);
    expect(await runner.waitFor(['own', 'others'], position, 1)).toBe(false);
    await move(position);
    expect(await waiting).toBe(true);
    const further = log.record({ key: 'a' });
    const untilTheEnd = start(3_600_000).waitFor(['others'], further, 1_500);
    await move(further);
    expect(await untilTheEnd).toBe(true);
  });

  it('looks at growing intervals, which prolong a wait by a quarter at most', () => {
    const looksUntil = (endMs: number): number => {
      let count = 1;
      for (let atMs = 0; atMs < endMs; count += 1) atMs += lookAgainMs(atMs, 25);
      return count;
    };
    expect([0, 100, 400, 2_000, 60_000].map((waitedMs) => lookAgainMs(waitedMs, 25))).toEqual([25, 25, 100, 500, 500]);
    expect(looksUntil(2_000)).toBeLessThan(25);
    expect(looksUntil(60_000)).toBeLessThan(140);
  });
});
