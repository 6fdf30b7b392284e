import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { countSql, findSql } from '../../src/readstore/embedded/find-sql.ts';
import type { Sql } from '../../src/readstore/embedded/sql.ts';
import { layoutOf } from '../../src/readstore/embedded/table-layout.ts';
import { rowsOf } from '../../src/readstore/embedded/table-writer.ts';
import { ThreadedWriter } from '../../src/readstore/embedded/threaded-writer.ts';
import { afterPrefix } from '../../src/readstore/ordering.ts';
import { type Find, type Json, type ReadStore, ReadStoreUnavailable } from '../../src/readstore/read-store.ts';
import { readStoreDifferential } from './random-differential.ts';
import { readStoreContract, type Sample, type StoreUnderTest } from './read-store-contract.ts';

async function onDisk(options: { smallTable?: number } = {}): Promise<StoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'read-store-'));
  return {
    open: async () => openEmbeddedReadStore({ file: join(folder, 'deep', 'read.sqlite'), ...options }),
    dispose: () => rm(folder, { recursive: true }),
  };
}

/** Treats every table as too large to be scanned in the calling thread. */
const everyTableLarge = () => onDisk({ smallTable: -1 });

readStoreContract('the embedded store', () => onDisk());
readStoreDifferential('the embedded store', { numRuns: 150, pastSurrogates: true }, () => onDisk());
readStoreContract('the embedded store with large tables', everyTableLarge);
readStoreDifferential('the embedded store with large tables', { numRuns: 100, pastSurrogates: true }, everyTableLarge);

