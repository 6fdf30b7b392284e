import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStoreInTwoThreads } from '../support/threads/store-in-two-threads.ts';
import { readStoreDifferential } from './random-differential.ts';
import { readStoreContract, type Sample, type StoreUnderTest } from './read-store-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'store-threads-'));
let files = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function onDisk(options: { smallTable?: number } = {}): Promise<StoreUnderTest> {
  files += 1;
  const file = join(folder, `read-${files}.sqlite`);
  return { open: async () => openStoreInTwoThreads({ file, ...options }), dispose: async () => {} };
}

readStoreContract('the embedded store in two threads', () => onDisk());
readStoreContract('the embedded store in two threads with large tables', () => onDisk({ smallTable: -1 }));
readStoreDifferential('the embedded store in two threads', { numRuns: 100, pastSurrogates: true }, () => onDisk());

describe('an embedded store that two threads write at once', () => {
  it('takes large commits and small writes of both, none of which fails', async () => {
    const store = await (await onDisk()).open();
    const spec = { name: 'rows', indexes: [{ fields: ['tenantId', 'n'] }] };
    await store.ensureCollection(spec);
    const collection = store.collection<Sample>(spec);
    const rows = (from: number, count: number): Sample[] =>
      Array.from({ length: count }, (_, nth) => ({
        _id: `t/${String(from + nth).padStart(6, '0')}`,
        _position: '1',
        tenantId: 't',
        n: from + nth,
      }));
    const large = async (from: number): Promise<void> => {
      for (let at = 0; at < 6_000; at += 1_500) await collection.putMany(rows(from + at, 1_500));
    };
    const small = async (from: number): Promise<void> => {
      for (let at = 0; at < 150; at += 1) {
        await collection.putMany(rows(from + at, 1));
        const [lease] = await store.leases.acquireMany([`lease-${from}`], 'owner', 60_000, at);
        expect(lease?.owner).toBe('owner');
      }
    };
    await Promise.all([large(0), large(10_000), small(20_000), small(30_000)]);
    expect(await collection.count([{ field: 'tenantId', op: 'eq', value: 't' }])).toBe(12_300);
    await store.close();
  });

  it('fills an index that the other thread has added since', async () => {
    const store = await (await onDisk()).open();
    const spec = { name: 'grown', indexes: [{ fields: ['tenantId', 'n'] }] };
    const grown = { ...spec, indexes: [...spec.indexes, { fields: ['tenantId', 'm'] }] };
    await store.ensureCollection(spec);
    const collection = store.collection<Sample>(spec);
    const row = (nth: number): Sample => ({ _id: `${nth}`, _position: '1', tenantId: 't', n: nth, m: 1 });
    for (let nth = 0; nth < 4; nth += 1) await collection.putMany([row(nth)]);
    await store.ensureCollection(grown);
    for (let nth = 4; nth < 12; nth += 1) await collection.putMany([row(nth)]);
    const filter = [
      { field: 'tenantId', op: 'eq', value: 't' },
      { field: 'm', op: 'eq', value: 1 },
    ] as const;
    for (let nth = 0; nth < 4; nth += 1) expect(await store.collection<Sample>(grown).count(filter)).toBe(12);
    await store.close();
  });
});
