import { setImmediate as nextTurn } from 'node:timers/promises';
import { keysetOf } from '../ordering.ts';
import type { Collection, Document, Filter, Find } from '../read-store.ts';
import { countSql, findSql, isCountedInIndex, narrowingLookups, PEEK_ROWS, type Peek, peekSql } from './find-sql.ts';
import type { Sql } from './sql.ts';
import { unavailable } from './sqlite-errors.ts';
import type { Statements } from './statements.ts';
import { comparedValue, type TableLayout } from './table-layout.ts';
import { type Form, rowsOf } from './table-writer.ts';
import { allOf, type CountedLookup, entriesSql, type RowLookup, type TermLookup, termLookups } from './term-sql.ts';
import { readerOf, type ThreadedReader, type View } from './threaded-reader.ts';
import type { Writer } from './write-command.ts';

/** What a collection needs from the store that holds it. */
export type CollectionParts = {
  /** The present layout; creates the table when there is none. */
  readonly layout: () => TableLayout | Promise<TableLayout>;
  /** How its documents are stored. */
  readonly form: Form;
  readonly statements: Statements;
  readonly writer: Writer;
  /** For long reads; undefined where everything is read in this thread. */
  readonly reader: ThreadedReader | undefined;
  /** A snapshot that is read in this thread; undefined where none can be opened. */
  readonly openView: () => View | undefined;
  /** Tables up to this number of rows are always read in this thread. */
  readonly smallTable: number;
};

const READ_SLICE = 500;

/** Documents written in one step before other writes may run: about 50 ms for those with many indexes. */
export const WRITE_SLICE = 1_000;
const PAGE_SIZE = 500;
/** All documents of a term with at most this number of entries are read in this thread: some 2 ms. */
const FEW_ENTRIES = 500;
/** An iteration finds and sorts all documents of such a term anew for each page. */
const FEW_FOR_EACH_PAGE = 5_000;
/** So many documents are found and sorted in the reading thread in some 15 ms. */
const MOST_SORTED = 5_000;
/** Entries are counted up to here to find the rarest term: some 50 ms in the reading thread. */
const MOST_COUNTED = 500_000;
/** Entries of an index that are counted in this thread: a millisecond or two, where a thread takes some 20 MB. */
const MOST_COUNTED_HERE = 10_000;
/** So many times as many entries of a further term cost as much as to look for it in the documents. */
const WORTH_INTERSECTING = 10;

export class EmbeddedCollection<D extends Document> implements Collection<D> {
  readonly #parts: CollectionParts;

  constructor(parts: CollectionParts) {
    this.#parts = parts;
  }

  async get(id: string): Promise<D | undefined> {
    const [document] = this.#read(this.#parts.statements, byId(await this.#parts.layout(), [id]));
    return document;
  }

  async getMany(ids: readonly string[]): Promise<Map<string, D>> {
    const layout = await this.#parts.layout();
    const found = new Map<string, D>();
    for (let at = 0; at < ids.length; at += READ_SLICE) {
      if (at > 0) await nextTurn();
      const slice = ids.slice(at, at + READ_SLICE);
      for (const document of this.#read(this.#parts.statements, byId(layout, slice))) {
        found.set(document._id, document);
      }
    }
    return found;
  }