describe('the embedded store by itself', () => {
  let folder: string;
  let file: string;
  let store: ReadStore;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'read-store-'));
    file = join(folder, 'read.sqlite');
    store = openEmbeddedReadStore({ file });
  });
  afterAll(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  describe('a large table', () => {
    const spec = { name: 'large', indexes: [{ fields: ['tenantId', 'bookedAt'] }] };
    const newest = [{ field: 'bookedAt', direction: 'desc' }] as const;
    const tenant = { field: 'tenantId', op: 'eq', value: 't1' } as const;
    const of = (currency: string) => [tenant, { field: 'currency', op: 'eq', value: currency }] as const;
    const numbered = (nth: number): string => String(nth).padStart(5, '0');
    let threads: Worker[];
    const see = (worker: Worker): void => void threads.push(worker);
    const large = async () => {
      const collection = store.collection<Sample>(spec);
      await store.ensureCollection(spec);
      if ((await collection.count([tenant], 1)) > 0) return collection;
      const documents = Array.from({ length: 12_000 }, (_, nth) => ({
        _id: numbered(nth),
        _position: '1',
        tenantId: 't1',
        bookedAt: numbered(nth),
        currency: nth < 100 ? 'RARE' : 'EUR',
      }));
      await collection.putMany(documents);
      return collection;
    };
    beforeEach(() => {
      threads = [];
      process.on('worker', see);
    });
    afterEach(() => process.off('worker', see));

    it('is read in the calling thread where an index leads to the rows', async () => {
      const collection = await large();
      threads = [];
      const found = await collection.find({ filter: of('EUR'), sort: newest, limit: 50 });
      expect(found.map(({ _id }) => _id)).toEqual(Array.from({ length: 50 }, (_, nth) => numbered(11_999 - nth)));
      expect((await collection.find({ filter: [tenant], sort: newest, limit: 50 })).length).toBe(50);
      expect(threads).toEqual([]);
    });

    it('is scanned in a thread for rows further on, for sorting and for counting', async () => {
      const collection = await large();
      const rare = await collection.find({ filter: of('RARE'), sort: newest, limit: 50 });
      expect(rare.map(({ _id }) => _id)).toEqual(Array.from({ length: 50 }, (_, nth) => numbered(99 - nth)));
      expect(threads).toHaveLength(1);
      const sorted = await collection.find({
        filter: [tenant],
        sort: [{ field: 'currency', direction: 'desc' }],
        limit: 100,
      });
      expect(new Set(sorted.map((one) => (one as never as { currency: string }).currency))).toEqual(new Set(['RARE']));
      expect(await collection.count(of('RARE'))).toBe(100);
      expect(threads).toHaveLength(1);
    });

    it('is unavailable when its thread fails, and is then read by a new thread', async () => {
      await large();
      const other = openEmbeddedReadStore({ file });
      try {
        const collection = other.collection<Sample>(spec);
        const byCurrency = [{ field: 'currency', direction: 'asc' }] as const;
        const reading = collection.iterate({ filter: [tenant], sort: byCurrency })[Symbol.asyncIterator]();
        await reading.next();
        expect(threads).toHaveLength(1);
        await threads[0]?.terminate();
        const readOn = async (): Promise<void> => {
          while ((await reading.next()).done !== true);
        };
        await expect(readOn()).rejects.toThrow(ReadStoreUnavailable);
        expect(await collection.count(of('RARE'))).toBe(100);
        expect(threads).toHaveLength(2);
      } finally {
        await other.close();
      }
    });
  });

  describe('the write-ahead log', () => {
    const spec = { name: 'logged', indexes: [{ fields: ['tenantId'] }] };
    let position = 0;
    /** Some 20 MB, all of it written by the thread. */
    async function writeMuch(): Promise<void> {
      for (let batch = 0; batch < 10; batch += 1) {
        position += 1;
        const documents = Array.from({ length: 200 }, (_, nth) => {
          const _position = String(position).padStart(8, '0');
          // It cannot be compressed.
          const text = randomBytes(7_500).toString('base64');
          return { _id: `${nth}`.padStart(4, '0'), _position, tenantId: 't1', text };
        });
        await store.collection(spec).putMany(documents);
      }
    }
    const bytes = (): number => statSync(`${file}-wal`).size;

    it('is truncated once a long read ends', async () => {
      await store.ensureCollection(spec);
      await writeMuch();
      const reading = store.collection(spec).iterate({ filter: [], sort: [], pageSize: 50 })[Symbol.asyncIterator]();
      await reading.next();
      for (let time = 0; time < 5; time += 1) await writeMuch();
      expect(bytes()).toBeGreaterThan(64 * 1024 * 1024);
      await reading.return?.();
      for (let time = 0; time < 6; time += 1) await writeMuch();
      expect(bytes()).toBeLessThan(80 * 1024 * 1024);
    });

    it('is not held by a read that fits into one page', async () => {
      const few = { name: 'few', indexes: [{ fields: ['tenantId'] }] };
      await store.ensureCollection(few);
      await store.collection(few).putMany([{ _id: 'only', _position: '1', tenantId: 't1' } as never]);
      await store.ensureCollection(spec);
      const reading = store.collection(few).iterate({ filter: [], sort: [] })[Symbol.asyncIterator]();
      expect((await reading.next()).done).toBe(false);
      for (let time = 0; time < 8; time += 1) await writeMuch();
      expect(bytes()).toBeLessThan(80 * 1024 * 1024);
    });
  });

  describe('plans', () => {
    const indexes = [
      { fields: ['tenantId', 'bookedAt'] },
      { fields: ['tenantId', 'status', 'bookedAt'] },
      { fields: ['tenantId', 'terms'], multi: true },
    ];
    const spec = { name: 'planned', indexes };
    const layout = layoutOf(spec.name, indexes);
    const tenant = { field: 'tenantId', op: 'eq', value: 't1' } as const;
    const newest = [{ field: 'bookedAt', direction: 'desc' }] as const;

    const planOf = async (sql: Sql | undefined): Promise<string> => {
      await store.ensureCollection(spec);
      const database = new DatabaseSync(file, { readOnly: true });
      try {
        const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql?.text}`).all(...(sql?.values ?? []));
        return rows.map((row) => row.detail).join('\n');
      } finally {
        database.close();
      }
    };
    const planOfFind = (find: Partial<Find>): Promise<string> =>
      planOf(findSql(layout, { filter: [tenant], sort: newest, limit: 50, ...find }));

    it('answer a tenant in its order from the index, without sorting', async () => {
      const plan = await planOfFind({});
      expect(plan).toContain('USING INDEX by:planned:tenantId,bookedAt (f:tenantId=?)');
      expect(plan).not.toMatch(/TEMP B-TREE|SCAN/);
    });

    it('start the index search at the keyset', async () => {
      for (const filter of [[tenant], [tenant, { field: 'bookedAt', op: 'gte', value: '2024' } as const]]) {
        const plan = await planOfFind({ filter, after: ['2024-05-01', 'id'] });
        expect(plan).toMatch(/f:tenantId=\? AND .*\(f:bookedAt,id\)<\(\?,\?\)/);
        expect(plan).not.toMatch(/TEMP B-TREE|SCAN/);
      }
    });

    it('use the index with the most equalities', async () => {
      const plan = await planOfFind({ filter: [tenant, { field: 'status', op: 'eq', value: 'FAILED' }] });
      expect(plan).toContain('by:planned:tenantId,status,bookedAt (f:tenantId=? AND f:status=?)');
      expect(plan).not.toMatch(/TEMP B-TREE|SCAN/);
    });

    it('narrow a range within the index', async () => {
      const from = { field: 'bookedAt', op: 'gte', value: '2024-01-01' } as const;
      const until = { field: 'bookedAt', op: 'lt', value: '2024-02-01' } as const;
      const plan = await planOfFind({ filter: [tenant, from, until] });
      expect(plan).toContain('(f:tenantId=? AND f:bookedAt>? AND f:bookedAt<?)');
      expect(plan).not.toMatch(/TEMP B-TREE|SCAN/);
    });

    it('find terms by lookup', async () => {
      for (const op of ['has', 'hasPrefix'] as const) {
        const plan = await planOfFind({ filter: [tenant, { field: 'terms', op, value: 'rent' }] });
        expect(plan).toMatch(
          /SEARCH terms:planned:tenantId,terms USING (COVERING INDEX|PRIMARY KEY) .*p0=\? AND term[=>]/,
        );
        expect(plan).toContain('SEARCH docs USING INTEGER PRIMARY KEY (rowid=?)');
      }
    });

    it('count from the index alone', async () => {
      const plan = await planOf(countSql(layout, [tenant, { field: 'status', op: 'eq', value: 'FAILED' }], undefined));
      expect(plan).toContain('USING COVERING INDEX by:planned:tenantId,status,bookedAt');
    });
  });

  it('continues creating deferred indexes after an interruption', async () => {
    const indexes = [
      { fields: ['kind'] },
      { fields: ['rank'] },
      { fields: ['kind', 'rank'] },
      { fields: ['terms'], multi: true },
    ];
    const spec = { name: 'cut', indexes };
    const made = (): string[] => {
      const database = new DatabaseSync(file, { readOnly: true });
      const names = database
        .prepare(`SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'by:cut:%'`)
        .all();
      database.close();
      return names.map((row) => String(row.name)).sort();
    };
    const cut = openEmbeddedReadStore({ file });
    await cut.ensureCollection(spec, { indexes: 'later' });
    await cut
      .collection<Sample>(spec)
      .putMany(Array.from({ length: 500 }, (_, n) => ({ _id: `d${n}`, _position: '1', rank: n })));
    expect(made()).toEqual([]);
    const making = expect(cut.ensureCollection(spec)).rejects.toThrow(ReadStoreUnavailable);
    await new Promise((resolve) => setImmediate(resolve));
    await cut.close();
    await making;
    expect(made().length).toBeLessThan(3);

    const again = openEmbeddedReadStore({ file });
    await again.ensureCollection(spec);
    expect(made()).toEqual(['by:cut:kind', 'by:cut:kind,rank', 'by:cut:rank']);
    const sort = [{ field: 'rank', direction: 'desc' }] as const;
    const [last] = await again.collection<Sample>(spec).find({ filter: [], sort, limit: 1 });
    expect(last?.rank).toBe(499);
    await again.close();
  });

  it('starts another thread when its own is lost', async () => {
    const layout = layoutOf('thread', []);
    const rows = rowsOf(layout, [{ _id: 'a', _position: '1' }], 'packed');
    await store.ensureCollection({ name: 'thread', indexes: [] });
    const threads: Worker[] = [];
    const see = (worker: Worker): void => void threads.push(worker);
    process.on('worker', see);
    const writer = new ThreadedWriter(file);
    expect(await writer.write('put', { layout, rows })).toBe(1);
    await expect(writer.write('nothing' as 'put', { layout, rows })).rejects.toThrow('not a write command');
    // The lock keeps the thread from answering before it ends.
    const lock = new DatabaseSync(file);
    lock.exec('BEGIN IMMEDIATE');
    const lost = expect(writer.write('put', { layout, rows })).rejects.toThrow(ReadStoreUnavailable);
    const ended = threads[0]?.terminate();
    lock.exec('ROLLBACK');
    lock.close();
    await ended;
    await lost;
    expect(await writer.write('put', { layout, rows })).toBe(0);
    expect(threads).toHaveLength(2);
    process.off('worker', see);
    await writer.close();
    await expect(writer.write('put', { layout, rows })).rejects.toThrow(ReadStoreUnavailable);
  });

  it('shares one commit among concurrent writes, of which only a faulty one fails', async () => {
    const spec = { name: 'shared', indexes: [] };
    const collection = store.collection<Sample>(spec);
    const faulty = { _id: 'bad', _position: '1', amount: 1n as unknown as Json };
    const unstorable = { _id: null as unknown as string, _position: '1' };
    const results = await Promise.allSettled([
      collection.putMany([{ _id: 'a', _position: '1' }]),
      collection.putMany([faulty]),
      collection.putMany([unstorable]),
      collection.putMany([{ _id: 'b', _position: '1' }]),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect([...(await collection.getMany(['a', 'b', 'bad'])).keys()].sort()).toEqual(['a', 'b']);
  });

  it('has written everything it acknowledged, as another connection to the file shows', async () => {
    const spec = { name: 'durable', indexes: [] };
    await store.collection<Sample>(spec).putMany([{ _id: 'a', _position: '1' }]);
    const other = openEmbeddedReadStore({ file });
    expect(await other.collection<Sample>(spec).get('a')).toEqual({ _id: 'a', _position: '1' });
    await other.close();
  });

  it('iterates over the state at its start', async () => {
    const collection = store.collection<Sample>({ name: 'snapshot', indexes: [{ fields: ['rank'] }] });
    await collection.putMany(Array.from({ length: 6 }, (_, n) => ({ _id: `d${n}`, _position: '1', rank: n })));
    const seen: unknown[] = [];
    const sort = [{ field: 'rank', direction: 'asc' }] as const;
    for await (const document of collection.iterate({ filter: [], sort, pageSize: 2 })) {
      seen.push(document.rank);
      await collection.putMany([{ _id: document._id, _position: '2', rank: 100 }]);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('is kept in memory on request', async () => {
    const memory = openEmbeddedReadStore({ file: ':memory:' });
    const collection = memory.collection<Sample>({ name: 'm', indexes: [] });
    await collection.putMany([{ _id: 'a', _position: '1' }]);
    const seen: string[] = [];
    for await (const document of collection.iterate({ filter: [], sort: [], pageSize: 1 })) seen.push(document._id);
    expect(seen).toEqual(['a']);
    await memory.close();
  });

  it('refuses names that cannot be used in SQL', async () => {
    await expect(store.ensureCollection({ name: 'a"b', indexes: [] })).rejects.toThrow(RangeError);
    await expect(store.ensureCollection({ name: 'ok', indexes: [{ fields: ["a'b"] }] })).rejects.toThrow(RangeError);
  });

  it('bounds a prefix by the next string in code point order', () => {
    expect(afterPrefix('ab')).toBe('ac');
    expect(afterPrefix('a\u{10ffff}')).toBe('b');
    expect(afterPrefix('\ud7ff')).toBe('\ue000');
    expect(afterPrefix('\u{10ffff}')).toBeUndefined();
    expect(afterPrefix('')).toBeUndefined();
  });
});
