import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmbeddedReadStore, openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { openReadingStore, type ReadingStore } from '../../src/readstore/embedded/reading-store.ts';
import { type CollectionSpec, type Document, ReadStoreUnavailable } from '../../src/readstore/read-store.ts';

type Row = Document & { readonly kind: string; readonly size: number };

const SPEC: CollectionSpec = { name: 'rows', indexes: [{ fields: ['kind', 'size'] }] };
const BY_SIZE: CollectionSpec = { name: 'rows', indexes: [{ fields: ['size'] }] };
const FIND = { filter: [], sort: [{ field: 'size', direction: 'asc' }], limit: 10 } as const;

let folder: string;
let store: EmbeddedReadStore;
let reading: ReadingStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reading-'));
  const file = join(folder, 'store.sqlite');
  store = openEmbeddedReadStore({ file });
  await store.ensureCollection(SPEC);
  reading = openReadingStore(file);
});
afterEach(async () => {
  await reading.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const row = (nth: number): Row => ({
  _id: `row-${nth}`,
  _position: '1',
  kind: nth % 2 === 0 ? 'even' : 'odd',
  size: nth,
});

it('reads what the store has written, also after its schema has changed', async () => {
  const rows = reading.collection<Row>(SPEC);
  await store.collection<Row>(SPEC).putMany([3, 1, 2].map(row));
  expect((await rows.find(FIND)).map(({ size }) => size)).toEqual([1, 2, 3]);
  expect(await rows.get('row-2')).toEqual(row(2));
  // Another layout under the same name: what was known of the former one names columns that are not there any more.
  await store.dropCollection(SPEC.name);
  await expect(rows.find(FIND)).rejects.toBeInstanceOf(ReadStoreUnavailable);
  await store.ensureCollection(BY_SIZE);
  await store.collection<Row>(BY_SIZE).putMany([5, 4].map(row));
  const even = { ...FIND, filter: [{ field: 'kind', op: 'eq', value: 'even' }] } as const;
  expect(await rows.find(even)).toEqual([row(4)]);
  expect(await rows.count([], 10)).toBe(2);
});

it('writes nothing', async () => {
  await expect(reading.collection<Row>(SPEC).putMany([row(1)])).rejects.toThrow('only reads');
  expect(await store.collection<Row>(SPEC).count([])).toBe(0);
});
