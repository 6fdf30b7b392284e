import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMongoDbReadStore } from '../../src/readstore/mongodb/mongodb-read-store.ts';
import { type ReadStore, ReadStoreUnavailable } from '../../src/readstore/read-store.ts';
import { readStoreDifferential } from '../readstore/random-differential.ts';
import { readStoreContract, type Sample, type StoreUnderTest } from '../readstore/read-store-contract.ts';

const serverUrl = process.env.MONGODB_TEST_URL;

/** The server's URL with a database of its own for one suite. */
function freshUrl(): string {
  const url = new URL((serverUrl ?? 'mongodb://unset').replace(/^mongodb/, 'http'));
  url.pathname = `/readstore_${randomUUID().replaceAll('-', '')}`;
  return url.toString().replace(/^http/, 'mongodb');
}

async function dropDatabase(url: string): Promise<void> {
  const client = new MongoClient(url);
  await client.db().dropDatabase();
  await client.close();
}

async function onMongoDb(): Promise<StoreUnderTest> {
  const url = freshUrl();
  return { open: async () => openMongoDbReadStore({ url }), dispose: () => dropDatabase(url) };
}

// A server may be far away, or have been started a moment ago.
const PATIENT = { timeout: 600_000 };

describe.skipIf(serverUrl === undefined)('over the wire', PATIENT, () => {
  readStoreContract('the MongoDB store', onMongoDb);
  readStoreDifferential('the MongoDB store', { numRuns: 60, pastSurrogates: false }, onMongoDb);

  describe('the MongoDB store by itself', () => {
    const url = freshUrl();
    let store: ReadStore;
    beforeAll(() => {
      store = openMongoDbReadStore({ url });
    });
    afterAll(async () => {
      await store.close();
      await dropDatabase(url);
    });
    const spec = { name: 'plain', indexes: [{ fields: ['kind', 'a.b'] }, { fields: ['kind', 'terms'], multi: true }] };
    const position = (n: number): string => String(n).padStart(8, '0');

    it('keeps the newest of several concurrent writes', async () => {
      const collection = store.collection<Sample>(spec);
      const writers = Array.from({ length: 8 }, (_, n) =>
        collection.putMany(
          Array.from({ length: 40 }, (_, id) => ({ _id: `race-${id}`, _position: position(n), by: n })),
        ),
      );
      const written = await Promise.all(writers);
      expect(written.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(40);
      const found = await collection.getMany(Array.from({ length: 40 }, (_, id) => `race-${id}`));
      expect(new Set(Array.from(found.values(), (document) => document.by))).toEqual(new Set([7]));
    });

    it('creates its indexes once, however often this is requested', async () => {
      await store.ensureCollection(spec);
      const again = openMongoDbReadStore({ url });
      await Promise.all([again.ensureCollection(spec), again.ensureCollection(spec)]);
      await again.close();
      const client = new MongoClient(url);
      const indexes = await client.db().collection('plain').indexes();
      await client.close();
      expect(indexes.map((index) => Object.keys(index.key).join())).toEqual(['_id', 'kind,a.b,_id', 'kind,terms']);
    });

    it('stores nothing under a key that has a special meaning in MongoDB', async () => {
      const collection = store.collection<Sample>(spec);
      const document = { _id: 'keys', _position: '1', steps: { '10.50': 1, $inc: { 'a.$b': 2 }, '~1': 3, '': 4 } };
      await collection.putMany([document]);
      expect(await collection.get('keys')).toStrictEqual(document);
      const client = new MongoClient(url);
      const stored = await client.db().collection<{ _id: string }>('plain').findOne({ _id: 'keys' });
      await client.close();
      expect(stored).toMatchObject({ steps: { '10~150': 1, '~2inc': { 'a~1$b': 2 }, '~01': 3, '': 4 } });
    });

    it('accepts no operator in place of a value', async () => {
      const collection = store.collection<Sample>(spec);
      const value = { $gt: '' } as unknown as string;
      for (const op of ['eq', 'gt', 'has', 'prefix'] as const) {
        await expect(collection.find({ filter: [{ field: 'kind', op, value }], sort: [], limit: 1 })).rejects.toThrow(
          RangeError,
        );
      }
      const after = [value];
      await expect(collection.find({ filter: [], sort: [], limit: 1, after })).rejects.toThrow(RangeError);
    });

    it('reports broken connections, and continues on new ones', async () => {
      const links = new Set<Socket>();
      // Unavailable at first: a store may be opened before its server runs.
      let broken = true;
      const target = new URL(url.replace(/^mongodb/, 'http'));
      const proxy = createServer((near) => {
        const far = connect(Number(target.port || 27_017), target.hostname);
        for (const socket of [near, far]) {
          links.add(socket);
          socket.on('error', () => {});
          socket.on('close', () => {
            near.destroy();
            far.destroy();
            links.delete(socket);
          });
        }
        if (broken) near.destroy();
        else near.pipe(far).pipe(near);
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const address = proxy.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      const throughProxy = new URL(target);
      throughProxy.host = `127.0.0.1:${address.port}`;
      throughProxy.searchParams.set('serverSelectionTimeoutMS', '500');
      const proxied = openMongoDbReadStore({ url: throughProxy.toString().replace(/^http/, 'mongodb') });
      const collection = proxied.collection<Sample>(spec);
      const write = (id: number): Promise<number> => collection.putMany([{ _id: `link-${id}`, _position: '1' }]);
      try {
        await expect(Promise.all([proxied.ping(), write(0)])).rejects.toThrow(ReadStoreUnavailable);
        await expect(proxied.ping()).rejects.toThrow(ReadStoreUnavailable);
        broken = false;
        expect(await write(0)).toBe(1);
        broken = true;
        const writes = Promise.allSettled(Array.from({ length: 20 }, (_, id) => write(id)));
        for (const link of links) link.destroy();
        for (const result of await writes) {
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ReadStoreUnavailable);
        }
        await expect(write(0)).rejects.toThrow(ReadStoreUnavailable);
        broken = false;
        await expect
          .poll(
            () =>
              proxied.ping().then(
                () => 'there',
                () => 'away',
              ),
            { timeout: 20_000 },
          )
          .toBe('there');
        for (let id = 0; id < 20; id += 1) await write(id);
        expect(await store.collection<Sample>(spec).count([{ field: '_id', op: 'prefix', value: 'link-' }])).toBe(20);
      } finally {
        await proxied.close();
        proxy.close();
        for (const link of links) link.destroy();
      }
    });
  });
});

describe('the MongoDB store without a server', () => {
  it('is unavailable, within a bounded time', async () => {
    const away = openMongoDbReadStore({ url: 'mongodb://127.0.0.1:1/none?serverSelectionTimeoutMS=1' });
    await expect(away.ping()).rejects.toThrow(ReadStoreUnavailable);
    await expect(
      away.collection<Sample>({ name: 'c', indexes: [] }).putMany([{ _id: 'a', _position: '1' }]),
    ).rejects.toThrow(ReadStoreUnavailable);
    await away.close();
  });

  it('needs a database in its URL', () => {
    for (const url of ['mongodb://127.0.0.1', 'mongodb://127.0.0.1/', 'mongodb://a:1,b:2/?replicaSet=r']) {
      expect(() => openMongoDbReadStore({ url })).toThrow(RangeError);
    }
  });
});
