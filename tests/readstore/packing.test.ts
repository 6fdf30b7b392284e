import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultsOfFile } from '../../src/readstore/embedded/check-file.ts';
import { openDatabase } from '../../src/readstore/embedded/database.ts';
import { DICTIONARIES_TABLE, Packing } from '../../src/readstore/embedded/packing.ts';
import { Statements } from '../../src/readstore/embedded/statements.ts';
import { layoutOf } from '../../src/readstore/embedded/table-layout.ts';
import { rowsOf } from '../../src/readstore/embedded/table-writer.ts';
import { openEmbeddedStores, READ_MODELS_FILE, STATE_FILE } from '../../src/readstore/embedded/two-files.ts';
import { WriteQueue } from '../../src/readstore/embedded/write-queue.ts';
import { ReadStoreDamaged } from '../../src/readstore/read-store.ts';
import { computedId } from '../../src/shared/ids.ts';
import { storeInFolder } from './store-in-folder.ts';

const SPEC = {
  name: 'rows',
  indexes: [{ fields: ['tenantId', 'day'] }, { fields: ['tenantId', 'words'], multi: true }],
};

function row(nth: number) {
  return {
    _id: `tenant/${String(nth).padStart(5, '0')}`,
    _position: String(nth).padStart(8, '0'),
    tenantId: 'tenant',
    day: `2026-01-${String(1 + (nth % 28)).padStart(2, '0')}`,
    words: ['all', nth % 2 === 0 ? 'even' : 'odd', `"${nth}"`],
    accountIdentification: computedId('account', String(nth % 5)),
    counterpartyName: `Müller & Söhne ${nth % 7}`,
    descriptionOfThePayment: `Invoice ${nth * 7919} for the deliveries of the month before`,
    automationStatus: 'completed',
    lastEvaluatedByAutomationAt: `2026-01-01T00:00:00.${String(nth % 1000).padStart(3, '0')}Z`,
  };
}

const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => row(from + at));

const { folder, file, withStore, inFile } = storeInFolder(SPEC);

describe('documents of the embedded store', () => {
  it('take a quarter of their text, and are found by every condition', async () => {
    await withStore(async (store) => {
      const collection = store.collection<ReturnType<typeof row>>(SPEC);
      for (let from = 0; from < 2_000; from += 100) await collection.putMany(rows(from, from + 100));
      expect(await collection.get('tenant/01234')).toEqual(row(1_234));
      const tenant = { field: 'tenantId', op: 'eq', value: 'tenant' } as const;
      const sort = [{ field: 'day', direction: 'asc' }] as const;
      for (const condition of [
        { field: 'words', op: 'has', value: '"77"' },
        { field: 'words', op: 'hasPrefix', value: '"77"' },
        { field: 'descriptionOfThePayment', op: 'eq', value: row(77).descriptionOfThePayment },
      ] as const) {
        const found = await collection.find({ filter: [tenant, condition], sort, limit: 10 });
        expect(found).toEqual([row(77)]);
      }
      expect(await collection.count([tenant, { field: 'words', op: 'has', value: 'odd' }])).toBe(1_000);
    });
    expect(faultsOfFile(file())).toEqual([]);
    const stored = inFile((database) => database.prepare('SELECT sum(length(doc)) AS n FROM "docs:rows"').get()?.n);
    const written = rows(0, 2_000).reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
    expect(Number(stored)).toBeLessThan(written / 4);
  });

  it('stay text where they are read often', async () => {
    await withStore(async (store) => {
      const collection = store.collection<ReturnType<typeof row>>({ ...SPEC, isReadOften: true });
      await collection.putMany(rows(0, 100));
      await collection.compareAndSet({ ...row(7), _position: '00001000' }, row(7)._position);
      expect(await collection.get(row(50)._id)).toEqual(row(50));
    });
    expect(inFile((database) => database.prepare('SELECT DISTINCT typeof(doc) AS t FROM "docs:rows"').all())).toEqual([
      { t: 'text' },
    ]);
    expect(inFile((database) => database.prepare('SELECT * FROM dictionaries').all())).toEqual([]);
  });

  it('stay text where only long ones are read often, and they are long', async () => {
    const long = (nth: number) => ({ ...row(nth), note: `note ${nth} `.repeat(300) });
    await withStore(async (store) => {
      const collection = store.collection<ReturnType<typeof row>>({ ...SPEC, isReadOften: 'when-long' });
      await collection.putMany([...rows(0, 100), long(100)]);
      await collection.compareAndSet({ ...long(7), _position: '00001000' }, row(7)._position);
      await collection.putMany([{ ...row(100), _position: '00001001' }, ...rows(101, 200)]);
      expect(await collection.get(row(7)._id)).toEqual({ ...long(7), _position: '00001000' });
      expect(await collection.get(row(150)._id)).toEqual(row(150));
    });
    const types = inFile((database) =>
      database.prepare(`SELECT id, typeof(doc) AS type FROM "docs:rows" WHERE row > 100 OR id LIKE '%00007'`).all(),
    );
    const texts = types.filter(({ type }) => type === 'text').map(({ id }) => id);
    expect(texts).toEqual([row(7)._id]);
    expect(faultsOfFile(file())).toEqual([]);
  });

  it('are read as a former release stored them, and packed when they change', async () => {
    await withStore(async () => {});
    inFile((database) => {
      const insert = database.prepare(
        'INSERT INTO "docs:rows" (id, position, "f:tenantId", "f:day", doc) VALUES (?, ?, ?, ?, ?)',
      );
      for (const one of rows(0, 100)) insert.run(one._id, one._position, one.tenantId, one.day, JSON.stringify(one));
      database.exec(`
        INSERT INTO "terms:rows:tenantId,words" SELECT 'tenant', value, row FROM "docs:rows", json_each(doc, '$.words');
        DROP TABLE dictionaries;
      `);
    });
    expect(faultsOfFile(file())).toEqual([]);
    const changed = { ...row(7), _position: '00001000', words: ['changed'] };
    await withStore(async (store) => {
      const collection = store.collection(SPEC);
      const filter = [
        { field: 'tenantId', op: 'eq', value: 'tenant' },
        { field: 'words', op: 'has', value: 'all' },
      ] as const;
      expect(await collection.find({ filter, sort: [], limit: 100 })).toEqual(rows(0, 100));
      expect(await collection.putMany([changed, ...rows(100, 200)])).toBe(101);
      expect(await collection.find({ filter, sort: [], limit: 1_000 })).toEqual([...rows(0, 7), ...rows(8, 200)]);
      expect(await collection.get(changed._id)).toEqual(changed);
      await store.ensureCollection({ ...SPEC, indexes: [...SPEC.indexes, { fields: ['counterpartyName'] }] });
    });
    expect(faultsOfFile(file())).toEqual([]);
    const types = inFile((database) =>
      database.prepare('SELECT typeof(doc) AS type, count(*) AS n FROM "docs:rows" GROUP BY 1 ORDER BY 1').all(),
    );
    expect(types).toEqual([
      { type: 'blob', n: 99 },
      { type: 'text', n: 101 },
    ]);
  });

  it('whose dictionary or content is lost are damage', async () => {
    await withStore((store) => store.collection(SPEC).putMany(rows(0, 100)));
    inFile((database) => database.exec(`UPDATE "docs:rows" SET doc = substr(doc, 1, 40) WHERE row = 99`));
    await withStore(async (store) => {
      await expect(store.collection(SPEC).get(row(98)._id)).rejects.toThrow(ReadStoreDamaged);
    });
    expect(faultsOfFile(file())).toHaveLength(1);
    inFile((database) => database.exec('DELETE FROM dictionaries'));
    await withStore(async (store) => {
      await expect(store.collection(SPEC).get(row(97)._id)).rejects.toThrow(ReadStoreDamaged);
      expect(await store.collection(SPEC).get(row(3)._id)).toEqual(row(3));
    });
  });
});

