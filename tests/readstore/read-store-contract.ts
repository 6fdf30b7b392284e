import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  Collection,
  CollectionSpec,
  Document,
  Filter,
  Json,
  ReadStore,
  Sort,
} from '../../src/readstore/read-store.ts';
import { DocumentTooLarge, MAX_DOCUMENT_BYTES, ReadStoreUnavailable } from '../../src/readstore/read-store.ts';

export type Sample = Document & { readonly [field: string]: Json | undefined };

/** A store to test against the port. `open` returns a new handle to the same stored data each time. */
export type StoreUnderTest = { readonly open: () => Promise<ReadStore>; readonly dispose: () => Promise<void> };

const position = (n: number): string => String(n).padStart(20, '0');

/** The behaviour of every read store, whatever stores its data. */
export function readStoreContract(title: string, prepare: () => Promise<StoreUnderTest>): void {
  describe(`${title} as a read store`, () => {
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

    const fresh = async (...indexes: CollectionSpec['indexes']): Promise<[Collection<Sample>, CollectionSpec]> => {
      const spec = { name: `c_${randomUUID().replaceAll('-', '')}`, indexes };
      await store.ensureCollection(spec);
      return [store.collection<Sample>(spec), spec];
    };
    const ids = async (collection: Collection<Sample>, filter: Filter, sort: Sort = []): Promise<string[]> =>
      (await collection.find({ filter, sort, limit: 100 })).map((document) => document._id);

    it('returns written documents unchanged', async () => {
      const [collection] = await fresh();
      const document: Sample = {
        _id: 'tenant/1',
        _position: position(1),
        text: 'ünïcode 🏦 "quoted" \\ \u2028',
        whole: 42,
        large: 2 ** 53 - 1,
        broken: -0.25,
        yes: true,
        no: false,
        nothing: null,
        nested: { deep: { list: [1, 'two', null, { three: 3 }, []] } },
        'a.dotted.key': 1,
        $dollar: { $inner: 'x', 'in.ner': 'y', '~0': 'tilde' },
        ['__proto__']: 'own',
      };
      expect(await collection.putMany([document])).toBe(1);
      expect(await collection.get('tenant/1')).toStrictEqual(document);
      expect(await collection.get('tenant/2')).toBeUndefined();
      expect(await collection.getMany(['tenant/2', 'tenant/1', 'tenant/1'])).toStrictEqual(
        new Map([['tenant/1', document]]),
      );
      expect(await collection.getMany([])).toStrictEqual(new Map());
    });

    it('writes a document only over a lower position', async () => {
      const [collection] = await fresh();
      const at = (n: number, value: string): Sample => ({ _id: 'a', _position: position(n), value });
      expect(await collection.putMany([at(5, 'first')])).toBe(1);
      expect(await collection.putMany([at(5, 'same')])).toBe(0);
      expect(await collection.putMany([at(4, 'older'), { _id: 'b', _position: position(1) }])).toBe(1);
      expect((await collection.get('a'))?.value).toBe('first');
      expect(await collection.putMany([at(6, 'newer')])).toBe(1);
      expect((await collection.get('a'))?.value).toBe('newer');
      expect(await collection.putMany([])).toBe(0);
    });

    it('compares and sets on the exact position', async () => {
      const [collection] = await fresh();
      const at = (n: number): Sample => ({ _id: 'a', _position: position(n) });
      expect(await collection.compareAndSet(at(1), position(0))).toBe(false);
      expect(await collection.compareAndSet(at(1), null)).toBe(true);
      expect(await collection.compareAndSet(at(2), null)).toBe(false);
      expect(await collection.compareAndSet(at(3), position(2))).toBe(false);
      expect(await collection.compareAndSet(at(3), position(1))).toBe(true);
      expect((await collection.get('a'))?._position).toBe(position(3));
    });

    it('lets exactly one of many concurrent compare-and-sets succeed', async () => {
      const [collection] = await fresh();
      const tries = Array.from({ length: 10 }, (_, n) =>
        collection.compareAndSet({ _id: 'lock', _position: position(n + 1) }, null),
      );
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });

    it('deletes the documents that exist and returns their number', async () => {
      const [collection] = await fresh({ fields: ['kind', 'terms'], multi: true });
      await collection.putMany(
        ['a', 'b', 'c'].map((_id) => ({ _id, _position: position(1), kind: 'k', terms: ['t'] })),
      );
      expect(await collection.deleteMany(['a', 'c', 'x'])).toBe(2);
      expect(await ids(collection, [has('kind', 'k', 'terms', 't')].flat())).toEqual(['b']);
      expect(await collection.deleteMany(['a'])).toBe(0);
      expect(await collection.putMany([{ _id: 'a', _position: position(1), kind: 'k', terms: ['t'] }])).toBe(1);
      expect(await ids(collection, has('kind', 'k', 'terms', 't'))).toEqual(['a', 'b']);
    });

    it('treats null and missing alike, and matches neither in an order comparison', async () => {
      const [collection] = await fresh({ fields: ['value'] });
      await collection.putMany([
        { _id: 'missing', _position: position(1) },
        { _id: 'null', _position: position(1), value: null },
        { _id: 'empty', _position: position(1), value: '' },
        { _id: 'zero', _position: position(1), value: 0 },
      ]);
      expect(await ids(collection, [{ field: 'value', op: 'eq', value: null }])).toEqual(['missing', 'null']);
      for (const op of ['gt', 'gte', 'lt', 'lte'] as const) {
        const found = [
          ...(await ids(collection, [{ field: 'value', op, value: 'x' }])),
          ...(await ids(collection, [{ field: 'value', op, value: 1 }])),
        ];
        expect(found).not.toContain('missing');
        expect(found).not.toContain('null');
      }
      expect(await ids(collection, [{ field: 'value', op: 'gte', value: '' }])).toEqual(['empty']);
      expect(await ids(collection, [{ field: 'value', op: 'prefix', value: '' }])).toEqual(['empty']);
    });

    it.each([{ indexes: [] }, { indexes: [{ fields: ['value'] }] }])(
      'compares like with like %j',
      async ({ indexes }) => {
        const [collection] = await fresh(...indexes);
        const values: Json[] = [1, '1', true, false, 0, '0', 'true', null, { a: 1 }, 1.5, '[', '{'];
        await collection.putMany(
          values.map((value, n) => ({ _id: JSON.stringify(value), _position: position(n), value })),
        );
        for (const value of values) {
          if (typeof value === 'object') continue;
          expect(await ids(collection, [{ field: 'value', op: 'eq', value }])).toEqual([JSON.stringify(value)]);
        }
        expect(await ids(collection, [{ field: 'value', op: 'gte', value: 0 }])).toEqual(['0', '1', '1.5']);
        expect(await ids(collection, [{ field: 'value', op: 'lt', value: 1.5 }])).toEqual(['0', '1']);
        expect(await ids(collection, [{ field: 'value', op: 'gt', value: '0' }])).toEqual([
          '"1"',
          '"["',
          '"true"',
          '"{"',
        ]);
        expect(await ids(collection, [{ field: 'value', op: 'lte', value: '1' }])).toEqual(['"0"', '"1"']);
        expect(await ids(collection, [{ field: 'value', op: 'in', value: [1, '0'] }])).toEqual(['"0"', '1']);
        expect(await ids(collection, [{ field: 'value', op: 'in', value: [] }])).toEqual([]);
        expect(await ids(collection, [{ field: 'value', op: 'in', value: ['true'] }])).toEqual(['"true"']);
      },
    );

    it('treats a value with operator characters as a plain value', async () => {
      const [collection] = await fresh({ fields: ['value'] });
      const texts = ['$gt', '$where', '.*', '%', '_', "'; DROP TABLE", 'a.b', '[', '(', '\\'];
      await collection.putMany(texts.map((value) => ({ _id: value, _position: position(1), value })));
      for (const value of texts) {
        expect(await ids(collection, [{ field: 'value', op: 'eq', value }])).toEqual([value]);
        expect(await ids(collection, [{ field: 'value', op: 'prefix', value }])).toEqual([value]);
      }
    });

    it('orders text by code point, not by language', async () => {
      const [collection] = await fresh({ fields: ['value'] });
      const texts = ['z', 'a', 'Z', 'ä', 'é', '10', '9', '~', 'ß', 'B'];
      await collection.putMany(texts.map((value, n) => ({ _id: String(n), _position: position(1), value })));
      const found = await collection.find({ filter: [], sort: [{ field: 'value', direction: 'asc' }], limit: 100 });
      expect(found.map((document) => document.value)).toEqual(['10', '9', 'B', 'Z', 'a', 'z', '~', 'ß', 'ä', 'é']);
    });

    it('reads fields of nested objects by a dotted path', async () => {
      const [collection] = await fresh({ fields: ['account.iban', 'account.rank'] });
      await collection.putMany([
        { _id: 'a', _position: position(1), account: { iban: 'DE1', rank: 2 } },
        { _id: 'b', _position: position(1), account: { iban: 'DE1', rank: 1 } },
        { _id: 'c', _position: position(1), account: 'DE1', 'account.iban': 'DE1' },
        { _id: 'd', _position: position(1), account: null },
      ]);
      const sort: Sort = [{ field: 'account.rank', direction: 'asc' }];
      expect(await ids(collection, [{ field: 'account.iban', op: 'eq', value: 'DE1' }], sort)).toEqual(['b', 'a']);
      expect(await ids(collection, [{ field: 'account.iban', op: 'eq', value: null }])).toEqual(['c', 'd']);
    });

    it('finds by what an array contains', async () => {
      const [collection] = await fresh({ fields: ['tenantId', 'terms'], multi: true });
      await collection.putMany([
        { _id: 'a', _position: position(1), tenantId: 't1', terms: ['rent', 'may', 'rent'] },
        { _id: 'b', _position: position(1), tenantId: 't1', terms: ['rental'], rank: 1 },
        { _id: 'c', _position: position(1), tenantId: 't2', terms: ['rent'] },
        { _id: 'd', _position: position(1), tenantId: 't1', terms: 'rent' },
        { _id: 'e', _position: position(1), tenantId: 't1', terms: [null, 1, { rent: 'rent' }] },
        { _id: 'f', _position: position(1), tenantId: null, terms: ['rent'] },
        { _id: 'g', _position: position(1), terms: ['rent', 'may'] },
      ]);
      expect(await ids(collection, has('tenantId', 't1', 'terms', 'rent'))).toEqual(['a']);
      expect(await ids(collection, has('tenantId', null, 'terms', 'rent'))).toEqual(['f', 'g']);
      const prefix: Filter = [
        { field: 'tenantId', op: 'eq', value: 't1' },
        { field: 'terms', op: 'hasPrefix', value: 'rent' },
      ];
      expect(await ids(collection, prefix)).toEqual(['a', 'b']);
      expect(await collection.count(prefix)).toBe(2);
      expect(await ids(collection, [...prefix, { field: 'terms', op: 'has', value: 'may' }])).toEqual(['a']);
      expect(await ids(collection, [{ field: 'terms', op: 'has', value: 'rent' }])).toEqual(['a', 'c', 'f', 'g']);
      expect(await ids(collection, [...prefix, { field: 'rank', op: 'eq', value: 1 }])).toEqual(['b']);

      await collection.putMany([
        { _id: 'a', _position: position(2), tenantId: 't1', terms: ['may'] },
        { _id: 'b', _position: position(2), tenantId: 't2', terms: ['rental'] },
      ]);
      expect(await ids(collection, prefix)).toEqual([]);
      expect(await ids(collection, has('tenantId', 't1', 'terms', 'may'))).toEqual(['a']);
      expect(await ids(collection, has('tenantId', 't2', 'terms', 'rental'))).toEqual(['b']);
    });

    it('counts exactly, and no further than the limit', async () => {
      const [collection] = await fresh({ fields: ['kind'] });
      const many = Array.from({ length: 25 }, (_, n) => ({ _id: `d${n}`, _position: position(1), kind: n % 5 }));
      await collection.putMany(many);
      expect(await collection.count([])).toBe(25);
      expect(await collection.count([{ field: 'kind', op: 'eq', value: 3 }])).toBe(5);
      expect(await collection.count([{ field: 'kind', op: 'gte', value: 0 }], 7)).toBe(7);
      expect(await collection.count([{ field: 'kind', op: 'eq', value: 3 }], 7)).toBe(5);
      expect(await collection.count([{ field: 'kind', op: 'in', value: [] }], 7)).toBe(0);
    });

    it('pages by keyset in mixed directions, ending every order by _id in the last direction', async () => {
      const [collection] = await fresh({ fields: ['tenantId', 'day', 'rank'] });
      const many = Array.from({ length: 60 }, (_, n) => ({
        _id: `d${String(n).padStart(2, '0')}`,
        _position: position(1),
        tenantId: n % 3 === 0 ? 'other' : 'mine',
        day: `2024-01-0${1 + (n % 4)}`,
        rank: n % 2,
      }));
      await collection.putMany(many);
      const filter: Filter = [{ field: 'tenantId', op: 'eq', value: 'mine' }];
      for (const [one, other] of [
        ['asc', 'asc'],
        ['desc', 'desc'],
        ['asc', 'desc'],
        ['desc', 'asc'],
      ] as const) {
        const sort: Sort = [
          { field: 'day', direction: one },
          { field: 'rank', direction: other },
        ];
        const whole = await collection.find({ filter, sort, limit: 100 });
        expect(whole).toHaveLength(40);
        const paged: Sample[] = [];
        for (;;) {
          const last = paged.at(-1);
          const after = last === undefined ? {} : { after: [String(last.day), Number(last.rank), last._id] };
          const page = await collection.find({ filter, sort, limit: 7, ...after });
          paged.push(...page);
          if (page.length < 7) break;
        }
        expect(paged).toEqual(whole);
        const iterated: Sample[] = [];
        for await (const document of collection.iterate({ filter, sort, pageSize: 6 })) iterated.push(document);
        expect(iterated).toEqual(whole);
        const expected = [...whole].sort((a, b) => {
          const byDay = String(a.day) < String(b.day) ? -1 : Number(a.day !== b.day);
          const byRank = Number(a.rank) - Number(b.rank);
          const byId = a._id < b._id ? -1 : 1;
          return (one === 'asc' ? byDay : -byDay) || (other === 'asc' ? byRank || byId : -byRank || -byId);
        });
        expect(whole.map((each) => each._id)).toEqual(expected.map((each) => each._id));
      }
    });

    it('iterates over more than one page while the collection changes, returning each document once', async () => {
      const [collection] = await fresh();
      const many = Array.from({ length: 30 }, (_, n) => ({ _id: `d${n + 10}`, _position: position(1) }));
      await collection.putMany(many);
      const seen: string[] = [];
      for await (const document of collection.iterate({ filter: [], sort: [], pageSize: 4 })) {
        seen.push(document._id);
        await collection.putMany([{ _id: document._id, _position: position(2), changed: true }]);
      }
      expect(seen).toEqual(many.map((each) => each._id));
      for await (const document of collection.iterate({ filter: [], sort: [], pageSize: 4 })) {
        expect(document.changed).toBe(true);
        if (document._id === 'd20') break;
      }
    });

    it('handles large reads and writes', async () => {
      const [collection] = await fresh({ fields: ['even', 'terms'], multi: true });
      const many = Array.from({ length: 3_500 }, (_, n) => ({
        _id: `d${n}`,
        _position: position(1),
        terms: [`t${n % 10}`],
        even: n % 2 === 0,
      }));
      expect(await collection.putMany(many)).toBe(3_500);
      expect((await collection.getMany(many.map((each) => each._id))).size).toBe(3_500);
      expect(await collection.count(has('even', true, 'terms', 't4'))).toBe(350);
      expect(await collection.deleteMany(many.map((each) => each._id))).toBe(3_500);
      expect(await collection.count([])).toBe(0);
    });

    it('refuses a document that is larger than any store accepts, and names it', async () => {
      const [collection, spec] = await fresh();
      const large = { _id: 'large', _position: position(2), text: 'x'.repeat(MAX_DOCUMENT_BYTES) };
      const small = { _id: 'small', _position: position(2) };
      const named = { name: 'DocumentTooLarge', documentId: 'large' };
      await expect(collection.putMany([small, large])).rejects.toMatchObject(named);
      await expect(collection.compareAndSet(large, null)).rejects.toThrow(DocumentTooLarge);
      const move = { name: spec.name, expected: null, position: position(2), fence: 1 };
      const other = { ...small, _id: 'other' };
      const batch = { collection: spec, documents: [other, large, small], checkpoint: move };
      await expect(store.commitBatch(batch)).rejects.toMatchObject(named);
      expect(await collection.get('other')).toBeUndefined();
      expect(await collection.get('large')).toBeUndefined();
      expect((await store.checkpoints([spec.name])).size).toBe(0);
      expect(await store.commitBatch({ ...batch, documents: [other, small] })).toBe('committed');
    });

    it('fills an index that is declared after documents were written', async () => {
      const [collection, spec] = await fresh({ fields: ['kind'] });
      await collection.putMany([
        { _id: 'a', _position: position(1), kind: 'k', day: '2024-02-02', flag: true, terms: ['x'] },
        { _id: 'b', _position: position(1), kind: 'k', day: '2024-01-01', terms: ['x', 'y'] },
      ]);
      const indexes = [...spec.indexes, { fields: ['kind', 'day'] }, { fields: ['flag', 'terms'], multi: true }];
      const wider = { name: spec.name, indexes };
      await store.ensureCollection(wider);
      await store.ensureCollection(wider);
      const again = store.collection<Sample>(wider);
      const sort: Sort = [{ field: 'day', direction: 'asc' }];
      expect(await ids(again, [{ field: 'kind', op: 'eq', value: 'k' }], sort)).toEqual(['b', 'a']);
      expect(await ids(again, has('flag', true, 'terms', 'x'))).toEqual(['a']);
      expect(await ids(again, has('flag', null, 'terms', 'y'))).toEqual(['b']);
    });

    it('finds the same where an index leaves out documents without a value', async () => {
      const [collection] = await fresh(
        { fields: ['due'], notNull: true },
        { fields: ['kind', 'due'], notNull: true },
        // An identifier, of which a range is no condition on the column.
        { fields: ['syncId'], notNull: true },
      );
      const many = Array.from({ length: 60 }, (_, n) => ({
        _id: `d${String(n).padStart(2, '0')}`,
        _position: position(1),
        ...(n % 3 === 0 ? { due: null } : {}),
        ...(n % 3 === 1 ? { due: `2024-01-${10 + n}` } : {}),
        ...(n % 5 === 0 ? { kind: null } : { kind: 'k' }),
        ...(n % 2 === 0 ? { syncId: `sync ${n}` } : {}),
      }));
      await collection.putMany(many);
      const idsOf = (wanted: (one: { due?: string | null; kind: string | null }) => boolean): string[] =>
        many.filter((one) => wanted(one)).map(({ _id }) => _id);
      const byDue: Sort = [{ field: 'due', direction: 'asc' }];
      const due = (op: 'gt' | 'lte', value: string) => ({ field: 'due', op, value }) as const;
      expect((await ids(collection, [], byDue)).sort()).toEqual(idsOf(() => true));
      expect(await ids(collection, [{ field: 'due', op: 'eq', value: null }])).toEqual(idsOf((one) => one.due == null));
      expect(await ids(collection, [{ field: 'kind', op: 'eq', value: null }])).toEqual(
        idsOf((one) => one.kind === null),
      );
      expect(await ids(collection, [due('gt', ''), due('lte', '2024-01-31')], byDue)).toEqual(
        idsOf((one) => typeof one.due === 'string' && one.due <= '2024-01-31'),
      );
      const after = await collection.find({
        filter: [due('gt', '')],
        sort: byDue,
        limit: 5,
        after: ['2024-01-20', 'd10'],
      });
      expect(after.map(({ _id }) => _id)).toEqual(['d13', 'd16', 'd19', 'd22', 'd25']);
      expect(await ids(collection, [{ field: 'kind', op: 'eq', value: 'k' }, due('gt', '')], byDue)).toEqual(
        idsOf((one) => typeof one.due === 'string' && one.kind === 'k'),
      );
      expect(await collection.count([due('gt', '')])).toBe(20);
      const bySync: Sort = [{ field: 'syncId', direction: 'asc' }];
      const synced: Filter = [{ field: 'syncId', op: 'gt', value: 'sync 5' }];
      expect(await ids(collection, synced, bySync)).toEqual(['d50', 'd52', 'd54', 'd56', 'd58', 'd06', 'd08']);
    });

    it('gives the same answers while its indexes are deferred and once they exist', async () => {
      const indexes = [
        { fields: ['kind', 'day'] },
        { fields: ['kind', 'terms'], multi: true },
        { fields: ['flag', 'tags'], multi: true },
      ];
      const spec = { name: `c_${randomUUID().replaceAll('-', '')}`, indexes };
      await store.ensureCollection(spec, { indexes: 'later' });
      const collection = store.collection<Sample>(spec);
      const many = Array.from({ length: 2_500 }, (_, n) => ({
        _id: `d${String(n).padStart(4, '0')}`,
        _position: position(1),
        kind: `k${n % 2}`,
        day: `2024-01-${10 + (n % 9)}`,
        flag: n % 3 === 0,
        terms: [`t${n % 50}`],
        tags: n % 4 === 0 ? ['x', 'y'] : [],
      }));
      await collection.putMany(many);
      await collection.putMany([
        { _id: 'd0001', _position: position(2), kind: 'k1', day: '2024-01-30', terms: ['new'], tags: [] },
      ]);
      const filter = has('kind', 'k1', 'terms', 't7');
      const newest: Sort = [{ field: 'day', direction: 'desc' }];
      const answers = async (): Promise<unknown[]> => [
        await ids(collection, filter, newest),
        await ids(collection, has('flag', true, 'tags', 'x')),
        await collection.count(has('kind', 'k1', 'terms', 'new')),
        await collection.count(has('kind', 'k1', 'terms', 't1')),
        (await collection.find({ filter: [], sort: newest, limit: 1 })).map((each) => each._id),
      ];
      const before = await answers();
      await Promise.all([store.ensureCollection(spec), store.ensureCollection(spec)]);
      expect(await answers()).toEqual(before);
      expect(before.slice(2)).toEqual([1, 49, ['d0001']]);
      await collection.putMany([
        { _id: 'd0001', _position: position(3), kind: 'k1', day: '2024-01-01', terms: [], tags: [] },
      ]);
      expect(await collection.count(has('kind', 'k1', 'terms', 'new'))).toBe(0);
    });

    it('iterates a collection without indexes in the order of ids', async () => {
      const [tenant, other] = [randomUUID(), randomUUID()];
      const spec: CollectionSpec = { name: `c_${randomUUID().replaceAll('-', '')}`, indexes: [], isReadOften: true };
      await store.ensureCollection(spec, { indexes: 'later' });
      const collection = store.collection<Sample>(spec);
      const wanted = Array.from({ length: 1_200 }, () => `${tenant}/${randomUUID()}`).sort();
      const made = [...wanted, ...wanted.slice(0, 3).map((id) => id.replace(tenant, other))];
      await collection.putMany(
        made.map((_id, n) => ({ _id, _position: position(1), companyId: n % 2 === 0 ? 'a' : 'b', terms: [`t${n}`] })),
      );
      await store.ensureCollection(spec, { indexes: 'awaited' });
      const filter: Filter = [
        { field: '_id', op: 'prefix', value: `${tenant}/` },
        { field: 'companyId', op: 'eq', value: 'b' },
      ];
      const found: string[] = [];
      for await (const { _id } of collection.iterate({ filter, sort: [] })) found.push(_id);
      expect(found).toEqual(wanted.filter((_, n) => n % 2 === 1));
    });

    it('drops a collection, after which an empty one of that name can be created', async () => {
      const [collection, spec] = await fresh({ fields: ['kind', 'terms'], multi: true });
      await collection.putMany([{ _id: 'a', _position: position(1), kind: 'k', terms: ['x'] }]);
      await store.dropCollection(spec.name);
      await store.dropCollection(spec.name);
      await store.ensureCollection(spec);
      expect(await collection.get('a')).toBeUndefined();
      expect(await ids(collection, has('kind', 'k', 'terms', 'x'))).toEqual([]);
    });

    describe('batches', () => {
      const batchOf = (
        collection: CollectionSpec,
        name: string,
        expected: string | null,
        to: string,
        fence: number,
      ) => ({
        collection,
        documents: [{ _id: 'a', _position: to, by: fence }],
        checkpoint: { name, expected, position: to, fence },
      });

      it('commits documents and checkpoint together and moves on', async () => {
        const [collection, spec] = await fresh();
        const name = randomUUID();
        expect(await store.commitBatch(batchOf(spec, name, null, position(3), 1))).toBe('committed');
        expect(await store.commitBatch(batchOf(spec, name, position(3), position(9), 1))).toBe('committed');
        expect(await store.checkpoints([name, 'none'])).toEqual(
          new Map([[name, { name, position: position(9), fence: 1 }]]),
        );
        expect(await collection.get('a')).toMatchObject({ _position: position(9) });
      });

      it('fences an older owner and one at another position', async () => {
        const [, spec] = await fresh();
        const name = randomUUID();
        expect(await store.commitBatch(batchOf(spec, name, position(1), position(3), 1))).toBe('fenced');
        expect(await store.commitBatch(batchOf(spec, name, null, position(3), 5))).toBe('committed');
        expect(await store.commitBatch(batchOf(spec, name, null, position(4), 5))).toBe('fenced');
        expect(await store.commitBatch(batchOf(spec, name, position(2), position(4), 5))).toBe('fenced');
        expect(await store.commitBatch(batchOf(spec, name, position(3), position(4), 4))).toBe('fenced');
        expect(await store.commitBatch(batchOf(spec, name, position(3), position(4), 6))).toBe('committed');
        expect(await store.commitBatch(batchOf(spec, name, position(4), position(5), 5))).toBe('fenced');
        expect((await store.checkpoints([name])).get(name)).toEqual({ name, position: position(4), fence: 6 });
      });

      it('moves a checkpoint backwards on request, under the same guards', async () => {
        const [, spec] = await fresh();
        const name = randomUUID();
        const ahead = `${2n ** 64n - 1n}-${2n ** 64n - 1n}`;
        const back = (expected: string, fence: number) => ({
          collection: spec,
          documents: [],
          checkpoint: { name, expected, position: '', fence },
        });
        expect(await store.commitBatch(batchOf(spec, name, null, ahead, 2))).toBe('committed');
        expect(await store.commitBatch(back(ahead, 1))).toBe('fenced');
        expect(await store.commitBatch(back(position(3), 3))).toBe('fenced');
        expect(await store.commitBatch(back(ahead, 3))).toBe('committed');
        expect((await store.checkpoints([name])).get(name)).toEqual({ name, position: '', fence: 3 });
        expect(await store.commitBatch(batchOf(spec, name, '', position(1), 2))).toBe('fenced');
        expect(await store.commitBatch(batchOf(spec, name, '', position(1), 3))).toBe('committed');
      });

      it('accepts a repetition of the same batch as already committed', async () => {
        const [, spec] = await fresh();
        const name = randomUUID();
        expect(await store.commitBatch(batchOf(spec, name, null, position(3), 1))).toBe('committed');
        expect(await store.commitBatch(batchOf(spec, name, null, position(3), 1))).toBe('committed');
      });

      it('never replaces a newer document with an older one', async () => {
        const [collection, spec] = await fresh();
        const name = randomUUID();
        await collection.putMany([{ _id: 'a', _position: position(7), by: 'newer' }]);
        expect(await store.commitBatch(batchOf(spec, name, null, position(3), 1))).toBe('committed');
        expect((await collection.get('a'))?.by).toBe('newer');
      });

      it('commits more documents than fit into one step', async () => {
        const [collection, spec] = await fresh();
        const name = randomUUID();
        const documents = Array.from({ length: 3_300 }, (_, n) => ({ _id: `d${n}`, _position: position(1) }));
        const checkpoint = { name, expected: null, position: position(1), fence: 1 };
        expect(await store.commitBatch({ collection: spec, documents, checkpoint })).toBe('committed');
        expect(await collection.count([])).toBe(3_300);
        const late = { ...checkpoint, expected: position(9), position: position(10) };
        expect(await store.commitBatch({ collection: spec, documents, checkpoint: late })).toBe('fenced');
      });

      it('starts over once the checkpoint is deleted', async () => {
        const [, spec] = await fresh();
        const name = randomUUID();
        await store.commitBatch(batchOf(spec, name, null, position(3), 1));
        await store.deleteCheckpoint(name);
        await store.deleteCheckpoint(name);
        expect((await store.checkpoints([name])).size).toBe(0);
        expect(await store.commitBatch(batchOf(spec, name, null, position(1), 1))).toBe('committed');
      });
    });

    describe('leases', () => {
      const name = (): string => `lease/${randomUUID()}`;

      it('belong to one owner until they expire, with a fence that grows', async () => {
        const [one, other] = [name(), name()];
        const [first] = await store.leases.acquireMany([one], 'ann', 1_000, 10_000);
        expect(first).toMatchObject({ name: one, owner: 'ann', until: new Date(11_000).toISOString() });
        const second = await store.leases.acquireMany([one, other], 'bob', 1_000, 10_999);
        expect(second.map((lease) => lease.name)).toEqual([other]);
        const [late] = await store.leases.acquireMany([one], 'bob', 1_000, 11_000);
        expect(late?.owner).toBe('bob');
        expect(late?.fence).toBeGreaterThan(first?.fence ?? Number.NaN);
        expect(await store.leases.acquireMany([one], 'ann', 1_000, 11_500)).toEqual([]);
      });

      it('are renewed by their owner and keep their fence', async () => {
        const one = name();
        const [first] = await store.leases.acquireMany([one], 'ann', 1_000, 10_000);
        const [second] = await store.leases.acquireMany([one], 'ann', 1_000, 10_500);
        expect(second).toMatchObject({ fence: first?.fence, until: new Date(11_500).toISOString() });
        expect((await store.leases.getMany([one])).get(one)).toEqual(second);
        const [late] = await store.leases.acquireMany([one], 'ann', 1_000, 20_000);
        expect(late?.fence).toBe(first?.fence);
      });

      it('are free once released, which only their owner can do', async () => {
        const one = name();
        const [first] = await store.leases.acquireMany([one], 'ann', 1_000, 10_000);
        await store.leases.releaseMany([one], 'bob');
        expect(await store.leases.acquireMany([one], 'bob', 1_000, 10_001)).toEqual([]);
        await store.leases.releaseMany([one, name()], 'ann');
        expect((await store.leases.getMany([one, name()])).size).toBe(0);
        const [next] = await store.leases.acquireMany([one], 'bob', 1_000, 10_002);
        expect(next?.fence).toBeGreaterThan(first?.fence ?? Number.NaN);
      });

      it('are never given to two concurrent owners', async () => {
        const names = Array.from({ length: 8 }, name);
        const owners = Array.from({ length: 6 }, (_, n) => `owner-${n}`);
        const taken = await Promise.all(owners.map((owner) => store.leases.acquireMany(names, owner, 60_000, 1_000)));
        const all = taken.flat();
        expect(all.map((lease) => lease.name).sort()).toEqual([...names].sort());
        const held = await store.leases.getMany(names);
        for (const lease of all) expect(held.get(lease.name)).toEqual(lease);
        expect(await store.leases.acquireMany([], 'ann', 1_000, 1_000)).toEqual([]);
      });
    });

    it('keeps everything when reopened, and refuses work once closed', async () => {
      const [collection, spec] = await fresh({ fields: ['kind', 'terms'], multi: true });
      const first = await subject.open();
      await first.collection<Sample>(spec).putMany([{ _id: 'a', _position: position(1), kind: 'k', terms: ['x'] }]);
      await first.leases.acquireMany([spec.name], 'ann', 1_000, 10_000);
      await first.ping();
      await first.close();
      await first.close();
      await expect(first.ping()).rejects.toThrow(ReadStoreUnavailable);
      await expect(first.collection<Sample>(spec).putMany([{ _id: 'b', _position: position(1) }])).rejects.toThrow(
        ReadStoreUnavailable,
      );
      await expect(first.collection<Sample>(spec).get('a')).rejects.toThrow(ReadStoreUnavailable);
      const second = await subject.open();
      expect(await ids(second.collection<Sample>(spec), has('kind', 'k', 'terms', 'x'))).toEqual(['a']);
      expect((await second.leases.getMany([spec.name])).get(spec.name)?.owner).toBe('ann');
      await second.close();
      expect(await collection.get('a')).toBeDefined();
    });
  });
}

function has(field: string, value: string | boolean | null, arrayField: string, term: string): Filter {
  return [
    { field, op: 'eq', value },
    { field: arrayField, op: 'has', value: term },
  ];
}
