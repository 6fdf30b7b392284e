import { describe, expect, it } from 'vitest';
import { startProjections } from '../../../src/projections/engine/projection-runner.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import { createLoopBudget } from '../../../src/shared/loop-budget.ts';
import { scriptedLog } from './scripted-log.ts';
import { type SumDocument, sums } from './sums.ts';

const STRETCH_MS = 8;
const EVENTS = 40;

describe('projections that fold in one thread', () => {
  it.each([1, 4, 25])('hold its event loop for at most 8 ms at a stretch together: %i of them', async (count) => {
    let nowMs = 0;
    // The clock advances only while a fold runs: by a millisecond for each event.
    const projections = Array.from({ length: count }, (_, nth) => {
      const projection = sums({ name: `sums-${nth}` });
      const evolve = (...of: Parameters<typeof projection.evolve>) => {
        nowMs += 1;
        return projection.evolve(...of);
      };
      return { ...projection, evolve };
    });
    const log = scriptedLog();
    const readStore = openEmbeddedReadStore({ file: ':memory:' });
    log.record(...Array.from({ length: EVENTS }, (_, nth) => ({ key: `k${nth % 7}` })));

    const stretches: number[] = [];
    let seenMs = 0;
    let over = false;
    const watch = (): void => {
      stretches.push(nowMs - seenMs);
      seenMs = nowMs;
      if (!over) setImmediate(watch);
    };
    setImmediate(watch);

    const budget = createLoopBudget(STRETCH_MS, {
      now: () => nowMs,
      afterOthers: (callback) => void setImmediate(callback),
    });
    const clock = { now: () => 1_700_000_100_000 };
    const runner = startProjections({ log, readStore, projections, clock, owner: 'one', budget });
    const names = projections.map(({ name }) => name);
    expect(await runner.waitFor(names, await log.head(), 100_000)).toBe(true);
    over = true;
    expect(nowMs).toBe(count * EVENTS);
    expect(Math.max(...stretches)).toBeLessThanOrEqual(STRETCH_MS);
    const collection = readStore.collection<SumDocument>({ name: 'sums-0_v1', indexes: [] });
    expect((await collection.get('k0'))?.sum).toBe(6);
    await runner.stop();
    await readStore.close();
  });
});
