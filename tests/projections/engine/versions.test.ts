import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRegistry } from '../../../src/projections/engine/live-versions.ts';
import { type ProjectionRunner, startProjections } from '../../../src/projections/engine/projection-runner.ts';
import { openReadModels } from '../../../src/projections/engine/read-models.ts';
import type { RunnableProjection } from '../../../src/projections/engine/runnable.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import type { ReadStore } from '../../../src/readstore/read-store.ts';
import { eventually } from './eventually.ts';
import { faultyStore } from './faulty-store.ts';
import { type ScriptedLog, scriptedLog } from './scripted-log.ts';
import { expectedSums, type SumDocument, sums } from './sums.ts';

const LONG_MS = 20_000;

describe('versions of a read model', () => {
  let log: ScriptedLog;
  let store: ReadStore;
  let nowMs: number;
  const clock = { now: () => nowMs };
  const runners: ProjectionRunner[] = [];

  beforeEach(() => {
    log = scriptedLog(40);
    store = openEmbeddedReadStore({ file: ':memory:' });
    nowMs = 1_700_000_100_000;
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.stop();
    await store.close();
  });

  function start(projections: readonly RunnableProjection[], readStore = store, owner = 'one'): ProjectionRunner {
    const timing = { tickMs: 5, pollMs: 2, backoffFirstMs: 1, backoffMostMs: 5 };
    const runner = startProjections({ log, readStore, projections, clock, owner, timing });
    runners.push(runner);
    return runner;
  }
  const stop = async (runner: ProjectionRunner): Promise<void> => {
    runners.splice(runners.indexOf(runner), 1);
    await runner.stop();
  };
  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `k${n % 10}`, amount: n }));
  const doubled = (version: number) => {
    const plain = sums({ version });
    return {
      ...plain,
      evolve: (...[document, event, key]: Parameters<typeof plain.evolve>) => {
        const next = plain.evolve(document, event, key);
        return next === undefined || next === document ? next : { ...next, doubled: true };
      },
    };
  };

  it('builds the new one beside the live one, which is still read, and then switches to it', async () => {
    const [old, next] = [sums(), doubled(2)];
    const before = start([old]);
    const position = log.record(...many(400));
    await before.waitFor(['sums'], position, LONG_MS);
    await stop(before);

    const slow = faultyStore(store);
    slow.failBefore = Number.POSITIVE_INFINITY;
    const runner = start([next], slow);
    const readModels = await openReadModels({ readStore: store, projections: [next], clock });
    const collection = readModels.of(next);
    expect(await readModels.liveCollection(next)).toBe('sums_v1');
    expect((await collection.get('k1'))?.seen).toHaveLength(40);
    await eventually(() => expect(runner.status()[0]?.error?.message).toBe('before'));
    expect(runner.status()[0]).toMatchObject({ version: 2, state: 'catching-up' });

    let reading = true;
    const seen = new Set<string>();
    const reads = (async () => {
      while (reading) {
        nowMs += 1_000;
        seen.add(await readModels.liveCollection(next));
        const document: (SumDocument & { doubled?: boolean }) | undefined = await collection.get('k1');
        expect(document?.seen).toHaveLength(40);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    slow.failBefore = 0;
    await eventually(() => expect(runner.status()[0]?.state).toBe('live'));
    await eventually(() => expect(seen).toEqual(new Set(['sums_v1', 'sums_v2'])));
    reading = false;
    await reads;

    const entry = await (await openRegistry(store)).get('sums');
    expect(entry).toMatchObject({ live: 2, previous: 1, verified: { position, documents: 10, refolded: 10 } });
    const later = log.record(...many(10));
    expect(await runner.waitFor(['sums'], later, LONG_MS)).toBe(true);
    expect(await collection.get('k1')).toMatchObject({ doubled: true, sum: expectedSums(log.events).get('k1')?.sum });
    expect(await store.collection({ name: 'sums_v1', indexes: [] }).count([])).toBe(10);
  });

  it('does not switch to a version that differs from its fold from the log', async () => {
    const position = log.record(...many(50));
    const before = start([sums()]);
    await before.waitFor(['sums'], position, LONG_MS);
    await stop(before);
    let folds = 0;
    const fickle = { ...sums({ version: 2 }) };
    const { evolve } = fickle;
    fickle.evolve = (document, event, key) => {
      const next = evolve(document, event, key);
      folds += 1;
      return next === undefined ? next : { ...next, sum: folds };
    };
    const runner = start([fickle]);
    await eventually(() => expect(runner.status()[0]?.state).toBe('halted'));
    expect(runner.status()[0]?.error?.message).toMatch(/^verification failed: sums_v2: document k\d differs/);
    expect(await (await openReadModels({ readStore: store, projections: [fickle] })).liveCollection(fickle)).toBe(
      'sums_v1',
    );
  });

  it('keeps the previous version for a rollback, and drops the one before it', async () => {
    for (const version of [1, 2, 3]) {
      const projection = sums({ version });
      const runner = start([projection]);
      await runner.waitFor(['sums'], log.record(...many(20)), LONG_MS);
      await eventually(() => expect(runner.status()[0]?.state).toBe('live'));
      await stop(runner);
    }
    expect(await (await openRegistry(store)).get('sums')).toMatchObject({ live: 3, previous: 2 });
    expect(await store.collection({ name: 'sums_v1', indexes: [] }).count([])).toBe(0);
    expect((await store.checkpoints(['sums@1', 'sums@2', 'sums@3'])).size).toBe(2);

    const back = sums({ version: 2 });
    const runner = start([back]);
    const position = log.record(...many(20));
    expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
    const readModels = await openReadModels({ readStore: store, projections: [back] });
    expect(await readModels.liveCollection(back)).toBe('sums_v2');
    expect(await readModels.of(back).get('k1')).toEqual(expectedSums(log.events).get('k1'));
    expect(await (await openRegistry(store)).get('sums')).toMatchObject({ live: 3 });
  });

  it('makes the very first version live at once', async () => {
    const runner = start([sums({ version: 4 })]);
    await eventually(() => expect(runner.status()[0]?.state).toBe('live'));
    expect(await (await openRegistry(store)).get('sums')).toMatchObject({ live: 4, previous: null, verified: null });
  });

  it('notifies no waiter for a version that is not live yet', async () => {
    const before = start([sums()]);
    await before.waitFor(['sums'], log.record(...many(100)), LONG_MS);
    await stop(before);
    const runner = start([sums({ version: 2 })]);
    const heard: string[] = [];
    runner.onApplied((applied) => heard.push(applied.position));
    await eventually(() => expect(runner.status()[0]?.state).toBe('live'));
    expect(heard).toEqual([]);
    const position = log.record(...many(1));
    await runner.waitFor(['sums'], position, LONG_MS);
    expect(heard).toEqual([position]);
  });

  it('gives a read-only collection that pages and counts', async () => {
    const projection = sums();
    const runner = start([projection]);
    await runner.waitFor(['sums'], log.record(...many(30)), LONG_MS);
    const collection = (await openReadModels({ readStore: store, projections: [projection], clock })).of(projection);
    const sort = [{ field: 'sum', direction: 'desc' }] as const;
    const iterated: SumDocument[] = [];
    for await (const document of collection.iterate({ filter: [], sort, pageSize: 3 })) iterated.push(document);
    expect(iterated).toEqual(await collection.find({ filter: [], sort, limit: 100 }));
    expect(await collection.count([])).toBe(10);
    expect((await collection.getMany(['k1', 'none'])).size).toBe(1);
    await expect(collection.putMany([])).rejects.toThrow('by their projections');
    await expect(collection.deleteMany([])).rejects.toThrow('by their projections');
  });
});
