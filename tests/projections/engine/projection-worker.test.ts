import { describe, expect, it } from 'vitest';
import { openFills } from '../../../src/projections/engine/fills.ts';
import { openLogEnd } from '../../../src/projections/engine/log-end.ts';
import { openParkings } from '../../../src/projections/engine/parkings.ts';
import { createWorker } from '../../../src/projections/engine/projection-worker.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import type { Lease, ReadStore } from '../../../src/readstore/read-store.ts';
import { createLoopBudget } from '../../../src/shared/loop-budget.ts';
import { scriptedLog } from './scripted-log.ts';
import { sums } from './sums.ts';

const leaseOf = (fence: number): Lease => ({ name: 'projection-sums@1', owner: 'one', fence, untilMs: 0 }) as never;

/** A worker that is live and holds its lease. */
async function openWorker(
  log: ReturnType<typeof scriptedLog>,
  readStore: ReadStore,
  projection: ReturnType<typeof sums> = sums(),
) {
  const fills = await openFills(readStore);
  const worker = createWorker({
    projection,
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
  return worker;
}

/** Everything that `shown` gives while the work is done. */
async function shownDuring<T>(work: Promise<unknown>, shown: () => T): Promise<Set<T>> {
  const seen = new Set<T>();
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    seen.add(shown());
    // In between everything that needs no turn of the event loop.
    await Promise.resolve();
    if (!isDone) await new Promise((next) => setImmediate(next));
  }
  await done;
  return seen;
}

describe('a projection that is prepared', () => {
  it('says nothing of how far it is before it knows', async () => {
    const log = scriptedLog();
    const readStore = openEmbeddedReadStore({ file: ':memory:' });
    const former = await openWorker(log, readStore);
    const position = log.record({ key: 'a' });
    await former.prepare();
    await former.apply(await log.readAll({ after: '', limit: 10 }));
    await former.moveWatermark();

    const worker = await openWorker(log, readStore);
    worker.lease = leaseOf(2);
    const said = () => (worker.isPrepared() ? worker.applied() : 'unknown');
    expect([...(await shownDuring(worker.prepare(), said))]).toEqual(['unknown']);
    expect(said()).toBe(position);
    await readStore.close();
  });
});

describe('a projection whose lease is lost while it writes', () => {
  it('claims nothing that is not written, also while it is prepared to continue', async () => {
    const log = scriptedLog();
    const readStore = openEmbeddedReadStore({ file: ':memory:' });
    let onFold = (): void => {};
    const projection = sums();
    const evolve: typeof projection.evolve = (...given) => {
      onFold();
      return projection.evolve(...given);
    };
    const worker = await openWorker(log, readStore, { ...projection, evolve });
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
    const claimed = await shownDuring(worker.prepare(), worker.applied);
    expect([...claimed]).toEqual([first]);
    await readStore.close();
  });
});
