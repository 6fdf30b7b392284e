import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultsOfFile } from '../../src/readstore/embedded/check-file.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { identifierValue } from '../../src/readstore/embedded/identifier-value.ts';
import type { Condition, Document, Sort } from '../../src/readstore/read-store.ts';
import { computedId } from '../../src/shared/ids.ts';
import { keysetOf, referenceFind } from './reference-finds.ts';

const uuid = fc.integer({ min: 0, max: 12 }).map((n) => computedId('some', String(n)));
const digits = fc.integer({ min: 0, max: 12 }).map((n) => String(n * 7).padStart(16, '0'));
const [A = '', B = ''] = [computedId('tenant', 'a'), computedId('tenant', 'b')];
const tenantId = fc.constantFrom(A, B);

describe('identifiers in bytes', () => {
  const hex32 = uuid.map((one) => one.replaceAll('-', ''));
  const forms = [
    uuid,
    hex32,
    fc.tuple(uuid, uuid).map(([one, other]) => `${one}/${other}`),
    fc.tuple(uuid, digits).map(([one, other]) => `${one}/${other}`),
    fc.tuple(uuid, fc.string()).map(([one, other]) => `${one}/x${other}`),
  ];
  const bytes = (text: string): Buffer => Buffer.from(identifierValue(text) as Uint8Array);

  it.each(forms.map((form, nth) => [nth, form] as const))('keep the order of texts of one form: %i', (_, form) => {
    const sign = (number: number): number => Math.sign(number);
    fc.assert(
      fc.property(form, form, (one, other) => {
        const ofTexts = Buffer.compare(Buffer.from(one), Buffer.from(other));
        expect(sign(Buffer.compare(bytes(one), bytes(other)))).toBe(sign(ofTexts));
      }),
    );
  });

  it.each([
    ['8d7f9a10-0b3c-5c1e-9f00-a1b2c3d4e5f6', '8d7f9a100b3c5c1e9f00a1b2c3d4e5f6'],
    ['8d7f9a100b3c5c1e9f00a1b2c3d4e5f6', '008d7f9a100b3c5c1e9f00a1b2c3d4e5f6'],
    [
      '8d7f9a10-0b3c-5c1e-9f00-a1b2c3d4e5f6/00112233-4455-6677-8899-aabbccddeeff',
      '8d7f9a100b3c5c1e9f00a1b2c3d4e5f6 00 00112233445566778899aabbccddeeff',
    ],
    ['8d7f9a10-0b3c-5c1e-9f00-a1b2c3d4e5f6/0000000000123456', '8d7f9a100b3c5c1e9f00a1b2c3d4e5f6 01 0000000000123456'],
    [
      '8d7f9a10-0b3c-5c1e-9f00-a1b2c3d4e5f6/00000000001234ab',
      '8d7f9a100b3c5c1e9f00a1b2c3d4e5f6 02 30303030303030303030313233346162',
    ],
    ['8d7f9a10-0b3c-5c1e-9f00-a1b2c3d4e5f6/é', '8d7f9a100b3c5c1e9f00a1b2c3d4e5f6 02 c3a9'],
    ['8d7f9a10-0b3c-5c1e-9f00-a1b2c3d4e5f6/', '8d7f9a100b3c5c1e9f00a1b2c3d4e5f6 02'],
  ])('are stored for ever as %s is', (text, hex) => {
    expect(bytes(text).toString('hex')).toBe(hex.replaceAll(' ', ''));
  });

  it.each([
    '8D7F9A10-0B3C-5C1E-9F00-A1B2C3D4E5F6',
    '8d7f9a10-0b3c-5c1e-9f00-a1b2c3d4e5g6',
    '8d7f9a10-0b3c-5c1e-9f00+a1b2c3d4e5f6',
    '8d7f9a10-0b3c-5c1e-9f00-a1b2c3d4e5f6a',
    '8d7f9a100b3c5c1e9f00a1b2c3d4e5f/',
    '8d7f9a10-0b3c-5c1e-9f00-a1b2c3d4e5:6/0000000000123456',
  ])('stay texts where they have none of these forms: %s', (text) => {
    expect(identifierValue(text)).toBe(text);
  });

  it('are different for different texts', () => {
    const any = fc.oneof(
      ...forms,
      fc.string(),
      uuid.map((one) => one.toUpperCase()),
      uuid.map((one) => `${one}/`),
    );
    const key = (text: string): string => {
      const value = identifierValue(text);
      return typeof value === 'string' ? `text ${value}` : `bytes ${Buffer.from(value as Uint8Array).toString('hex')}`;
    };
    fc.assert(
      fc.property(any, any, (one, other) => {
        expect(key(one) === key(other)).toBe(one === other);
      }),
    );
  });
});

type Sample = Document & { readonly tenantId: string; readonly accountId: string | null; readonly rank: number };

const SPEC = {
  name: 'rows',
  indexes: [
    { fields: ['tenantId', 'rank'] },
    { fields: ['tenantId', 'accountId', 'rank'] },
    { fields: ['tenantId', 'words'], multi: true },
  ],
};

const IDS = [
  ['a UUID', uuid],
  ['a position', digits],
  ['a text', uuid.map((one) => `month/${one}`)],
] as const;

