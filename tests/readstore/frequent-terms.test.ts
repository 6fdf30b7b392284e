import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedReadStore, openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { Collection, Condition, Document, Find, Sort } from '../../src/readstore/read-store.ts';
import { keysetOf, referenceCount, referenceFind } from './reference-finds.ts';

/**
 * Enough for terms with more documents than are all read at once, and for matches that come after all documents and
 * entries of an index that a first attempt examines.
 */
const DOCUMENTS = 24_000;

/** Whether the nth document, by age, has the word. */
const WORDS: Readonly<Record<string, (nth: number) => boolean>> = {
  all: () => true,
  third: (nth) => nth % 3 === 0,
  even: (nth) => nth % 2 === 0,
  odd: (nth) => nth % 2 === 1,
  // Too many to be read at once, seldom enough to be missing among the first thousand.
  eighth: (nth) => nth % 8 === 3,
  early: (nth) => nth < 900,
  late: (nth) => nth >= DOCUMENTS - 700,
  // Among the newest it is seldom, then missing, then in all: what the newest suggest is wrong.
  waning: (nth) => nth < 5_000 || (nth >= DOCUMENTS - 1_000 && nth % 9 === 0),
  rare: (nth) => nth % 400 === 7,
  // Prefixes of two words each, and words that another word or another field holds.
  'both-one': (nth) => nth % 5 === 0,
  'both-two': (nth) => nth % 5 <= 1,
  'early"quoted': (nth) => nth % 7 === 0,
  '😀smile': (nth) => nth % 6 === 0,
};

type Row = Document & {
  readonly tenantId: string;
  readonly day: string;
  readonly rank: number;
  readonly currency: string;
  readonly text: string;
  readonly words: readonly string[] | string;
};

const SPEC = {
  name: 'frequent',
  indexes: [
    { fields: ['tenantId', 'day', '_id', 'currency'] },
    { fields: ['tenantId', 'rank', '_id'] },
    { fields: ['tenantId', 'words'], multi: true },
  ],
};
const WITH_UNORDERED = {
  name: 'unordered',
  indexes: [...SPEC.indexes, { fields: ['tenantId', 'currency'], unordered: true as const }],
};

const rows = Array.from({ length: DOCUMENTS }, (_, nth): Row => {
  const words = Object.keys(WORDS).filter((word) => WORDS[word]?.(nth));
  return {
    _id: `id-${(nth * 7_919) % DOCUMENTS}`,
    _position: '1',
    tenantId: nth % 50 === 0 ? 'other' : 'tenant',
    day: `2026-${String(100_000 + Math.floor(nth / 4))}`,
    rank: (nth * 31) % 1_000,
    currency: nth % 200 === 3 ? 'USD' : nth < 2_500 ? 'EUR' : 'TRY',
    text: 'a text that holds "late and "all"',
    // What is no array holds no words.
    words: nth % 90 === 5 ? 'third' : words,
  };
});

const has = (op: 'has' | 'hasPrefix', value: string): Condition => ({ field: 'words', op, value });
const TERMS: readonly Condition[] = [
  ...Object.keys(WORDS).map((word) => has('has', word)),
  ...['a', 'both', 'both-', 'th', 'la', 'early"', '😀', 'none', ''].map((start) => has('hasPrefix', start)),
];
/** Only among the oldest. */
const EUR: Condition = { field: 'currency', op: 'eq', value: 'EUR' };
const OTHERS: readonly Condition[] = [
  { field: 'currency', op: 'eq', value: 'USD' },
  EUR,
  { field: 'currency', op: 'eq', value: 'TRY' },
  { field: 'currency', op: 'eq', value: 'GBP' },
  { field: 'rank', op: 'lt', value: 40 },
  { field: 'rank', op: 'gte', value: 30 },
  { field: 'day', op: 'gte', value: '2026-101000' },
];
const NEWEST: Sort = [{ field: 'day', direction: 'desc' }];
const SORTS: readonly Sort[] = [
  NEWEST,
  [{ field: 'day', direction: 'asc' }],
  [{ field: 'rank', direction: 'desc' }],
  [{ field: 'currency', direction: 'asc' }],
];

describe.each([
  ['terms that many documents have', SPEC],
  ['these terms and texts of an unordered index', WITH_UNORDERED],
])('finds by %s', (_, spec) => {
  let folder: string;
  let store: EmbeddedReadStore;
  let collection: Collection<Row>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'frequent-'));
    store = openEmbeddedReadStore({ file: join(folder, 'read.sqlite'), smallTable: -1 });
    await store.ensureCollection(spec);
    collection = store.collection<Row>(spec);
    await collection.putMany(rows);
  });

  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const question = fc.record({
    terms: fc.array(fc.constantFrom(...TERMS), {
      maxLength: 2,
    }),
    others: fc.subarray([...OTHERS], { maxLength: 3 }),
    sort: fc.constantFrom(...SORTS),
    limit: fc.constantFrom(1, 50, 200),
    after: fc.option(fc.nat(DOCUMENTS - 1), { nil: null }),
  });

  it('find, go through and count the same as a plain look at all documents', async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ terms, others, sort, limit, after }) => {
        const filter: Condition[] = [{ field: 'tenantId', op: 'eq', value: 'tenant' }, ...terms, ...others];
        const start = after === null ? {} : { after: keysetOf(rows[after] as Row, sort) };
        const find: Find = { filter, sort, limit, ...start };
        const ids = (some: readonly Row[]): string[] => some.map(({ _id }) => _id);
        expect(ids(await collection.find(find))).toEqual(ids(referenceFind(rows, find)));
        expect(await collection.count(filter, 700)).toBe(referenceCount(rows, filter, 700));
        const all: Row[] = [];
        for await (const row of collection.iterate({ filter, sort, ...start, pageSize: 150 })) all.push(row);
        expect(ids(all)).toEqual(ids(referenceFind(rows, { ...find, limit: DOCUMENTS })));
      }),
      {
        numRuns: 100,
        // What the newest documents suggest is wrong.
        examples: [
          [{ terms: [has('has', 'waning')], others: [], sort: NEWEST, limit: 200, after: null }],
          [{ terms: [has('has', 'early')], others: [EUR], sort: NEWEST, limit: 50, after: null }],
        ],
      },
    );
  });
});