  async find(find: Find): Promise<D[]> {
    const { statements, reader } = this.#parts;
    const layout = await this.#parts.layout();
    if (reader === undefined || this.#isSmall(layout)) return this.#read(statements, findSql(layout, find));
    const narrowing = narrowingLookups(layout, find);
    const few = this.#lookupOfFew(narrowing, FEW_ENTRIES);
    if (few !== undefined) return this.#read(statements, findSql(layout, find, few));
    const peek = find.limit > PEEK_ROWS ? undefined : peekSql(layout, find);
    const first = peek === undefined ? [] : this.#read(statements, peek.sql);
    if (peek !== undefined) {
      if (peek.conditionsLeft === 0 || first.length === find.limit) return first;
      if (countOf(statements, peek.whole) === 1) return first;
    }
    const ask: Ask = async (sql) => (sql === undefined ? [] : reader.all(readerOf(find.filter), sql));
    const narrowed = await narrowest(ask, narrowing);
    if (narrowed !== undefined) return this.#documentsOf(await ask(findSql(layout, find, narrowed)));
    const lookups = termLookups(layout, find.filter);
    if (lookups.length === 0) return this.#documentsOf(await ask(findSql(layout, find)));
    const isNarrow = peek?.isNarrow !== undefined && countOf(statements, peek.isNarrow) === 1;
    const rate = first.length / PEEK_ROWS;
    return this.#documentsOf(await findByTerms(ask, layout, find, { lookups, rate, isNarrow }));
  }

  async *iterate(find: Omit<Find, 'limit'> & { pageSize?: number }): AsyncIterable<D> {
    const { pageSize = PAGE_SIZE, ...rest } = find;
    const keyset = keysetOf(find.sort);
    const layout = await this.#parts.layout();
    // A single page is consistent by itself. A snapshot takes longer to open than that, and prevents the write-ahead
    // log from being truncated.
    const first = await this.find({ ...find, limit: pageSize });
    if (first.length < pageSize) {
      yield* first;
      return;
    }
    const peek = peekSql(layout, { ...find, limit: pageSize });
    const lookups = termLookups(layout, find.filter);
    const narrowing = narrowingLookups(layout, find);
    const lookup = this.#lookupOfFew(narrowing, FEW_FOR_EACH_PAGE) ?? (peek === undefined ? lookups[0] : null);
    const view = this.#viewFor(readerOf(find.filter), lookups.length > 0 ? undefined : peek);
    try {
      let after = find.after;
      for (;;) {
        const next = after === undefined ? {} : { after };
        const sql = findSql(layout, { ...rest, ...next, limit: pageSize }, lookup);
        const page: D[] =
          view === undefined || sql === undefined
            ? this.#read(this.#parts.statements, sql)
            : this.#documentsOf(await view.all(sql));
        yield* page;
        const last = page.at(-1);
        if (last === undefined || page.length < pageSize) return;
        after = keyset(last);
        await nextTurn();
      }
    } finally {
      view?.close();
    }
  }

  async count(filter: Filter, limit?: number): Promise<number> {
    const { reader } = this.#parts;
    const layout = await this.#parts.layout();
    const sql = countSql(layout, filter, limit);
    if (sql === undefined) return 0;
    const isShort = limit !== undefined && limit <= MOST_COUNTED_HERE && isCountedInIndex(layout, filter);
    if (reader === undefined || isShort || this.#isSmall(layout)) return countOf(this.#parts.statements, sql);
    return Number((await reader.all(readerOf(filter), sql))[0]);
  }

  async putMany(documents: readonly D[]): Promise<number> {
    let written = 0;
    for (let at = 0; at < documents.length; at += WRITE_SLICE) {
      const layout = await this.#parts.layout();
      const rows = rowsOf(layout, documents.slice(at, at + WRITE_SLICE), this.#parts.form);
      written += await this.#parts.writer.write('put', { layout, rows });
    }
    return written;
  }

  async compareAndSet(document: D, expected: string | null): Promise<boolean> {
    const layout = await this.#parts.layout();
    const [row] = rowsOf(layout, [document], this.#parts.form);
    return row === undefined ? false : this.#parts.writer.write('putIf', { layout, row, expected });
  }

  async deleteMany(ids: readonly string[]): Promise<number> {
    const layout = await this.#parts.layout();
    let deleted = 0;
    for (let at = 0; at < ids.length; at += WRITE_SLICE) {
      deleted += await this.#parts.writer.write('delete', { layout, ids: ids.slice(at, at + WRITE_SLICE) });
    }
    return deleted;
  }

  /**
   * Pages that an index answers up to one condition are read here, which needs less memory and time; the others are
   * read by a thread that scans the table. Undefined for a store in memory, where each page shows the state at the time
   * it is read.
   */
  #viewFor(asker: string, peek: Peek | undefined): View | undefined {
    const { reader, openView } = this.#parts;
    return peek === undefined || peek.conditionsLeft > 1 ? reader?.view(asker) : openView();
  }

  /** A lookup with at most `most` entries. */
  #lookupOfFew(lookups: readonly CountedLookup[], most: number): CountedLookup | undefined {
    if (lookups.length === 0) return undefined;
    const { text, values } = entriesSql(lookups, most + 1);
    const counts = attempt(() => this.#parts.statements.get(text).all(...values));
    const at = counts.findIndex(({ matches }) => Number(matches) <= most);
    return lookups[at];
  }

  #isSmall(layout: TableLayout): boolean {
    // Rows are numbered in order of insertion, so the highest number is at least their count.
    const last = attempt(() => this.#parts.statements.get(`SELECT max(row) AS last FROM ${layout.sql}`).get());
    return Number(last?.last ?? 0) <= this.#parts.smallTable;
  }

  #read(statements: Statements, sql: Sql | undefined): D[] {
    if (sql === undefined) return [];
    const rows = attempt(() => statements.get(sql.text).all(...sql.values));
    return this.#documentsOf(rows.map((row) => statements.packing.textOf(row.doc)));
  }

  #documentsOf(texts: readonly unknown[]): D[] {
    const { shapes } = this.#parts.statements;
    return texts.map((text) => shapes.documentOf(String(text)) as D);
  }
}

type Ask = (sql: Sql | undefined) => Promise<unknown[]>;

/**
 * What leads to few enough documents that finding and sorting all of them takes less than looking for some in the order
 * of the answer: the look-up with the fewest entries, and those with not many more. Undefined where each has many.
 */
async function narrowest(ask: Ask, lookups: readonly CountedLookup[]): Promise<RowLookup | undefined> {
  if (lookups.length === 0) return undefined;
  const counts = (await ask(entriesSql(lookups, MOST_SORTED + 1))).map(Number);
  const least = Math.min(...counts);
  if (least > MOST_SORTED) return undefined;
  const most = Math.min(MOST_SORTED, least * WORTH_INTERSECTING);
  return allOf(lookups.filter((_, at) => (counts[at] ?? 0) <= most));
}

/**
 * The documents of a find by frequent terms. They are looked for in the order of the answer, in as many documents as
 * it takes to find enough at the rate of the first ones. Where these are more than the rarest term has, the rows of
 * all terms of that size are intersected, and their documents read and sorted.
 * @param known `isNarrow`: few entries of the index meet the conditions that are checked in it
 */
async function findByTerms(
  ask: Ask,
  layout: TableLayout,
  find: Find,
  known: { readonly lookups: readonly TermLookup[]; readonly rate: number; readonly isNarrow: boolean },
): Promise<unknown[]> {
  const { lookups, rate, isNarrow } = known;
  const counts = (await ask(entriesSql(lookups, MOST_COUNTED))).map(Number);
  const least = Math.min(...counts);
  const enough = (2 * find.limit) / rate;
  if (isNarrow || enough < least) {
    // Rounded, so that few statements differ in it.
    const rows = 2 ** Math.ceil(Math.log2(Math.min(enough, least)));
    const further = peekSql(layout, find, { rows, entries: Number.MAX_SAFE_INTEGER });
    const found = await ask(further?.sql);
    if (found.length === find.limit) return found;
    const [isWhole] = await ask(further?.whole);
    if (isWhole === 1) return found;
  }
  const together = lookups.filter((_, at) => (counts[at] ?? 0) <= least * WORTH_INTERSECTING);
  return ask(findSql(layout, find, allOf(together)));
}

function countOf(statements: Statements, sql: Sql): number {
  return attempt(() => Number(statements.get(sql.text).get(...sql.values)?.matches));
}

function byId(layout: TableLayout, ids: readonly string[]): Sql {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined)
    return { text: `SELECT doc FROM ${layout.sql} WHERE id = ?`, values: [comparedValue(layout, '_id', only)] };
  return {
    text: `SELECT doc FROM ${layout.sql} WHERE id IN (SELECT ${layout.isCompact ? 'doc_key(value)' : 'value'} FROM json_each(?))`,
    values: [JSON.stringify(ids)],
  };
}

function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unavailable(error);
  }
}