describe('an embedded store of documents with UUIDs', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'identifiers-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const condition: fc.Arbitrary<Condition> = fc.oneof(
    fc.record({ field: fc.constant('tenantId'), op: fc.constant('eq' as const), value: tenantId }),
    fc.record({ field: fc.constant('accountId'), op: fc.constant('eq' as const), value: fc.option(uuid) }),
    fc.record({
      field: fc.constant('accountId'),
      op: fc.constant('in' as const),
      value: fc.array(uuid, { maxLength: 5 }),
    }),
    fc.record({ field: fc.constant('accountId'), op: fc.constantFrom('gt' as const, 'lte' as const), value: uuid }),
    fc.record({
      field: fc.constantFrom('accountId', '_id'),
      op: fc.constant('prefix' as const),
      value: fc.oneof(
        uuid.map((one) => one.slice(0, 3)),
        tenantId.map((one) => `${one}/`),
        tenantId.map((one) => one.slice(0, 20)),
        tenantId,
      ),
    }),
    fc.record({ field: fc.constant('words'), op: fc.constant('has' as const), value: fc.constantFrom('x', 'y') }),
  );

  it.each(IDS)('finds and pages as the reference does, by ids that end with %s', async (_, end) => {
    let nth = 0;
    const document: fc.Arbitrary<Sample> = fc
      .record({
        tenantId,
        end,
        accountId: fc.option(uuid),
        rank: fc.integer({ min: 0, max: 3 }),
        words: fc.subarray(['x', 'y']),
        note: fc.constantFrom('', 'note '.repeat(60)),
      })
      .map(({ end: last, ...rest }) => ({ _id: `${rest.tenantId}/${last}`, _position: '1', ...rest }));
    const sort: fc.Arbitrary<Sort> = fc.constantFrom<Sort>(
      [],
      [{ field: 'rank', direction: 'desc' }],
      [
        { field: 'rank', direction: 'asc' },
        { field: '_id', direction: 'desc' },
      ],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(document, { selector: ({ _id }) => _id, maxLength: 40 }),
        fc.array(fc.record({ filter: fc.array(condition, { maxLength: 3 }), sort }), { minLength: 1, maxLength: 6 }),
        async (documents, finds) => {
          nth += 1;
          const file = join(folder, `${nth}.sqlite`);
          const store = openEmbeddedReadStore({ file, smallTable: nth % 2 === 0 ? 10 : 1_000 });
          try {
            await store.ensureCollection(SPEC);
            const collection = store.collection<Sample>(SPEC);
            await collection.putMany(documents);
            for (const { filter, sort: order } of finds) {
              const all = referenceFind(documents, { filter, sort: order, limit: 100 });
              expect(await collection.find({ filter, sort: order, limit: 100 })).toEqual(all);
              const first = await collection.find({ filter, sort: order, limit: 3 });
              const last = first.at(-1);
              if (last === undefined) continue;
              const after = keysetOf(last, order);
              expect(await collection.find({ filter, sort: order, limit: 100, after })).toEqual(
                all.slice(first.length),
              );
            }
            const ids = documents.map(({ _id }) => _id);
            expect((await collection.getMany(ids)).size).toBe(ids.length);
            expect(await collection.deleteMany(ids.slice(0, 5))).toBe(Math.min(5, ids.length));
          } finally {
            await store.close();
          }
          expect(faultsOfFile(file)).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('stores them as text where a former release made the table, and in bytes in a new one', async () => {
    const file = join(folder, 'former.sqlite');
    const document = { _id: `${A}/${B}`, _position: '1', tenantId: A, accountId: B, rank: 1, words: ['x'] };
    const open = async <T>(work: (store: ReturnType<typeof openEmbeddedReadStore>) => Promise<T>): Promise<T> => {
      const store = openEmbeddedReadStore({ file });
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    };
    const inFile = (sql: string): unknown => {
      const database = new DatabaseSync(file);
      const row = database.prepare(sql).get();
      database.close();
      return row;
    };
    await open(async () => {});
    const former = new DatabaseSync(file);
    former.exec(`
      CREATE TABLE "docs:rows" (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, position TEXT NOT NULL,
        "f:tenantId", "f:rank", doc TEXT NOT NULL);
      CREATE INDEX "by:rows:tenantId,rank" ON "docs:rows" ("f:tenantId", "f:rank", id);
    `);
    former
      .prepare('INSERT INTO "docs:rows" VALUES (1, ?, ?, ?, ?, ?)')
      .run(document._id, '1', A, 1, JSON.stringify(document));
    former
      .prepare('INSERT INTO collections VALUES (?, ?)')
      .run('rows', JSON.stringify([{ fields: ['tenantId', 'rank'] }]));
    former.close();
    await open(async (store) => {
      // Adds the columns and terms of this release to the table.
      await store.ensureCollection(SPEC);
      const collection = store.collection<typeof document>(SPEC);
      const second = { ...document, _id: `${A}/${A}`, accountId: A };
      await collection.putMany([second]);
      const filter = [{ field: 'tenantId', op: 'eq', value: A }] as const;
      expect(await collection.find({ filter, sort: [], limit: 9 })).toHaveLength(2);
      const ofAccount = [...filter, { field: 'accountId', op: 'eq', value: B }] as const;
      expect(await collection.find({ filter: ofAccount, sort: [], limit: 9 })).toEqual([document]);
      expect(await collection.get(document._id)).toEqual(document);
      const ofFresh = { ...SPEC, name: 'fresh' };
      await store.ensureCollection(ofFresh);
      await store.collection(ofFresh).putMany([document]);
      expect(await store.collection(ofFresh).get(document._id)).toEqual(document);
    });
    expect(faultsOfFile(file)).toEqual([]);
    expect(inFile('SELECT typeof(id) AS id, typeof("f:accountId") AS account FROM "docs:rows"')).toEqual({
      id: 'text',
      account: 'text',
    });
    expect(inFile('SELECT length(id) AS id, length("f:accountId") AS account FROM "docs:fresh"')).toEqual({
      id: 33,
      account: 16,
    });
  });
});
