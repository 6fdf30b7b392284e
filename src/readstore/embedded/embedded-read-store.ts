import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type {
  Checkpoint,
  Collection,
  CollectionSpec,
  Document,
  Index,
  ProjectionBatch,
  ReadStore,
} from '../read-store.ts';
import { EmbeddedCollection, type Shelf, WRITE_SLICE } from './embedded-collection.ts';
import { EmbeddedLeases, LEASE_TABLES } from './embedded-leases.ts';
import { unavailable } from './sqlite-errors.ts';
import { Statements } from './statements.ts';
import {
  type DeclaredIndex,
  indexStatement,
  layoutOf,
  layoutStatements,
  type TableLayout,
  termTableStatement,
} from './table-layout.ts';
import { TableWriter } from './table-writer.ts';
import { WriteQueue } from './write-queue.ts';

const BUSY_TIMEOUT_MS = 2_000;

/** Documents whose terms are taken in one go. */
const FILL_SLICE = 2_000;

/**
 * Pages of 8 KiB and a long write-ahead log halve the cost of documents with many indexes against the defaults: fewer pages are written, and
 * those often changed are copied back less often.
 */
const PRAGMAS = `
  PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
  PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;
`;

const OWN_TABLES = `
  CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY, indexes TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS checkpoints (name TEXT PRIMARY KEY, position TEXT NOT NULL, fence INTEGER NOT NULL) WITHOUT ROWID;
  ${LEASE_TABLES}
`;

/**
 * Read store in one SQLite file (`:memory:` for one that ends with the process). Every write is on disk when its promise resolves;
 * writes of the same turn share a commit. Adding an index to a collection that holds documents fills it in one step.
 * @throws ReadStoreUnavailable when the file cannot be opened
 */
export function openEmbeddedReadStore(options: { readonly file: string }): ReadStore {
  try {
    return new EmbeddedReadStore(options.file);
  } catch (error) {
    throw unavailable(error);
  }
}

class EmbeddedReadStore implements ReadStore {
  readonly leases: EmbeddedLeases;
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #queue: WriteQueue;
  readonly #layouts = new Map<string, { layout: TableLayout; indexes: readonly DeclaredIndex[] }>();
  /** Buildings of indexes, one after the other. */
  #building: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
    this.#database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec(PRAGMAS);
    this.#database.exec(OWN_TABLES);
    this.#statements = new Statements(this.#database);
    this.#queue = new WriteQueue(this.#database);
    this.leases = new EmbeddedLeases(this.#statements, this.#queue);
  }

  async ensureCollection(spec: CollectionSpec, options?: { readonly indexesLater?: boolean }): Promise<void> {
    const later = options?.indexesLater === true;
    this.#layout(spec, later);
    if (!later) await this.#inTurn(() => this.#buildLater(spec));
  }

  collection<D extends Document>(spec: CollectionSpec): Collection<D> {
    const shelf: Shelf = {
      layout: () => this.#layout(spec),
      statements: this.#statements,
      queue: this.#queue,
      snapshot: () => this.#snapshot(),
    };
    return new EmbeddedCollection<D>(shelf);
  }

