import type { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultsOfFile } from '../../src/readstore/embedded/check-file.ts';
import { openDatabase } from '../../src/readstore/embedded/database.ts';
import { SHAPES_TABLE, Shapes } from '../../src/readstore/embedded/shapes.ts';
import { Statements } from '../../src/readstore/embedded/statements.ts';
import { layoutOf } from '../../src/readstore/embedded/table-layout.ts';
import { rowsOf } from '../../src/readstore/embedded/table-writer.ts';
import { WriteQueue } from '../../src/readstore/embedded/write-queue.ts';
import type { Document } from '../../src/readstore/read-store.ts';
import { ReadStoreDamaged } from '../../src/readstore/read-store.ts';
import { storeInFolder } from './store-in-folder.ts';

const SPEC = {
  name: 'rows',
  indexes: [{ fields: ['tenantId', 'day'] }, { fields: ['tenantId', 'words'], multi: true }],
  isReadOften: true,
} as const;

const row = (nth: number) => ({
  _id: `tenant/${String(nth).padStart(5, '0')}`,
  tenantId: 'tenant',
  day: `2026-01-${String(1 + (nth % 28)).padStart(2, '0')}`,
  words: ['all', nth % 2 === 0 ? 'even' : 'odd'],
  isAssigned: nth % 3 === 0,
  balance: null,
  automation: { status: 'completed', attempts: nth % 4, lastError: null },
  assignments: nth % 3 === 0 ? [{ reference: { source: 'erp', externalId: String(nth) }, tags: [] }] : [],
  amounts: { [`2026-01-${10 + (nth % 9)}`]: { total: String(nth) } },
  _position: String(nth).padStart(8, '0'),
});

const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => row(from + at));

const { file, withStore, inFile } = storeInFolder(SPEC);

const storedNames = (): string[] =>
  inFile((database) => database.prepare('SELECT names FROM shapes ORDER BY names').all()).map(({ names }) =>
    String(names),
  );

describe('documents that are read often', () => {
  it('are stored without the names of their fields, and found by every condition', async () => {
    await withStore(async (store) => {
      const collection = store.collection<ReturnType<typeof row>>(SPEC);
      for (let from = 0; from < 2_000; from += 100) await collection.putMany(rows(from, from + 100));
      expect(await collection.get('tenant/01234')).toEqual(row(1_234));
      const tenant = { field: 'tenantId', op: 'eq', value: 'tenant' } as const;
      const sort = [{ field: 'day', direction: 'asc' }] as const;
      // In the thread that reads, in terms, and in what stands in the document only.
      for (const condition of [
        { field: '_id', op: 'eq', value: 'tenant/00077' },
        { field: 'amounts.2026-01-15.total', op: 'eq', value: '77' },
      ] as const) {
        expect(await collection.find({ filter: [tenant, condition], sort, limit: 10 })).toEqual([row(77)]);
      }
      expect(await collection.count([tenant, { field: 'words', op: 'has', value: 'odd' }])).toBe(1_000);
      const changed = { ...row(7), _position: '00009000', words: ['changed'] };
      expect(await collection.compareAndSet(changed, row(7)._position)).toBe(true);
      expect(await collection.count([tenant, { field: 'words', op: 'has', value: 'odd' }])).toBe(999);
      const found: unknown[] = [];
      for await (const one of collection.iterate({ filter: [tenant], sort, pageSize: 150 })) found.push(one);
      expect(found).toHaveLength(2_000);
      expect(found).toContainEqual(changed);
    });
    expect(faultsOfFile(file())).toEqual([]);
    const stored = inFile((database) => database.prepare('SELECT sum(length(doc)) AS n FROM "docs:rows"').get()?.n);
    const written = rows(0, 2_000).reduce((sum, one) => sum + JSON.stringify(one).length, 0);
    expect(Number(stored)).toBeLessThan(0.65 * written);
    // A day is no name of a field.
    expect(storedNames()).toEqual(
      [
        Object.keys(row(0)),
        ['reference', 'tags'],
        ['source', 'externalId'],
        ['status', 'attempts', 'lastError'],
        ['total'],
      ]
        .map((names) => JSON.stringify(names))
        .sort(),
    );
  });

  it('are read as a former release stored them, and without names once they change', async () => {
    await withStore(async () => {});
    inFile((database) => {
      const insert = database.prepare(
        'INSERT INTO "docs:rows" (id, position, "f:tenantId", "f:day", doc) VALUES (?, ?, ?, ?, ?)',
      );
      for (const one of rows(0, 100)) insert.run(one._id, one._position, one.tenantId, one.day, JSON.stringify(one));
      database.exec(`
        INSERT INTO "terms:rows:tenantId,words" SELECT 'tenant', value, row FROM "docs:rows", json_each(doc, '$.words');
        DROP TABLE shapes;
      `);
    });
    expect(faultsOfFile(file())).toEqual([]);
    const changed = { ...row(7), _position: '00001000', words: ['changed'] };
    await withStore(async (store) => {
      const collection = store.collection<ReturnType<typeof row>>(SPEC);
      expect([...(await collection.getMany(rows(0, 100).map(({ _id }) => _id))).values()]).toEqual(rows(0, 100));
      await collection.putMany([changed]);
      expect(await collection.get(changed._id)).toEqual(changed);
    });
    expect(faultsOfFile(file())).toEqual([]);
    const forms = `SELECT substr(doc, 1, 1) AS start, count(*) AS n FROM "docs:rows" GROUP BY 1 ORDER BY 1`;
    expect(inFile((database) => database.prepare(forms).all())).toEqual([
      { start: '[', n: 1 },
      { start: '{', n: 99 },
    ]);
  });

  it('say so where their shape is missing', async () => {
    await withStore((store) => store.collection(SPEC).putMany(rows(0, 20)));
    inFile((database) => database.exec('DELETE FROM shapes'));
    expect(faultsOfFile(file())).toEqual([expect.stringContaining('a shape that does not exist')]);
    await withStore(async (store) => {
      await expect(store.collection(SPEC).get('tenant/00003')).rejects.toThrow(ReadStoreDamaged);
    });
  });
});

