import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/events/event.ts';
import { openEmbeddedLog } from '../../../src/log/embedded/embedded-log.ts';
import { streamName } from '../../../src/log/streams.ts';
import { checkpointsAhead, openLogEnd } from '../../../src/projections/engine/log-end.ts';
import { openProgress } from '../../../src/projections/engine/progress.ts';
import { type ProjectionRunner, startProjections } from '../../../src/projections/engine/projection-runner.ts';
import type { RunnableProjection } from '../../../src/projections/engine/runnable.ts';
import type { Projection } from '../../../src/projections/projection.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import type { ReadStore } from '../../../src/readstore/read-store.ts';
import { newId } from '../../../src/shared/ids.ts';
import { eventually } from './eventually.ts';
import { type ScriptedLog, scriptedLog } from './scripted-log.ts';
import { expectedSums, type SumDocument, sums } from './sums.ts';

const LONG_MS = 20_000;
const QUICK = { tickMs: 5, pollMs: 2, backoffFirstMs: 1, backoffMostMs: 5 };
/** As far as a position of the scripted log can be. */
const AHEAD = '9'.repeat(20);

describe('a checkpoint ahead of the log', () => {
  let log: ScriptedLog;
  let store: ReadStore;
  let nowMs: number;
  const runners: ProjectionRunner[] = [];
  const warnings: object[] = [];

  beforeEach(() => {
    log = scriptedLog();
    store = openEmbeddedReadStore({ file: ':memory:' });
    nowMs = 1_700_000_100_000;
    warnings.length = 0;
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.stop();
    await store.close();
  });

  function start(projections: readonly RunnableProjection[], owner = 'one'): ProjectionRunner {
    const runner = startProjections({
      log,
      readStore: store,
      projections,
      clock: { now: () => nowMs },
      owner,
      timing: QUICK,
      logger: {
        info: () => {},
        warn: (fields, message) => warnings.push({ ...fields, message }),
        error: () => {},
      },
    });
    runners.push(runner);
    return runner;
  }

  const stop = async (runner: ProjectionRunner): Promise<void> => {
    runners.splice(runners.indexOf(runner), 1);
    await runner.stop();
  };

  async function plant(projection: RunnableProjection, position: string, fence?: number): Promise<void> {
    const name = `${projection.name}@${projection.version}`;
    const before = (await store.checkpoints([name])).get(name);
    const outcome = await store.commitBatch({
      collection: { name: `${projection.name}_v${projection.version}`, indexes: projection.indexes },
      documents: [],
      checkpoint: { name, expected: before?.position ?? null, position, fence: fence ?? before?.fence ?? 0 },
    });
    expect(outcome).toBe('committed');
  }

  const checkpointOf = async (name: string) => (await store.checkpoints([name])).get(name);

  const documentsOf = async (projection: Projection<SumDocument>): Promise<Map<string, SumDocument>> => {
    const spec = { name: `${projection.name}_v${projection.version}`, indexes: projection.indexes };
    const all = await store.collection<SumDocument>(spec).find({ filter: [], sort: [], limit: 10_000 });
    return new Map(all.map((document) => [document._id, document]));
  };

  const many = (count: number): { key: string; amount: number }[] =>
    Array.from({ length: count }, (_, n) => ({ key: `k${n % 5}`, amount: n }));

  const startedAgain = (): object[] =>
    warnings.filter((each) => 'message' in each && String(each.message).includes('ahead of the log'));

  it('is ignored: the projection starts again, documents skip what they contain, and this is logged', async () => {
    const projection = sums();
    const before = start([projection]);
    const first = log.record(...many(30));
    await before.waitFor(['sums'], first, LONG_MS);
    await stop(before);
    await plant(projection, AHEAD);
    const second = log.record(...many(12));
    const runner = start([projection]);
    await eventually(async () => expect(await documentsOf(projection)).toEqual(expectedSums(log.events)));
    expect(await runner.waitFor(['sums'], second, LONG_MS)).toBe(true);
    await eventually(async () => expect((await checkpointOf('sums@1'))?.position).toBe(second));
    expect(startedAgain()).toEqual([expect.objectContaining({ projection: 'sums@1', checkpoint: AHEAD })]);
  });

  it('is ignored on an empty log, so that the first event is folded', async () => {
    const projection = sums();
    await plant(projection, AHEAD, 1);
    const runner = start([projection]);
    await eventually(async () => expect((await checkpointOf('sums@1'))?.position).toBe(''));
    const position = log.record({ key: 'a' });
    expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
    expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
  });

  it('of one projection among several costs the others nothing', async () => {
    const names = ['one', 'two', 'three'];
    const projections = names.map((name) => sums({ name }));
    const before = start(projections);
    await before.waitFor(names, log.record(...many(40)), LONG_MS);
    await stop(before);
    await plant(projections[1] as RunnableProjection, AHEAD);
    const position = log.record(...many(5));
    const runner = start(projections);
    const given = log.given;
    await eventually(async () => {
      for (const projection of projections) expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
    });
    expect(await runner.waitFor(names, position, LONG_MS)).toBe(true);
    // One reading of the whole log and one of its end.
    expect(log.given - given).toBeLessThanOrEqual(45 + 2 * 5);
    expect(startedAgain()).toHaveLength(1);
    const last = log.record(...many(5));
    expect(await runner.waitFor(names, last, LONG_MS)).toBe(true);
    for (const projection of projections) expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
  });

  it('is not a position after our last event but within the log', async () => {
    const projection = sums();
    log.record(...many(10));
    const passed = log.pass();
    await plant(projection, passed, 0);
    const runner = start([projection]);
    await eventually(() => expect(runner.status()[0]?.state).toBe('live'));
    expect(log.subscriptions).toEqual([passed]);
    expect(startedAgain()).toEqual([]);
  });

  it('of a version that is built beside the live one is ignored too', async () => {
    const [live, next] = [sums(), sums({ version: 2 })];
    const before = start([live]);
    const position = log.record(...many(20));
    await before.waitFor(['sums'], position, LONG_MS);
    await stop(before);
    await plant(next, AHEAD);
    const runner = start([next]);
    await eventually(() => expect(runner.status()[0]).toMatchObject({ version: 2, state: 'live', error: null }));
    expect(await documentsOf(next)).toEqual(expectedSums(log.events));
  });

  it('is reset under the fence of the present owner, so that a former one cannot advance it again', async () => {
    const projection = sums();
    await plant(projection, AHEAD, 0);
    const runner = start([projection]);
    await eventually(async () => expect((await checkpointOf('sums@1'))?.position).toBe(''));
    const lease = (await store.leases.getMany(['projection/sums@1'])).get('projection/sums@1');
    expect(lease?.fence).toBeGreaterThan(0);
    expect((await checkpointOf('sums@1'))?.fence).toBe(lease?.fence);
    const position = log.record(...many(10));
    expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
    const spec = { name: 'sums_v1', indexes: projection.indexes };
    for (const expected of [AHEAD, position, '']) {
      const checkpoint = { name: 'sums@1', expected, position: AHEAD, fence: 0 };
      expect(await store.commitBatch({ collection: spec, documents: [], checkpoint })).toBe('fenced');
    }
  });

  it('of an owner with a later fence is left to that owner', async () => {
    const projection = sums();
    log.record(...many(10));
    // Fences of leases begin at one: this one stands above whatever the runner is given for a while.
    await plant(projection, AHEAD, 4);
    const outcomes: (string | undefined)[] = [];
    const watched: ReadStore = {
      ...store,
      leases: store.leases,
      ensureCollection: (spec, options) => store.ensureCollection(spec, options),
      collection: (spec) => store.collection(spec),
      dropCollection: (name) => store.dropCollection(name),
      checkpoints: (names) => store.checkpoints(names),
      deleteCheckpoint: (name) => store.deleteCheckpoint(name),
      ping: () => store.ping(),
      close: () => store.close(),
      async commitBatch(batch) {
        outcomes.push(`${batch.checkpoint.fence}`);
        return store.commitBatch(batch);
      },
    };
    const runner = startProjections({
      log,
      readStore: watched,
      projections: [projection],
      clock: { now: () => nowMs },
      owner: 'one',
      timing: QUICK,
    });
    runners.push(runner);
    await eventually(async () => expect(await documentsOf(projection)).toEqual(expectedSums(log.events)));
    for (const fence of outcomes) expect(Number(fence)).toBeGreaterThanOrEqual(4);
  });

  it('of another instance is neither shown nor waited for', async () => {
    const projection = sums();
    const first = start([projection]);
    const position = log.record(...many(10));
    await first.waitFor(['sums'], position, LONG_MS);
    const standby = start([projection], 'two');
    await eventually(() => expect(standby.status()[0]).toMatchObject({ state: 'standby', position }));
    await stop(first);
    await stop(standby);
    await store.leases.acquireMany(['projection/sums@1'], 'of the former version', 3_600_000, nowMs);
    await plant(projection, AHEAD, 100);
    const third = start([projection], 'three');
    await eventually(() => expect(log.subscriptions.length).toBeGreaterThan(0));
    const later = log.record(...many(10));
    expect(await third.waitFor(['sums'], later, 50)).toBe(false);
    expect(third.status()[0]).toMatchObject({ state: 'standby', position: '' });
  });

  it('is not waited for in an instance that runs no projection', async () => {
    const projection = sums();
    await plant(projection, AHEAD, 1);
    const progress = openProgress({ log, readStore: store, projections: [projection] });
    const position = log.record({ key: 'a' });
    expect(await progress.waitFor(['sums'], position, 1)).toBe(false);
    expect(await progress.positionOf('sums')).toBe('');
    await plant(projection, position);
    expect(await progress.waitFor(['sums'], position, LONG_MS)).toBe(true);
    expect(await progress.positionOf('sums')).toBe(position);
    log.failures = 1;
    expect(await progress.positionOf('sums')).toBe(position);
  });

  it('is named by the check, whichever version is live', async () => {
    const [one, two, next] = [sums({ name: 'one' }), sums({ name: 'two' }), sums({ name: 'two', version: 2 })];
    const before = start([one, two]);
    await before.waitFor(['one', 'two'], log.record(...many(3)), LONG_MS);
    await stop(before);
    const stale = () => checkpointsAhead({ logEnd: openLogEnd(log), readStore: store, projections: [one, next] });
    expect(await stale()).toEqual([]);
    await plant(one, AHEAD);
    expect(await stale()).toEqual(['one']);
    await plant(two, AHEAD);
    expect(await stale()).toEqual(['one', 'two']);
    log.failures = 1;
    expect(await stale()).toEqual([]);
  });
});

