import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestCollection } from '../../src/projections/engine/digest.ts';
import { type ProjectionRunner, startProjections } from '../../src/projections/engine/projection-runner.ts';
import { openReadModels } from '../../src/projections/engine/read-models.ts';
import { rebuildProjection } from '../../src/projections/engine/rebuild.ts';
import { openMongoDbReadStore } from '../../src/readstore/mongodb/mongodb-read-store.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { eventually } from '../projections/engine/eventually.ts';
import { faultyStore } from '../projections/engine/faulty-store.ts';
import { type ScriptedLog, scriptedLog } from '../projections/engine/scripted-log.ts';
import { expectedSums, sums } from '../projections/engine/sums.ts';

const serverUrl = process.env.MONGODB_TEST_URL;
const LONG_MS = 20_000;

describe.skipIf(serverUrl === undefined)('projections on MongoDB', () => {
  const target = new URL((serverUrl ?? 'mongodb://unset').replace(/^mongodb/, 'http'));
  target.pathname = `/readstore_${randomUUID().replaceAll('-', '')}`;
  const url = target.toString().replace(/^http/, 'mongodb');
  let store: ReadStore;
  let log: ScriptedLog;
  const runners: ProjectionRunner[] = [];

  beforeAll(() => {
    store = openMongoDbReadStore({ url });
    log = scriptedLog(30);
  });
  afterAll(async () => {
    for (const runner of runners) await runner.stop();
    await store.close();
    const client = new MongoClient(url);
    await client.db().dropDatabase();
    await client.close();
  });

  it('hand over between instances, survive lost answers, and equal a fresh rebuild', async () => {
    let nowMs = 1_700_000_100_000;
    const projection = sums();
    const timing = { tickMs: 5, pollMs: 2, backoffFirstMs: 1, backoffMostMs: 5 };
    const start = (owner: string, readStore: ReadStore): ProjectionRunner => {
      const clock = { now: () => nowMs };
      const runner = startProjections({ log, readStore, projections: [projection], clock, owner, timing });
      runners.push(runner);
      return runner;
    };
    const record = (count: number): string =>
      log.record(
        ...Array.from({ length: count }, (_, n) => ({ key: `k${n % 7}`, amount: n, type: n % 4 ? 'Added' : 'Shared' })),
      );

    const faulty = faultyStore(store);
    const first = start('one', faulty);
    expect(await first.waitFor(['sums'], record(200), LONG_MS)).toBe(true);
    faulty.failBetween = 2;
    faulty.failAfter = 2;
    expect(await first.waitFor(['sums'], record(100), LONG_MS)).toBe(true);
    const second = start('two', store);
    await eventually(() => expect(second.status()[0]?.state).toBe('standby'));
    faulty.leasesAway = true;
    nowMs += 60_000;
    await eventually(() => expect(second.status()[0]?.state).toBe('live'));
    const position = record(100);
    expect(await second.waitFor(['sums'], position, LONG_MS)).toBe(true);
    await eventually(() => expect(first.status()[0]?.state).toBe('standby'));

    const { collection } = await rebuildProjection({ log, readStore: store, projection, upTo: position });
    const live = await digestCollection(store, { name: 'sums_v1', indexes: projection.indexes });
    expect(await digestCollection(store, collection)).toBe(live);
    const documents = (await openReadModels({ readStore: store, projections: [projection] })).of(projection);
    expect(await documents.get('all')).toEqual(expectedSums(log.events).get('all'));
    expect(await documents.count([])).toBe(8);
  });
});
