import {
  type Collection,
  type CollectionSpec,
  type Document,
  type ReadStore,
  ReadStoreUnavailable,
} from '../read-store.ts';
import { openReader } from './database.ts';
import { EmbeddedCollection } from './embedded-collection.ts';
import { declaredIndexes } from './schema-changes.ts';
import { unavailable } from './sqlite-errors.ts';
import { Statements } from './statements.ts';
import { layoutOf, type TableLayout } from './table-layout.ts';
import { ThreadedReader } from './threaded-reader.ts';
import { storedCheckpoint, type Writer } from './write-command.ts';

export type ReadingStore = Pick<ReadStore, 'checkpoints' | 'collection' | 'ensureCollection' | 'close'>;

const SMALL_TABLE = 10_000;

/** What would be written here is written by the store that has the file open for writing. */
const NO_WRITER: Writer = {
  write: () => Promise.reject(new Error('this store only reads')),
  close: async () => {},
};

/**
 * The read models of a file for a thread that only reads: it makes and changes nothing, and follows whatever changes of
 * the schema others make. Long reads are in threads of their own, as those of the store itself.
 * @throws ReadStoreUnavailable, ReadStoreDamaged
 */
export function openReadingStore(file: string): ReadingStore {
  const database = attempt(() => openReader(file));
  const statements = new Statements(database);
  const reader = new ThreadedReader(file);
  const layouts = new Map<string, TableLayout>();
  let schemaSeen: unknown;

  function layout(name: string): TableLayout {
    const schema = attempt(() => statements.get('PRAGMA schema_version').get()?.schema_version);
    if (schema !== schemaSeen) layouts.clear();
    schemaSeen = schema;
    const known = layouts.get(name);
    if (known !== undefined) return known;
    const declared = attempt(() => declaredIndexes(statements, name));
    if (declared === undefined) throw new ReadStoreUnavailable(`there is no collection ${name}`);
    const read = layoutOf(name, declared);
    layouts.set(name, read);
    return read;
  }

  return {
    // Whoever may write has made it.
    ensureCollection: async () => {},
    collection<D extends Document>({ name }: CollectionSpec): Collection<D> {
      return new EmbeddedCollection<D>({
        layout: () => layout(name),
        form: { shapes: statements.shapes, from: 0 },
        statements,
        writer: NO_WRITER,
        reader,
        openView: () => undefined,
        smallTable: SMALL_TABLE,
      });
    },
    async checkpoints(names) {
      const found = names.map((name) => attempt(() => storedCheckpoint(statements, name)));
      return new Map(found.filter((one) => one !== undefined).map((one) => [one.name, one]));
    },
    async close() {
      await reader.close();
      statements.clear();
      database.close();
    },
  };
}

function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unavailable(error);
  }
}