describe('the end of a log', () => {
  it('is requested only for a position beyond what is known, and once for many concurrent callers', async () => {
    const log = scriptedLog();
    let asked = 0;
    const end = openLogEnd({
      end: async () => {
        asked += 1;
        return log.end();
      },
    });
    const first = log.record({ key: 'a' }, { key: 'b' });
    expect(await Promise.all([end.reaches(first), end.reaches(first), end.reaches('')])).toEqual([true, true, true]);
    expect(await end.reaches(log.events[0]?.position ?? '')).toBe(true);
    expect(asked).toBe(1);
    expect(await end.reaches(AHEAD)).toBe(false);
    expect(asked).toBe(2);
  });

  it('is read again for a caller that arrives during an earlier read', async () => {
    const log = scriptedLog();
    log.record({ key: 'a' });
    const { promise, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    const end = openLogEnd({
      end: async () => {
        asked += 1;
        const answer = await log.end();
        if (asked === 1) await promise;
        return answer;
      },
    });
    const early = end.reaches(AHEAD);
    const second = log.record({ key: 'b' });
    const late = end.reaches(second);
    resolve();
    expect([await early, await late]).toEqual([false, true]);
  });
});

it('the embedded stores recover from a checkpoint ahead of the log, even one of another log', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ahead-'));
  const log = openEmbeddedLog({
    file: join(folder, 'log.sqlite'),
    codec: { check: () => {}, upcast: (_type, schemaVersion, data) => ({ schemaVersion, data }) },
  });
  const readStore = openEmbeddedReadStore({ file: join(folder, 'read.sqlite') });
  const event = (amount: number): NewEvent => ({
    id: newId(),
    type: 'Added',
    data: { key: 'a', amount },
    metadata: {
      schemaVersion: 1,
      tenantId: 't1',
      companyId: null,
      actor: { type: 'system', id: 'test' },
      correlationId: newId(),
      causationId: null,
    },
  });
  try {
    const stream = streamName('bankTransaction', 't1', 'one');
    await log.append({ stream, expected: 'no-stream', events: [event(1), event(2)] });
    const projections = ['one', 'two'].map((name) => sums({ name }));
    const ahead = ['9'.repeat(16), `${2n ** 64n - 1n}-${2n ** 64n - 1n}`];
    for (const [at, { name, indexes }] of projections.entries()) {
      const checkpoint = { name: `${name}@1`, expected: null, position: ahead[at] ?? '', fence: 1 };
      await readStore.commitBatch({ collection: { name: `${name}_v1`, indexes }, documents: [], checkpoint });
    }
    const runner = startProjections({
      log,
      readStore,
      projections,
      clock: { now: () => 1_700_000_100_000 },
      owner: 'embedded',
      timing: QUICK,
    });
    for (const { name, indexes } of projections) {
      const collection = readStore.collection<SumDocument>({ name: `${name}_v1`, indexes });
      await eventually(async () => expect((await collection.get('a'))?.sum).toBe(3));
    }
    const appended = await log.append({ stream, expected: 1, events: [event(4)] });
    if (appended.outcome !== 'appended') throw new Error('not appended');
    expect(await runner.waitFor(['one', 'two'], appended.position, LONG_MS)).toBe(true);
    await runner.stop();
  } finally {
    await readStore.close();
    await log.close();
    await rm(folder, { recursive: true });
  }
});
