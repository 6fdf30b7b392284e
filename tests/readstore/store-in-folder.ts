import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach } from 'vitest';
import { type EmbeddedReadStore, openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { CollectionSpec } from '../../src/readstore/read-store.ts';

/** A file for each test, in a folder of its own that is removed after it. */
export function storeInFolder(spec: CollectionSpec) {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-in-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const file = (): string => join(folder, 'store.sqlite');
  return {
    folder: (): string => folder,
    file,
    /** Works with the store of that file, in which the collection is, and closes it. */
    async withStore<T>(work: (store: EmbeddedReadStore) => Promise<T>): Promise<T> {
      const store = openEmbeddedReadStore({ file: file(), smallTable: 10 });
      try {
        await store.ensureCollection(spec);
        return await work(store);
      } finally {
        await store.close();
      }
    },
    /** Looks into the file, or changes it, while no store has it open. */
    inFile<T>(work: (database: DatabaseSync) => T): T {
      const database = new DatabaseSync(file());
      try {
        return work(database);
      } finally {
        database.close();
      }
    },
  };
}
