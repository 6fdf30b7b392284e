import { describe, expect, it } from 'vitest';
import { openFills } from '../../../src/projections/engine/fills.ts';
import { openLogEnd } from '../../../src/projections/engine/log-end.ts';
import { openParkings } from '../../../src/projections/engine/parkings.ts';
import { createWorker } from '../../../src/projections/engine/projection-worker.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import type { Lease } from '../../../src/readstore/read-store.ts';
import { createLoopBudget } from '../../../src/shared/loop-budget.ts';
import { scriptedLog } from './scripted-log.ts';
import { sums } from './sums.ts';

const leaseOf = (fence: number): Lease => ({ name: 'projection-sums@1', owner: 'one', fence, untilMs: 0 }) as never;

describe('a projection whose lease is lost while it writes', () => {
  it('claims nothing that is not written, also while it is prepared to continue', async () => {
    const log = scriptedLog();
    const readStore = openEmbeddedReadStore({ file: ':memory:' });
    const fills = await openFills(readStore);
    let onFold = (): void => {};
    const projection = sums();
    const evolve: typeof projection.evolve = (...given) => {
      onFold();
      return projection.evolve(...given);
    };
    const worker = createWorker({
      projection: { ...projection, evolve },
      readStore,
      logEnd: openLogEnd(log),
      head: () => log.head(),
      fills: async () => fills,
      parkings: () => openParkings(readStore),
      backoff: { firstMs: 1, mostMs: 1 },
      signal: new AbortController().signal,
      budget: createLoopBudget(8),
      onWritten: () => {},
      onMoved: () => {},
      onStartedAgain: () => {},
      onHalted: () => {},
      onFault: () => {},
    });
    worker.live = true;
    worker.lease = leaseOf(1);
    const first = log.record({ key: 'a' });
    await worker.prepare();
    await worker.apply(await log.readAll({ after: '', limit: 10 }));
    expect(worker.applied()).toBe(first);

    log.record({ key: 'b' });
    const batch = await log.readAll({ after: first, limit: 10 });
    onFold = () => {
      worker.lease = undefined;
    };
    expect(await worker.apply(batch)).toBe('lost');
    expect(worker.applied()).toBe(first);

    worker.lease = leaseOf(2);
    const preparing = worker.prepare();
    const claimed = new Set<string>();
    let isPrepared = false;
    const watch = async (): Promise<void> => {
      while (!isPrepared) {
        claimed.add(worker.applied());
        await new Promise((done) => setImmediate(done));
      }
    };
    const watching = watch();
    await preparing;
    isPrepared = true;
    await watching;
    expect([...claimed]).toEqual([first]);
    await readStore.close();
  });
});