  async dropCollection(name: string): Promise<void> {
    const layout = this.#storedLayout(name);
    if (layout === undefined) return;
    await this.#queue.write(1, () => {
      for (const table of [layout, ...layout.termTables]) this.#database.exec(`DROP TABLE IF EXISTS ${table.sql}`);
      this.#statements.get('DELETE FROM collections WHERE name = ?').run(name);
      this.#layouts.delete(name);
      this.#statements.clear();
    });
  }

  async commitBatch<D extends Document>(batch: ProjectionBatch<D>): Promise<'committed' | 'fenced'> {
    const writer = new TableWriter(this.#layout(batch.collection), this.#statements);
    const { name, expected, position, fence } = batch.checkpoint;
    const isNext = (): boolean => {
      const stored = this.#checkpoint(name);
      return (stored?.position ?? null) === expected && (stored?.fence ?? 0) <= fence;
    };
    // A batch larger than a turn may take goes ahead in parts: without the checkpoint they are merely newer documents.
    let rows = writer.rows(batch.documents);
    while (rows.length > WRITE_SLICE) {
      const part = rows.slice(0, WRITE_SLICE);
      rows = rows.slice(WRITE_SLICE);
      await this.#queue.write(part.length, () => isNext() && writer.putAll(part));
    }
    return this.#queue.write(rows.length + 1, () => {
      const stored = this.#checkpoint(name);
      // A repeat of a batch whose answer was lost finds its own checkpoint.
      const repeated = stored?.position === position && stored.fence === fence;
      if (!repeated && !isNext()) return 'fenced';
      writer.putAll(rows);
      this.#statements.get('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)').run(name, position, fence);
      return 'committed';
    });
  }

  async checkpoints(names: readonly string[]): Promise<Map<string, Checkpoint>> {
    const found = new Map<string, Checkpoint>();
    try {
      for (const name of names) {
        const checkpoint = this.#checkpoint(name);
        if (checkpoint !== undefined) found.set(name, checkpoint);
      }
    } catch (error) {
      throw unavailable(error);
    }
    return found;
  }

  async deleteCheckpoint(name: string): Promise<void> {
    await this.#queue.write(1, () => this.#statements.get('DELETE FROM checkpoints WHERE name = ?').run(name));
  }

  async ping(): Promise<void> {
    try {
      this.#statements.get('SELECT 1').get();
    } catch (error) {
      throw unavailable(error);
    }
  }

  async close(): Promise<void> {
    if (!this.#database.isOpen) return;
    this.#queue.close();
    this.#statements.clear();
    this.#database.close();
  }

  #checkpoint(name: string): Checkpoint | undefined {
    const row = this.#statements.get('SELECT position, fence FROM checkpoints WHERE name = ?').get(name);
    return row === undefined ? undefined : { name, position: String(row.position), fence: Number(row.fence) };
  }

  /** The table's layout: every index ever declared for it, so that a column once there is never left unfilled. */
  #layout(spec: CollectionSpec, later = false): TableLayout {
    const known = this.#layouts.get(spec.name);
    if (known !== undefined && missingFrom(known.indexes, spec.indexes).length === 0) return known.layout;
    try {
      const declared = this.#storedIndexes(spec.name);
      const missing = missingFrom(declared ?? [], spec.indexes);
      const indexes: DeclaredIndex[] = [
        ...(declared ?? []),
        ...missing.map((index) => (later ? { ...index, state: 'later' as const } : index)),
      ];
      if (missing.length > 0 || declared === undefined) this.#build(layoutOf(spec.name, indexes), indexes);
      return this.#knownAs(spec.name, indexes);
    } catch (error) {
      throw unavailable(error);
    }
  }

  #knownAs(name: string, indexes: readonly DeclaredIndex[]): TableLayout {
    const layout = layoutOf(name, indexes);
    this.#layouts.set(name, { layout, indexes });
    return layout;
  }

  #inTurn(build: () => Promise<void>): Promise<void> {
    const built = this.#building.then(build);
    this.#building = built.catch(() => {});
    return built;
  }

  /** Builds what was put off, in steps that leave the event loop its turns. A step cut short by a crash is done over. */
  async #buildLater(spec: CollectionSpec): Promise<void> {
    const wanted = (this.#storedIndexes(spec.name) ?? []).filter(
      (index) => index.state !== undefined && spec.indexes.some((each) => sameIndex(each, index)),
    );
    const multi = wanted.filter((index) => index.multi === true);
    for (const index of wanted) {
      if (index.multi === true) continue;
      await this.#setState(spec.name, [index], undefined, (layout) => {
        for (const each of layout.indexes) this.#database.exec(indexStatement(layout, each));
      });
    }
    if (multi.length === 0) return;
    await this.#setState(spec.name, multi, 'filling', (layout) => {
      for (const terms of layout.termTables) {
        if (terms.complete) continue;
        this.#database.exec(`DROP TABLE IF EXISTS ${terms.sql}`);
        this.#database.exec(termTableStatement(terms));
      }
    });
    await this.#fillTerms(this.#layout(spec));
    await this.#setState(spec.name, multi, undefined, () => {});
  }

  /** All at once, so that each document is taken apart once. */
  async #fillTerms(layout: TableLayout): Promise<void> {
    const filling = { ...layout, termTables: layout.termTables.filter((terms) => !terms.complete) };
    const writer = new TableWriter(filling, this.#statements);
    for (let from: number | undefined = 0; from !== undefined; ) {
      const after: number = from;
      from = await this.#queue.write(FILL_SLICE, () => writer.fillTerms(after, FILL_SLICE));
    }
  }

  /** Takes indexes into their next state, together with the change of tables that it stands for. */
  async #setState(
    name: string,
    taken: readonly Index[],
    state: 'filling' | undefined,
    change: (layout: TableLayout) => void,
  ): Promise<void> {
    await this.#queue.write(FILL_SLICE, () => {
      const indexes = (this.#storedIndexes(name) ?? []).map((each): DeclaredIndex => {
        if (!taken.some((index) => sameIndex(each, index))) return each;
        const { state: _, ...plain } = each;
        return state === undefined ? plain : { ...plain, state };
      });
      change(layoutOf(name, indexes));
      this.#statements.get('UPDATE collections SET indexes = ? WHERE name = ?').run(JSON.stringify(indexes), name);
      this.#statements.clear();
      this.#knownAs(name, indexes);
    });
  }

  #build(layout: TableLayout, indexes: readonly DeclaredIndex[]): void {
    const exists = (kind: 'table' | 'column', name: string): boolean =>
      kind === 'table'
        ? this.#database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(name) !==
          undefined
        : this.#database
            .prepare(`SELECT 1 FROM pragma_table_info(?) WHERE name = ?`)
            .get(`docs:${layout.name}`, name) !== undefined;
    // What waits was made for the columns there are now.
    this.#queue.drain();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const statement of layoutStatements(layout, exists)) this.#database.exec(statement);
      this.#database
        .prepare('INSERT OR REPLACE INTO collections VALUES (?, ?)')
        .run(layout.name, JSON.stringify(indexes));
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
    this.#statements.clear();
  }

  #storedIndexes(name: string): readonly DeclaredIndex[] | undefined {
    const row = this.#statements.get('SELECT indexes FROM collections WHERE name = ?').get(name);
    return row === undefined ? undefined : (JSON.parse(String(row.indexes)) as readonly DeclaredIndex[]);
  }

  #storedLayout(name: string): TableLayout | undefined {
    const indexes = this.#storedIndexes(name);
    return indexes === undefined ? undefined : layoutOf(name, indexes);
  }

  #snapshot(): { statements: Statements; close: () => void } {
    // A store in memory cannot be opened twice; there a page is taken from the present state.
    if (this.#file === ':memory:') return { statements: this.#statements, close: () => {} };
    const reader = new DatabaseSync(this.#file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    reader.exec('BEGIN');
    return { statements: new Statements(reader), close: () => reader.close() };
  }
}

function missingFrom(declared: readonly Index[], wanted: readonly Index[]): readonly Index[] {
  return declared === wanted ? [] : wanted.filter((index) => !declared.some((each) => sameIndex(each, index)));
}

function sameIndex(one: Index, other: Index): boolean {
  if ((one.multi ?? false) !== (other.multi ?? false) || one.fields.length !== other.fields.length) return false;
  return one.fields.every((field, at) => field === other.fields[at]);
}
