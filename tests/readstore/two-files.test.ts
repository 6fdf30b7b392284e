import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { openEmbeddedStores, READ_MODELS_FILE, STATE_FILE } from '../../src/readstore/embedded/two-files.ts';
import { type ReadStore, ReadStoreDamaged, ReadStoreUnavailable } from '../../src/readstore/read-store.ts';
import { damagePages, overwriteStart } from '../support/damaged-files.ts';
import { readStoreContract, type Sample } from './read-store-contract.ts';

const STATE = { name: 'secrets', indexes: [{ fields: ['tenantId'] }], isState: true } as const;
const READ_MODEL = { name: 'lists', indexes: [{ fields: ['tenantId'] }] };

const numbered = (nth: number, text = 'x'): Sample => ({
  _id: String(nth).padStart(5, '0'),
  _position: '1',
  tenantId: 't1',
  text,
});

readStoreContract('the embedded store in two files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'two-files-'));
  return {
    open: async () => openEmbeddedStores(folder),
    dispose: async () => rmSync(folder, { recursive: true }),
  };
});

describe('the embedded store in two files by itself', () => {
  let folder: string;
  let stores: ReadStore[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'two-files-'));
    stores = [];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = (): ReadStore => {
    const store = openEmbeddedStores(folder);
    stores.push(store);
    return store;
  };
  const stop = async (): Promise<void> => {
    for (const store of stores.splice(0)) await store.close();
  };
  const deleteReadModels = (): void => {
    for (const name of readdirSync(folder)) if (name.startsWith(READ_MODELS_FILE)) rmSync(join(folder, name));
  };
  const tablesOf = (file: string): string[] => {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    const tables = database.prepare(`SELECT name FROM sqlite_master WHERE name LIKE 'docs:%' ORDER BY name`).all();
    database.close();
    return tables.map(({ name }) => String(name).slice('docs:'.length));
  };

  it('keeps state when the file of the read models is deleted', async () => {
    const store = open();
    for (const spec of [STATE, READ_MODEL]) {
      await store.ensureCollection(spec);
      await store.collection<Sample>(spec).putMany([numbered(1)]);
    }
    await stop();
    expect([tablesOf(READ_MODELS_FILE), tablesOf(STATE_FILE)]).toEqual([['lists'], ['secrets']]);
    deleteReadModels();
    const again = open();
    for (const spec of [STATE, READ_MODEL]) await again.ensureCollection(spec);
    expect(await again.collection(STATE).get('00001')).toEqual(numbered(1));
    expect(await again.collection(READ_MODEL).get('00001')).toBeUndefined();
  });

  describe('state that an earlier version kept with the read models', () => {
    const COUNT = 1_203;
    const all = Array.from({ length: COUNT }, (_, nth) => numbered(nth));
    beforeEach(async () => {
      const former = openEmbeddedReadStore({ file: join(folder, READ_MODELS_FILE) });
      await former.ensureCollection(STATE);
      await former.collection<Sample>(STATE).putMany(all);
      await former.close();
    });
    const idsIn = async (store: ReadStore): Promise<string[]> => {
      const found: string[] = [];
      for await (const { _id } of store.collection(STATE).iterate({ filter: [], sort: [] })) found.push(_id);
      return found;
    };

    it('is moved, with its indexes, and nothing of it stays behind', async () => {
      const store = open();
      await Promise.all([store.ensureCollection(STATE), store.ensureCollection(STATE)]);
      expect(await idsIn(store)).toEqual(all.map(({ _id }) => _id));
      await stop();
      expect([tablesOf(READ_MODELS_FILE), tablesOf(STATE_FILE)]).toEqual([[], ['secrets']]);
    });

    it('is moved whole where the move was interrupted, and what was written since stays', async () => {
      const state = openEmbeddedReadStore({ file: join(folder, STATE_FILE) });
      await state.ensureCollection(STATE);
      await state.collection<Sample>(STATE).putMany([{ ...numbered(7, 'newer'), _position: '2' }, numbered(8)]);
      await state.close();
      const store = open();
      await store.ensureCollection(STATE);
      expect(await idsIn(store)).toEqual(all.map(({ _id }) => _id));
      expect(await store.collection<Sample>(STATE).get('00007')).toMatchObject({ text: 'newer' });
    });

    it('does not bring back what was deleted after the move', async () => {
      const store = open();
      await store.ensureCollection(STATE);
      await store.collection(STATE).deleteMany(['00001']);
      await store.ensureCollection(STATE);
      await stop();
      const again = open();
      await again.ensureCollection(STATE);
      expect(await again.collection(STATE).get('00001')).toBeUndefined();
    });
  });

  describe('a damaged file', () => {
    const MANY = 12_000;
    /** More documents than are read in the calling thread. */
    async function filled(spec: typeof STATE | typeof READ_MODEL): Promise<void> {
      const store = open();
      for (const each of [STATE, READ_MODEL]) await store.ensureCollection(each);
      await store.collection<Sample>(spec).putMany(Array.from({ length: MANY }, (_, nth) => numbered(nth)));
      await stop();
    }
    const first = { filter: [], sort: [], limit: 1 } as const;

    it.each([
      [READ_MODELS_FILE, READ_MODEL, /^read-models\.sqlite is damaged: stop the service, delete the file/],
      [STATE_FILE, STATE, /^state\.sqlite is damaged: stop the service and restore the file from a backup/],
    ] as const)('that is no database is refused: %s', async (file, spec, sentence) => {
      await filled(spec);
      overwriteStart(join(folder, file));
      expect(open).toThrow(ReadStoreDamaged);
      expect(open).toThrow(sentence);
    });

    it.each([
      ['read in the calling thread', (store: ReadStore) => store.collection(READ_MODEL).get('06000')],
      [
        'read in a thread',
        (store: ReadStore) =>
          store.collection(READ_MODEL).find({
            filter: [{ field: 'text', op: 'eq', value: 'absent' }],
            sort: [],
            limit: 10,
          }),
      ],
      [
        'written in a thread',
        (store: ReadStore) =>
          store
            .collection<Sample>(READ_MODEL)
            .putMany(Array.from({ length: MANY }, (_, nth) => ({ ...numbered(nth), _position: '2' }))),
      ],
    ])('%s is noticed, and every ping fails from then on', async (_, use) => {
      await filled(READ_MODEL);
      damagePages(join(folder, READ_MODELS_FILE));
      const store = open();
      await expect(use(store)).rejects.toThrow(ReadStoreDamaged);
      await expect(store.ping()).rejects.toThrow(/^read-models\.sqlite is damaged: .*\(.+\)$/);
      await expect(store.ping()).rejects.toThrow(ReadStoreDamaged);
      await stop();
      deleteReadModels();
      const again = open();
      await again.ensureCollection(READ_MODEL);
      await again.ping();
      expect(await again.collection(READ_MODEL).find(first)).toEqual([]);
    });

    it('with a document that is not JSON is noticed', async () => {
      await filled(READ_MODEL);
      const database = new DatabaseSync(join(folder, READ_MODELS_FILE));
      database.exec(`UPDATE "docs:lists" SET doc = '{"_id":' WHERE id = '00003'`);
      database.close();
      const store = open();
      await expect(store.collection(READ_MODEL).get('00003')).rejects.toThrow(ReadStoreDamaged);
      await expect(store.ping()).rejects.toThrow(ReadStoreDamaged);
    });

    it('is not what a busy or closed store reports', async () => {
      await filled(READ_MODEL);
      const store = open();
      await store.ping();
      await store.close();
      const error = await store.ping().catch((fault: unknown) => fault);
      expect(error).toBeInstanceOf(ReadStoreUnavailable);
      expect(error).not.toBeInstanceOf(ReadStoreDamaged);
    });
  });

  it.each([READ_MODELS_FILE, STATE_FILE])(
    'says when %s is deleted while it is open, and makes no other',
    async (file) => {
      const store = open();
      const spec = file === STATE_FILE ? STATE : READ_MODEL;
      await store.ensureCollection(spec);
      for (const name of readdirSync(folder)) if (name.startsWith(file)) rmSync(join(folder, name));
      await expect(store.ping()).rejects.toThrow(`${file} was deleted or replaced`);
      const many = Array.from({ length: 2_000 }, (_, nth) => numbered(nth));
      await expect(store.collection<Sample>(spec).putMany(many)).rejects.toThrow(ReadStoreUnavailable);
      expect(readdirSync(folder)).not.toContain(file);
    },
  );
});
