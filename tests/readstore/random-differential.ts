import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CollectionSpec, Condition, Find, Json, ReadStore } from '../../src/readstore/read-store.ts';
import { defined } from '../../src/shared/defined.ts';
import type { Sample, StoreUnderTest } from './read-store-contract.ts';
import { keysetOf, referenceCount, referenceFind } from './reference-finds.ts';

// Few values, so that conditions match often; each kind with neighbours that a faulty store would treat as equal or
// misorder.
const TEXTS = ['', '1', 'a', 'aa', 'ab', 'b', 'B', 'é', 'true', '$a', '{}', 'a/b', '%'];
/** Where the order by code point and the order by UTF-16 differ. */
const TEXTS_PAST_SURROGATES = ['\uffff', '\uffff\uffff', '🏦', '🏦b'];

const INDEXES: readonly CollectionSpec['indexes'][] = [
  [],
  [
    { fields: ['tenant', 'day', 'rank'] },
    { fields: ['tenant', 'any', 'day'] },
    { fields: ['nested.inner'] },
    { fields: ['rank'] },
    { fields: ['tenant', 'terms'], multi: true },
  ],
  [
    { fields: ['any', 'loose', 'terms'], multi: true },
    { fields: ['terms'], multi: true },
    { fields: ['loose', 'any'] },
  ],
  [{ fields: ['tenant', 'day', '_id', 'rank'] }, { fields: ['day', '_id', 'any', '_position'] }],
  [
    { fields: ['any'], notNull: true },
    { fields: ['nested.inner', 'day'], notNull: true },
    { fields: ['loose', 'any'], notNull: true },
    { fields: ['tenant', 'terms'], multi: true },
  ],
  [
    { fields: ['tenant', 'day'], unordered: true },
    { fields: ['any'], unordered: true },
    { fields: ['tenant', 'loose', 'nested.inner'], unordered: true },
    { fields: ['tenant', 'rank', '_id', 'day'] },
    { fields: ['tenant', 'note', '_id', 'day'] },
  ],
];

type Model = {
  readonly indexes: CollectionSpec['indexes'];
  readonly isReadOften: true | 'when-long' | undefined;
  readonly writes: readonly (readonly Sample[])[];
  readonly removed: readonly string[];
  readonly finds: readonly Find[];
};

function modelOf(texts: readonly string[]): fc.Arbitrary<Model> {
  const text = fc.constantFrom(...texts);
  const number = fc.constantFrom(-1, 0, 1, 1.5, 2, 10, 2 ** 40);
  const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
  const tenant = fc.constantFrom('t1', 't2');
  const id = fc.integer({ min: 0, max: 30 }).map((n) => `id-${n}`);
  const document = fc
    .record(
      {
        _id: id,
        _position: fc.integer({ min: 0, max: 5 }).map((n) => String(n).padStart(4, '0')),
        day: text,
        rank: number,
        tenant,
        any: scalar,
        loose: fc.oneof(scalar, fc.record({ inner: scalar })),
        nested: fc.record({ inner: scalar }, { requiredKeys: [] }),
        // Long documents are stored in another way.
        note: fc.constantFrom('', '["a","1"] '.repeat(40)),
        terms: fc.array(fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: scalar }), { maxLength: 4 }),
      },
      { requiredKeys: ['_id', '_position', 'day', 'rank', 'tenant'] },
    )
    .map((record) => record as { [field: string]: Json } as Sample);
  const field = fc.constantFrom('day', 'rank', 'tenant', 'any', 'loose', 'nested.inner', 'absent', '_id');
  const condition: fc.Arbitrary<Condition> = fc.oneof(
    fc.record({ field, op: fc.constant('eq' as const), value: scalar }),
    fc.record({ field, op: fc.constant('in' as const), value: fc.array(fc.oneof(text, number), { maxLength: 4 }) }),
    fc.record({
      field,
      op: fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const),
      value: fc.oneof(text, number),
    }),
    fc.record({ field, op: fc.constant('prefix' as const), value: text }),
    fc.record({ field: fc.constant('terms'), op: fc.constantFrom('has' as const, 'hasPrefix' as const), value: text }),
    fc.record({ field: fc.constant('tenant'), op: fc.constant('eq' as const), value: tenant }),
  );
  const key = fc.record({
    field: fc.constantFrom('day', 'rank', 'tenant', '_position'),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
  });
  const find = fc.record({
    filter: fc.array(condition, { maxLength: 3 }),
    sort: fc.uniqueArray(key, { maxLength: 3, selector: (each) => each.field }),
    limit: fc.integer({ min: 1, max: 12 }),
  });
  return fc.record({
    indexes: fc.constantFrom(...INDEXES),
    isReadOften: fc.constantFrom(undefined, true as const, 'when-long' as const),
    writes: fc.array(fc.array(document, { maxLength: 20 }), { maxLength: 4 }),
    removed: fc.array(id, { maxLength: 4 }),
    finds: fc.array(find, { minLength: 1, maxLength: 8 }),
  });
}

/**
 * Random documents and finds, on the store and on the plain reference: any difference is a fault of the store.
 * `pastSurrogates` includes texts that a server in Java orders differently from MongoDB.
 */
export function readStoreDifferential(
  title: string,
  options: { readonly numRuns: number; readonly pastSurrogates: boolean },
  prepare: () => Promise<StoreUnderTest>,
): void {
  describe(`${title} against the reference`, () => {
    let subject: StoreUnderTest;
    let store: ReadStore;
    beforeAll(async () => {
      subject = await prepare();
      store = await subject.open();
    });
    afterAll(async () => {
      await store.close();
      await subject.dispose();
    });

    it('finds, counts and pages the same', async () => {
      const model = modelOf(options.pastSurrogates ? [...TEXTS, ...TEXTS_PAST_SURROGATES] : TEXTS);
      await fc.assert(fc.asyncProperty(model, run), { numRuns: options.numRuns });
    });

    async function run({ indexes, isReadOften, writes, removed, finds }: Model): Promise<void> {
      const spec = {
        name: `r_${randomUUID().replaceAll('-', '')}`,
        indexes,
        ...defined({ isReadOften }),
      };
      await store.ensureCollection(spec);
      const collection = store.collection<Sample>(spec);
      const expected = new Map<string, Sample>();
      for (const batch of writes) {
        let written = 0;
        for (const each of batch) {
          const known = expected.get(each._id);
          if (known !== undefined && known._position >= each._position) continue;
          expected.set(each._id, each);
          written += 1;
        }
        expect(await collection.putMany(batch)).toBe(written);
      }
      await collection.deleteMany(removed);
      for (const each of removed) expected.delete(each);
      for (const each of finds) {
        const wanted = referenceFind(expected.values(), { ...each, limit: 1_000 });
        expect(await walk(each)).toEqual(wanted);
        expect(await collection.find(each)).toEqual(wanted.slice(0, each.limit));
        expect(await collection.count(each.filter)).toBe(referenceCount(expected.values(), each.filter));
        expect(await collection.count(each.filter, 3)).toBe(referenceCount(expected.values(), each.filter, 3));
      }
      await store.dropCollection(spec.name);

      async function walk(wanted: Find): Promise<Sample[]> {
        const all: Sample[] = [];
        for (;;) {
          const last = all.at(-1);
          const after = last === undefined ? {} : { after: keysetOf(last, wanted.sort) };
          const page = await collection.find({ ...wanted, ...after });
          all.push(...page);
          if (page.length < wanted.limit) return all;
        }
      }
    }
  });
}