describe('shapes', () => {
  const open = (): DatabaseSync => {
    const database = openDatabase(file());
    database.exec(SHAPES_TABLE);
    return database;
  };

  const name = fc.oneof(
    fc.constantFrom('_id', 'amount', 'tags', 'status', 'a', '0', '2026-01-15', 'TRY', '__proto__', 'constructor', ''),
    fc.string({ maxLength: 4 }),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, 0, -1.5, '', 'text'),
      fc.string(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, fc.oneof(tie('value'), fc.constant(undefined)), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  it('give back any document, to the connection that wrote it and to another one', () => {
    const [one, other] = [open(), open()];
    const [writing, reading] = [new Shapes(one), new Shapes(other)];
    try {
      fc.assert(
        fc.property(fc.dictionary(name, value, { maxKeys: 6, noNullPrototype: true }), (document) => {
          const { text, shapes } = writing.textOf(document);
          writing.store(shapes);
          const plain = JSON.parse(JSON.stringify(document));
          for (const shapesOf of [writing, reading]) {
            const read = shapesOf.documentOf(text);
            expect(read).toEqual(plain);
            // Also the order of the fields.
            expect(JSON.stringify(read)).toBe(JSON.stringify(plain));
          }
          expect(writing.textOf(document).shapes).toEqual([]);
        }),
      );
    } finally {
      one.close();
      other.close();
    }
  });

  it('end at 250, after which documents stay as they are', () => {
    const database = open();
    try {
      const names = (nth: number): string => `field${String.fromCharCode(97 + (nth % 26), 97 + Math.floor(nth / 26))}`;
      const documents = Array.from({ length: 300 }, (_, nth) => ({ [names(nth)]: { amount: nth } }));
      // Each half by a connection that has seen nothing of the other.
      for (const half of [documents.slice(0, 150), documents.slice(150)]) {
        const shapes = new Shapes(database);
        for (const document of half) {
          const { text, shapes: missing } = shapes.textOf(document);
          shapes.store(missing);
          expect(new Shapes(database).documentOf(text)).toEqual(document);
        }
      }
      expect(database.prepare('SELECT count(*) AS n FROM shapes').get()).toEqual({ n: 250 });
    } finally {
      database.close();
    }
  });

  it('are stored by each of two connections that meet one at the same time', () => {
    const [one, other] = [open(), open()];
    try {
      const [first, second] = [new Shapes(one), new Shapes(other)];
      const [made, madeToo] = [first.textOf({ amount: 1 }), second.textOf({ amount: 2 })];
      expect(made.shapes).toEqual(madeToo.shapes);
      first.store(made.shapes);
      second.store(madeToo.shapes);
      expect([second.documentOf(made.text), first.documentOf(madeToo.text)]).toEqual([{ amount: 1 }, { amount: 2 }]);
    } finally {
      one.close();
      other.close();
    }
  });

  it('are refused where two have one id', () => {
    const database = open();
    try {
      const [shape] = new Shapes(database).textOf({ amount: 1 }).shapes;
      new Shapes(database).store([{ id: shape?.id ?? '', names: ['balance'] }]);
      expect(() => new Shapes(database).store([{ id: shape?.id ?? '', names: ['amount'] }])).toThrow(RangeError);
      // A connection that knows of the other one leaves the document as it is.
      const { text } = new Shapes(database).textOf({ amount: 1 });
      expect(text).toBe('{"amount":1}');
    } finally {
      database.close();
    }
  });

  it('survive a transaction that fails: what was stored in it is stored again', async () => {
    const database = open();
    const statements = new Statements(database);
    try {
      const documents: Document[] = [{ _id: 'a', _position: '1', amount: 1 } as Document];
      const layout = layoutOf('rows', []);
      const create = 'CREATE TABLE "docs:rows" (row INTEGER PRIMARY KEY, id NOT NULL UNIQUE, position TEXT, doc TEXT)';
      database.exec(create);
      const queue = new WriteQueue(database, statements);
      const put = queue.write('put', {
        layout,
        rows: rowsOf(layout, documents, { shapes: statements.shapes, from: 0 }),
      });
      const failing = queue.write('put', {
        layout: layoutOf('absent', []),
        rows: rowsOf(layout, documents, { shapes: statements.shapes, from: 0 }),
      });
      await expect(failing).rejects.toThrow();
      expect(await put).toBe(1);
      const doc = database.prepare('SELECT doc FROM "docs:rows"').get()?.doc;
      expect(new Shapes(database).documentOf(String(doc))).toEqual(documents[0]);
    } finally {
      database.close();
    }
  });
});