describe('what documents are packed by', () => {
  it('returns every text as it was, with and without a dictionary', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`${DICTIONARIES_TABLE} CREATE TABLE t (row INTEGER PRIMARY KEY, doc)`);
    for (const one of rows(0, 40)) database.prepare('INSERT INTO t (doc) VALUES (?)').run(JSON.stringify(one));
    const packing = new Packing(database);
    packing.rowInserted('rows', 't', 40);
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40_000 }),
      fc.tuple(fc.string({ unit: 'binary' }), fc.nat(5_000)).map(([some, times]) => some.repeat(times)),
    );
    fc.assert(
      fc.property(
        text.filter((one) => one.isWellFormed()),
        fc.constantFrom('rows', 'other'),
        (one, collection) => {
          expect(packing.textOf(packing.pack(one, collection))).toBe(one);
        },
      ),
    );
    database.close();
  });

  it('is not what a transaction made that was rolled back', async () => {
    const database = openDatabase(file());
    database.exec(DICTIONARIES_TABLE);
    const queue = new WriteQueue(database, new Statements(database));
    const layout = layoutOf(SPEC.name, SPEC.indexes);
    await queue.write('buildTable', { name: SPEC.name, indexes: SPEC.indexes, isNew: true });
    const put = queue.write('put', { layout, rows: rowsOf(layout, rows(0, 100), 'packed') });
    const failing = queue.write('put', { layout: layoutOf('absent', []), rows: rowsOf(layout, rows(0, 1), 'packed') });
    await expect(failing).rejects.toThrow('no such table');
    expect(await put).toBe(100);
    await queue.close();
    database.close();
    await withStore(async (store) => {
      expect(await store.collection(SPEC).find({ filter: [], sort: [], limit: 200 })).toEqual(rows(0, 100));
    });
  });

  it('is kept of read models, and nothing of state, which may be deleted', async () => {
    const store = openEmbeddedStores(folder());
    for (const spec of [SPEC, { ...SPEC, name: 'secrets', isState: true as const }]) {
      await store.ensureCollection(spec);
      await store.collection(spec).putMany(rows(0, 100));
      expect(await store.collection(spec).get(row(50)._id)).toEqual(row(50));
    }
    await store.close();
    const tables = (name: string) => {
      const database = new DatabaseSync(join(folder(), name));
      const there = database.prepare(`SELECT name FROM sqlite_master WHERE name = 'dictionaries'`).all();
      database.close();
      return there.length;
    };
    expect([tables(READ_MODELS_FILE), tables(STATE_FILE)]).toEqual([1, 0]);
  });
});
