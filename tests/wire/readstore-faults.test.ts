import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startProjections } from '../../src/projections/engine/projection-runner.ts';
import { openMongoDbReadStore } from '../../src/readstore/mongodb/mongodb-read-store.ts';
import { type Document, type ReadStore, ReadStoreUnavailable } from '../../src/readstore/read-store.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { eventually } from '../projections/engine/eventually.ts';
import { scriptedLog } from '../projections/engine/scripted-log.ts';
import { expectedSums, sums } from '../projections/engine/sums.ts';
import { type MongoFault, type MongoFaultProxy, refusal, startMongoFaultProxy } from '../support/mongo-fault-proxy.ts';
import { seededRandom } from '../support/random.ts';

const serverUrl = process.env.MONGODB_TEST_URL;

const SPEC = { name: 'things', indexes: [{ fields: ['kind'] }] };
type Thing = Document & { readonly kind: string };

const thing = (n: number, position = '1'): Thing => ({ _id: `t${n}`, _position: position, kind: `k${n}` });

describe.skipIf(serverUrl === undefined)('the MongoDB store when its server fails', () => {
  const given = new URL((serverUrl ?? 'mongodb://unset').replace(/^mongodb/, 'http'));
  given.pathname = `/faults_${randomUUID().replaceAll('-', '')}`;
  const direct = given.toString().replace(/^http/, 'mongodb');
  let proxy: MongoFaultProxy;
  let store: ReadStore;

  beforeAll(async () => {
    proxy = await startMongoFaultProxy(direct);
    const url = new URL(proxy.url);
    url.searchParams.set('socketTimeoutMS', '700');
    store = openMongoDbReadStore({ url: url.toString() });
    await store.ensureCollection(SPEC);
  });
  afterEach(() => {
    proxy.fault = () => undefined;
    proxy.thaw();
  });
  afterAll(async () => {
    await store.close();
    await proxy.close();
    const client = new MongoClient(direct);
    await client.db().dropDatabase();
    await client.close();
  });

  /** The fault for the next commands of that name, then none. */
  function failAt(name: string, fault: MongoFault, times = 1): void {
    let left = times;
    proxy.fault = (command) => {
      if (command.name !== name || left === 0) return undefined;
      left -= 1;
      return fault;
    };
  }

  /** Every write may be repeated after a fault of availability. */
  async function untilWritten(write: () => Promise<unknown>): Promise<void> {
    await eventually(async () => {
      const failure = await write().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure !== undefined) expect(failure).toBeInstanceOf(ReadStoreUnavailable);
      expect(failure).toBeUndefined();
    });
  }

  const PASSING: readonly (readonly [string, MongoFault])[] = [
    ['a link that is cut before', 'cut'],
    ['a link that is cut after', 'cut-answer'],
    ['a server that is frozen', 'freeze'],
    ['a step-down', refusal(10_107, 'NotWritablePrimary')],
    ['a cursor that is gone', refusal(43, 'CursorNotFound')],
    ['a write conflict', refusal(112, 'WriteConflict')],
    ['a query plan that was killed', refusal(175, 'QueryPlanKilled')],
    ['a server short of memory', refusal(365, 'TemporarilyUnavailable')],
  ];

  describe.each(PASSING)('%s', (_name, fault) => {
    it('of an insert is a fault of availability, and the write can be repeated', async () => {
      const collection = store.collection<Thing>(SPEC);
      const documents = Array.from({ length: 20 }, (_, n) => ({ ...thing(n), _id: randomUUID() }));
      failAt('insert', fault);
      await expect(collection.putMany(documents)).rejects.toThrow(ReadStoreUnavailable);
      proxy.thaw();
      await untilWritten(() => collection.putMany(documents));
      expect((await collection.getMany(documents.map(({ _id }) => _id))).size).toBe(20);
    });

    it('of a bulk of updates is a fault of availability, and the write can be repeated', async () => {
      const collection = store.collection<Thing>(SPEC);
      const ids = [randomUUID(), randomUUID()];
      await collection.putMany(ids.map((_id) => ({ ...thing(1), _id })));
      const newer = ids.map((_id) => ({ ...thing(2, '2'), _id }));
      failAt('update', fault);
      await expect(collection.putMany(newer)).rejects.toThrow(ReadStoreUnavailable);
      proxy.thaw();
      await untilWritten(() => collection.putMany(newer));
      expect(await collection.getMany(ids)).toEqual(new Map(newer.map((one) => [one._id, one])));
    });

    it('of a find is a fault of availability', async () => {
      failAt('find', fault, 2);
      await expect(store.collection<Thing>(SPEC).find({ filter: [], sort: [], limit: 10 })).rejects.toThrow(
        ReadStoreUnavailable,
      );
    });
  });

  it('considers all write errors of a bulk, and the write concern', async () => {
    const collection = store.collection<Thing>(SPEC);
    const duplicate = { index: 0, code: 11_000, errmsg: 'E11000 duplicate key' };
    const answers = [
      { ok: 1, n: 0, writeErrors: [duplicate, { index: 1, code: 189, errmsg: 'PrimarySteppedDown' }] },
      { ok: 1, n: 1, writeErrors: [duplicate], writeConcernError: { code: 64, errmsg: 'waiting for replication' } },
      { ok: 1, n: 2, writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } },
    ];
    for (const answer of answers) {
      failAt('insert', { answer });
      const documents = [randomUUID(), randomUUID()].map((_id) => ({ ...thing(1), _id }));
      await expect(collection.putMany(documents)).rejects.toThrow(ReadStoreUnavailable);
    }
    const tooLarge = { index: 1, code: 10_334, errmsg: 'BSONObjectTooLarge' };
    failAt('insert', { answer: { ok: 1, n: 0, writeErrors: [{ ...duplicate, code: 189 }, tooLarge] } });
    const refused = collection.putMany([randomUUID(), randomUUID()].map((_id) => ({ ...thing(1), _id })));
    await expect(refused).rejects.not.toBeInstanceOf(ReadStoreUnavailable);
  });

  it.each(['insert', 'update'])('recognises its own compare-and-set by %s when the answer was lost', async (name) => {
    const collection = store.collection<Thing>(SPEC);
    const _id = randomUUID();
    const [first, second] = [
      { ...thing(1), _id },
      { ...thing(2, '2'), _id },
    ];
    if (name === 'update') expect(await collection.compareAndSet(first, null)).toBe(true);
    const [next, expected] = name === 'update' ? [second, '1'] : [first, null];
    failAt(name, 'cut-answer');
    expect(await collection.compareAndSet(next, expected)).toBe(true);
    expect(await collection.compareAndSet(next, expected)).toBe(false);
    expect(await collection.get(_id)).toStrictEqual(next);
    expect(await collection.find({ filter: [{ field: '_id', op: 'eq', value: _id }], sort: [], limit: 1 })).toEqual([
      next,
    ]);
  });

  it('lets only one of two equal compare-and-sets write, even when an answer was lost', async () => {
    const collection = store.collection<Thing>(SPEC);
    for (let n = 0; n < 20; n += 1) {
      const same = { ...thing(1), _id: randomUUID() };
      failAt('insert', 'cut-answer');
      const outcomes = await Promise.all([collection.compareAndSet(same, null), collection.compareAndSet(same, null)]);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    }
  });

  it('reads many leases and checkpoints in one batch, since a failover ends cursors', async () => {
    const names = Array.from({ length: 250 }, (_, n) => `lease-${n}`);
    const sizes: unknown[] = [];
    proxy.fault = ({ name, body }) => {
      if (name === 'find') sizes.push(body.batchSize);
      return undefined;
    };
    await store.leases.acquireMany(names, 'one', 60_000, Date.now());
    expect((await store.leases.getMany(names)).size).toBe(250);
    await store.checkpoints(names);
    expect(sizes.length).toBeGreaterThanOrEqual(3);
    for (const size of sizes) expect(size).toBeGreaterThan(250);
  });

  it('limits the time that the server spends on a read or a write', async () => {
    const limits: [string, unknown][] = [];
    proxy.fault = ({ name, body }) => {
      if (['find', 'aggregate', 'insert', 'update', 'delete'].includes(name)) limits.push([name, body.maxTimeMS]);
      return undefined;
    };
    const collection = store.collection<Thing>(SPEC);
    const one = { ...thing(1), _id: randomUUID() };
    await collection.putMany([one]);
    await collection.putMany([{ ...one, _position: '2' }]);
    await collection.find({ filter: [], sort: [], limit: 1 });
    await collection.count([]);
    await collection.deleteMany([one._id]);
    expect(new Set(limits.map(([name]) => name))).toEqual(new Set(['find', 'aggregate', 'insert', 'update', 'delete']));
    for (const limit of limits) expect(limit).toEqual([limit[0], expect.any(Number)]);
  });

  describe('an index build', () => {
    const wider = (name: string) => ({ name, indexes: [{ fields: ['kind'] }, { fields: ['kind', 'day'] }] });
    const indexesOf = async (name: string): Promise<number> => {
      const client = new MongoClient(direct);
      try {
        return (await client.db().collection(name).indexes()).length - 1;
      } finally {
        await client.close();
      }
    };

    it('on a collection with documents delays nothing, and is repeated until it succeeds', async () => {
      const name = `c_${randomUUID()}`;
      await store.ensureCollection({ name, indexes: [] });
      await store.collection<Thing>({ name, indexes: [] }).putMany([thing(1)]);
      failAt('createIndexes', refusal(189, 'PrimarySteppedDown'), 2);
      await store.ensureCollection(wider(name));
      await eventually(async () => expect(await indexesOf(name)).toBe(2));
    });

    it('may take longer than any other call', async () => {
      const name = `c_${randomUUID()}`;
      await store.collection<Thing>({ name, indexes: [] }).putMany([thing(1)]);
      failAt('createIndexes', { delay: 1_500 });
      await store.ensureCollection(wider(name), { indexes: 'awaited' });
      expect(await indexesOf(name)).toBe(2);
    });

    it('of existing indexes is not requested', async () => {
      const name = `c_${randomUUID()}`;
      await store.ensureCollection(wider(name));
      expect(await indexesOf(name)).toBe(2);
      const again = openMongoDbReadStore({ url: proxy.url });
      let builds = 0;
      proxy.fault = (command) => {
        if (command.name === 'createIndexes') builds += 1;
        return undefined;
      };
      await again.ensureCollection(wider(name));
      await again.ensureCollection(wider(name), { indexes: 'awaited' });
      await again.close();
      expect(builds).toBe(0);
    });
  });

  it('stores a key named _bsontype', async () => {
    const collection = store.collection<Thing & { raw: unknown }>(SPEC);
    const one = { ...thing(1), _id: randomUUID(), raw: { _bsontype: 'ObjectId', in: [{ _bsontype: 1 }], '~4': 2 } };
    await collection.putMany([one]);
    expect(await collection.get(one._id)).toStrictEqual(one);
  });

  it('halts no projection, whichever connections break and whichever primary is elected', async () => {
    const log = scriptedLog(20);
    const timing = { tickMs: 20, pollMs: 5, backoffFirstMs: 5, backoffMostMs: 50, leaseTtlMs: 2_000 };
    const names = ['one', 'two', 'three'];
    const projections = names.map((name) => sums({ name }));
    const halts: unknown[] = [];
    const logger = { warn: () => {}, info: () => {}, error: (fields: unknown) => halts.push(fields) };
    const runner = startProjections({
      log,
      readStore: store,
      projections,
      clock: systemClock,
      owner: 'a',
      timing,
      logger,
    });
    try {
      const random = seededRandom(7);
      const faults = PASSING.map(([, fault]) => fault).filter((fault) => fault !== 'freeze');
      proxy.fault = ({ name }) => {
        if (!['insert', 'update', 'find', 'createIndexes'].includes(name)) return undefined;
        return random() < 0.25 ? faults[Math.floor(random() * faults.length)] : undefined;
      };
      for (let round = 0; round < 8; round += 1) {
        const keys = [`k${round}`, 'k0', 'k1'];
        const written = log.record(...keys.map((key) => ({ key, amount: 1, type: 'Added' as const })));
        expect(await runner.waitFor(names, written, 60_000)).toBe(true);
      }
      const elected = Promise.withResolvers<void>();
      let refused = 0;
      proxy.fault = ({ name }) => {
        if (name === 'hello') return undefined;
        refused += 1;
        if (refused > 12) elected.resolve();
        return refused > 12 ? undefined : refusal(10_107, 'NotWritablePrimary');
      };
      const head = log.record({ key: 'k1', amount: 1, type: 'Added' });
      await elected.promise;
      expect(await runner.waitFor(names, head, 60_000)).toBe(true);
      expect(halts).toEqual([]);
      expect(runner.status().map(({ state }) => state)).toEqual(['live', 'live', 'live']);
      for (const name of names) {
        const spec = { name: `${name}_v1`, indexes: [] };
        const rows = await store.collection(spec).find({ filter: [], sort: [], limit: 100 });
        expect(new Map(rows.map((row) => [row._id, row]))).toEqual(expectedSums(log.events));
      }
    } finally {
      await runner.stop();
    }
  });
});
