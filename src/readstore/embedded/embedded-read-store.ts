import { mkdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import pLimit from 'p-limit';
import {
  type Checkpoint,
  type Collection,
  type CollectionSpec,
  type Document,
  type Lease,
  type Leases,
  type ProjectionBatch,
  type ReadStore,
  ReadStoreUnavailable,
} from '../read-store.ts';
import { openDatabase, openReader } from './database.ts';
import { type CollectionParts, EmbeddedCollection, WRITE_SLICE } from './embedded-collection.ts';
import { storedLease } from './lease-table.ts';
import { DICTIONARIES_TABLE } from './packing.ts';
import { declaredIndexes, isDeclared } from './schema-changes.ts';
import { SHAPES_TABLE } from './shapes.ts';
import { SharedWriter } from './shared-writer.ts';
import { unavailable } from './sqlite-errors.ts';
import { Statements } from './statements.ts';
import { openStoreSharing, type StoreMemory, type StoreSharing } from './store-sharing.ts';
import { type DeclaredIndex, layoutOf, type TableLayout } from './table-layout.ts';
import { type Form, rowsOf } from './table-writer.ts';
import { ThreadedReader, type View } from './threaded-reader.ts';
import { ThreadedWriter } from './threaded-writer.ts';
import { TurnWriter } from './turn-writer.ts';
import { storedCheckpoint, type Writer } from './write-command.ts';
import { WriteQueue } from './write-queue.ts';

/** From here on a document counts as a long one. */
const LONG_CHARACTERS = 2_000;

/**
 * Read store in one SQLite file (`:memory:` for one that lasts as long as the process). Short reads and small writes
 * run in the calling thread, long reads and large writes in threads of their own. Every write is on disk when its
 * promise resolves, and concurrent writes share a commit. @param options.smallTable tables up to this number of rows
 * are read in the calling thread
 * @param options.memory for a file that several threads of this process have open (ADR 0043)
 * @param options.keepsSamples false for a file that must contain nothing of a document that was deleted
 * @throws ReadStoreUnavailable when the file cannot be opened, ReadStoreDamaged when it is no database
 */
export function openEmbeddedReadStore(options: {
  readonly file: string;
  readonly smallTable?: number;
  readonly memory?: StoreMemory;
  readonly keepsSamples?: boolean;
}): EmbeddedReadStore {
  const { file, smallTable = SMALL_TABLE, memory, keepsSamples = true } = options;
  try {
    const sharing = memory === undefined ? undefined : openStoreSharing(memory);
    return new EmbeddedReadStore(file, { smallTable, keepsSamples, sharing });
  } catch (error) {
    throw unavailable(error);
  }
}

/** A full scan of a table up to this size takes about 50 ms, too little to be worth a message to a thread. */
const SMALL_TABLE = 10_000;

type Options = {
  readonly smallTable: number;
  readonly keepsSamples: boolean;
  readonly sharing: StoreSharing | undefined;
};

type Known = { readonly layout: TableLayout; readonly indexes: readonly DeclaredIndex[] };

export class EmbeddedReadStore implements ReadStore {
  readonly leases: Leases;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #writer: Writer;
  /** A store in memory cannot be opened twice. */
  readonly #reader: ThreadedReader | undefined;
  readonly #smallTable: number;
  readonly #file: string;
  readonly #fileNumber: number | null;
  readonly #layouts = new Map<string, Known>();
  readonly #sharing: StoreSharing | undefined;
  /** The schema that the layouts are of. */
  #schemaSeen = 0;
  /** Open snapshots that are read in this thread. */
  readonly #views = new Set<View>();
  #closing: Promise<void> | undefined;
  /** Schema changes run one after the other. */
  readonly #schemaChange = pLimit(1);

  constructor(file: string, { smallTable, keepsSamples, sharing }: Options) {
    this.#file = file;
    this.#sharing = sharing;
    this.#smallTable = smallTable;
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
    this.#database = openDatabase(file);
    if (keepsSamples) this.#database.exec(`${DICTIONARIES_TABLE} ${SHAPES_TABLE}`);
    this.#fileNumber = fileNumber(file);
    this.#statements = new Statements(this.#database);
    const queue = new WriteQueue(this.#database, this.#statements);
    this.#writer = file === ':memory:' ? queue : writerOf(file, queue, sharing);
    this.#reader = file === ':memory:' ? undefined : new ThreadedReader(file);
    this.leases = {
      acquireMany: (names, owner, ttlMs, nowMs) => this.#writer.write('acquire', { names, owner, ttlMs, nowMs }),
      releaseMany: (names, owner) => this.#writer.write('release', { names, owner }),
      getMany: (names) => this.#readEach(names, (name): Lease | undefined => storedLease(this.#statements, name)),
    };
  }

  async ensureCollection(spec: CollectionSpec, options?: { readonly indexes?: 'later' | 'awaited' }): Promise<void> {
    const later = options?.indexes === 'later';
    await this.#layout(spec, later);
    if (!later) await this.#schemaChange(() => this.#buildLater(spec));
  }

  collection<D extends Document>(spec: CollectionSpec): Collection<D> {
    const parts: CollectionParts = {
      layout: () => this.#layout(spec),
      form: this.#formOf(spec),
      statements: this.#statements,
      writer: this.#writer,
      reader: this.#reader,
      openView: () => this.#openView(),
      smallTable: this.#smallTable,
    };
    return new EmbeddedCollection<D>(parts);
  }

  async dropCollection(name: string): Promise<void> {
    await this.#schemaChange(async () => {
      const indexes = this.#declared(name);
      if (indexes === undefined) return;
      await this.#writer.write('dropTable', { layout: layoutOf(name, indexes) });
      this.#sharing?.schemaChanged();
      this.#layouts.delete(name);
    });
  }

  hasCollection(name: string): boolean {
    return this.#declared(name) !== undefined;
  }

  async commitBatch<D extends Document>(batch: ProjectionBatch<D>): Promise<'committed' | 'fenced'> {
    const layout = await this.#layout(batch.collection);
    const move = batch.checkpoint;
    const rows = rowsOf(layout, batch.documents, this.#formOf(batch.collection));
    // A batch larger than one step is written in parts first: without the checkpoint they are merely newer documents.
    while (rows.length > WRITE_SLICE) {
      const part = rows.splice(0, WRITE_SLICE);
      if ((await this.#writer.write('commit', { layout, rows: part, move, ahead: true })) === 'fenced') return 'fenced';
    }
    return this.#writer.write('commit', { layout, rows, move, ahead: false });
  }

  checkpoints(names: readonly string[]): Promise<Map<string, Checkpoint>> {
    return this.#readEach(names, (name) => storedCheckpoint(this.#statements, name));
  }

  async deleteCheckpoint(name: string): Promise<void> {
    await this.#writer.write('deleteCheckpoint', { name });
  }

  async ping(): Promise<void> {
    try {
      this.#statements.get('SELECT count(*) FROM collections').get();
    } catch (error) {
      throw unavailable(error);
    }
    if (this.#fileNumber !== fileNumber(this.#file)) {
      throw new ReadStoreUnavailable(`${basename(this.#file)} was deleted or replaced: start the service again`);
    }
  }

  /** Resolves once no thread or snapshot has the file open, and none will open it again. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    for (const view of this.#views) view.close();
    await this.#writer.close();
    await this.#reader?.close();
    this.#statements.clear();
    this.#database.close();
  }

  #formOf({ isReadOften }: CollectionSpec): Form {
    if (isReadOften === undefined) return 'packed';
    return { shapes: this.#statements.shapes, from: isReadOften === 'when-long' ? LONG_CHARACTERS : 0 };
  }

  #openView(): View | undefined {
    if (this.#file === ':memory:') return undefined;
    if (this.#closing !== undefined) throw new ReadStoreUnavailable('the read store is closed');
    const opened = viewHere(this.#file);
    const view: View = {
      all: opened.all,
      close: () => {
        if (this.#views.delete(view)) opened.close();
      },
    };
    this.#views.add(view);
    return view;
  }

  async #readEach<T>(names: readonly string[], one: (name: string) => T | undefined): Promise<Map<string, T>> {
    const found = new Map<string, T>();
    try {
      for (const name of names) {
        const value = one(name);
        if (value !== undefined) found.set(name, value);
      }
    } catch (error) {
      throw unavailable(error);
    }
    return found;
  }

  /** The table's layout; creates the table and adds new indexes if necessary. */
  #layout(spec: CollectionSpec, later = false): TableLayout | Promise<TableLayout> {
    const schema = this.#sharing?.schema() ?? 0;
    if (schema !== this.#schemaSeen) this.#layouts.clear();
    this.#schemaSeen = schema;
    const known = this.#layouts.get(spec.name);
    if (known !== undefined && spec.indexes.every((index) => isDeclared(known.indexes, index))) return known.layout;
    return this.#schemaChange(async () => {
      const declared = this.#declared(spec.name);
      const missing = spec.indexes.filter((index) => !isDeclared(declared ?? [], index));
      if (missing.length > 0 || declared === undefined) {
        // Terms are written with each document, in the writing thread: extracting them from all documents later would
        // take longer.
        const added = missing.map(
          (index): DeclaredIndex => ({
            ...index,
            later: later && index.multi !== true && index.unordered !== true,
            ...(declared === undefined ? { compact: true } : {}),
          }),
        );
        const indexes = [...(declared ?? []), ...added];
        // Names that cannot be used in SQL are refused here, with an error that says so.
        layoutOf(spec.name, indexes);
        // Writes from here on wait for the new layout: rows made for the old one would lack its columns.
        this.#layouts.delete(spec.name);
        await this.#writer.write('buildTable', { name: spec.name, indexes, isNew: declared === undefined });
        this.#sharing?.schemaChanged();
      }
      return this.#learn(spec.name);
    });
  }

  #declared(name: string): readonly DeclaredIndex[] | undefined {
    try {
      return declaredIndexes(this.#statements, name);
    } catch (error) {
      throw unavailable(error);
    }
  }

  #learn(name: string): TableLayout {
    const indexes = this.#declared(name);
    if (indexes === undefined) throw new ReadStoreUnavailable(`collection ${name} was dropped in the meantime`);
    const layout = layoutOf(name, indexes);
    this.#layouts.set(name, { layout, indexes });
    return layout;
  }

  /** Creates the deferred indexes one by one, so that other writes can run in between. */
  async #buildLater(spec: CollectionSpec): Promise<void> {
    const { name } = spec;
    for (const index of this.#declared(name) ?? []) {
      if (index.later !== true || !isDeclared(spec.indexes, index)) continue;
      await this.#writer.write('buildIndexes', { name, indexes: [index] });
      this.#sharing?.schemaChanged();
      this.#learn(name);
    }
  }
}

function writerOf(file: string, here: WriteQueue, sharing: StoreSharing | undefined): Writer {
  const there = new ThreadedWriter(file);
  return sharing === undefined ? new SharedWriter(here, there) : new TurnWriter(here, there, sharing.turn);
}

/** What identifies the file behind the name; null for a store in memory, and where there is none. */
function fileNumber(file: string): number | null {
  return file === ':memory:' ? null : (statSync(file, { throwIfNoEntry: false })?.ino ?? null);
}

function viewHere(file: string): View {
  const database = openReader(file);
  database.exec('BEGIN');
  const statements = new Statements(database);
  return {
    async all({ text, values }) {
      try {
        return statements
          .get(text)
          .all(...values)
          .map((row) => statements.packing.textOf(row.doc));
      } catch (error) {
        throw unavailable(error);
      }
    },
    close: () => database.close(),
  };
}
