import { valueAt } from '../ordering.ts';
import { type Document, DocumentTooLarge, MAX_DOCUMENT_BYTES } from '../read-store.ts';
import { columnValue, type SqlValue } from './column-value.ts';
import type { Packing } from './packing.ts';
import type { Shape, Shapes } from './shapes.ts';
import type { Statements } from './statements.ts';
import { comparedValue, type TableLayout, type TermTable, termKey, termsOf, valueInColumn } from './table-layout.ts';

/**
 * A document's rows in its tables; plain data, so that it can be sent to another thread. Identifiers are texts in it:
 * whoever writes it makes bytes of them, since a message takes along all memory of which its bytes are a part.
 */
export type Row = {
  readonly id: string;
  readonly position: string;
  readonly text: string;
  /** Whether the text is packed where that is shorter. */
  readonly packs: boolean;
  /** Shapes in the text that the file may not have yet. */
  readonly shapes: readonly Shape[];
  /** Values of the layout's columns, by {@link columnValue}. */
  readonly columns: readonly SqlValue[];
  /** For each of the layout's term tables; null for none. */
  readonly terms: readonly (Terms | null)[];
};

type Terms = { readonly prefix: readonly SqlValue[]; readonly terms: readonly string[] };

/**
 * How the documents of a collection are stored: `packed`, or with these shapes where their JSON has at least so many
 * characters, and packed where it has fewer.
 */
export type Form = 'packed' | { readonly shapes: Shapes; readonly from: number };

/**
 * @throws DocumentTooLarge, TypeError for a document that is not JSON: it fails before anything is written
 */
export function rowsOf(layout: TableLayout, documents: readonly Document[], form: Form): Row[] {
  return documents.map((document) => {
    const { text, packs, shapes } = storedText(document, form);
    // A UTF-16 unit needs three bytes at most.
    if (text.length * 3 > MAX_DOCUMENT_BYTES && Buffer.byteLength(text) > MAX_DOCUMENT_BYTES)
      throw new DocumentTooLarge(layout.name, document._id);
    return {
      id: document._id,
      position: document._position,
      text,
      packs,
      shapes,
      columns: layout.columns.map((column) => columnValue(valueAt(document, column.path))),
      terms: layout.termTables.map((table) => termsIn(table, document)),
    };
  });
}

function storedText(document: Document, form: Form): Pick<Row, 'text' | 'packs' | 'shapes'> {
  if (form === 'packed' || form.from > 0) {
    const text = JSON.stringify(document);
    if (form === 'packed' || text.length < form.from) return { text, packs: true, shapes: NO_SHAPES };
  }
  return { ...form.shapes.textOf(document), packs: false };
}

const NO_SHAPES: readonly Shape[] = [];

function termsIn(table: TermTable, document: unknown): Terms | null {
  const terms = termsOf(document, table);
  if (terms.size === 0) return null;
  return { prefix: table.prefix.map((column) => columnValue(valueAt(document, column.path))), terms: [...terms] };
}

type Stored = {
  readonly row: number;
  readonly position: string;
  readonly columns: readonly unknown[];
  readonly doc: unknown;
};

/** Writes a table and its term tables. Its methods run inside a transaction of the write queue. */
export class TableWriter {
  readonly #layout: TableLayout;
  readonly #statements: Statements;
  readonly #packing: Packing;
  readonly #insert: string;
  readonly #select: string;
  /** Of each column: most rows of a batch have the tenant, the account or the sync of the row before. */
  readonly #bound: { value: SqlValue; bound: SqlValue }[];

  static readonly #known = new WeakMap<Statements, WeakMap<TableLayout, TableWriter>>();

  /** One per layout, so that its SQL is built once. */
  static for(layout: TableLayout, statements: Statements): TableWriter {
    const known = TableWriter.#known.get(statements) ?? new WeakMap<TableLayout, TableWriter>();
    TableWriter.#known.set(statements, known);
    const writer = known.get(layout) ?? new TableWriter(layout, statements);
    known.set(layout, writer);
    return writer;
  }

  constructor(layout: TableLayout, statements: Statements) {
    this.#layout = layout;
    this.#statements = statements;
    this.#packing = statements.packing;
    this.#bound = layout.columns.map(() => ({ value: null, bound: null }));
    const columns = layout.columns.map((column) => column.sql);
    const all = ['id', 'position', 'doc', ...columns];
    this.#insert = `INSERT INTO ${layout.sql} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')}) ON CONFLICT (id) DO NOTHING`;
    // The old document is needed only for its terms.
    const doc = layout.termTables.length > 0 ? 'doc' : 'NULL AS doc';
    const aliased = columns.map((column, at) => `${column} AS c${at}`);
    this.#select = `SELECT ${['row', 'position', doc, ...aliased].join(', ')} FROM ${layout.sql} WHERE id = ?`;
  }

  /** Writes those that are absent or stored with a lower position; returns their number. */
  putAll(rows: readonly Row[]): number {
    let written = 0;
    for (const row of rows) {
      const doc = this.#storing(row);
      if (this.#insertNew(row, doc) || this.#updateIf(row, doc, (position) => position < row.position)) written += 1;
    }
    return written;
  }

  /** Writes when the stored position is exactly the expected one (null: absent). */
  putIf(row: Row, expected: string | null): boolean {
    const doc = this.#storing(row);
    return expected === null
      ? this.#insertNew(row, doc)
      : this.#updateIf(row, doc, (position) => position === expected);
  }

  deleteAll(ids: readonly string[]): number {
    const remove = this.#statements.get(`DELETE FROM ${this.#layout.sql} WHERE row = ?`);
    let deleted = 0;
    for (const id of ids) {
      const stored = this.#stored(comparedValue(this.#layout, '_id', id));
      if (stored === undefined) continue;
      for (const table of this.#layout.termTables) this.#moveTerms(table, stored.row, termsIn(table, stored.doc), null);
      remove.run(stored.row);
      deleted += 1;
    }
    return deleted;
  }

  /** The document as it is stored. */
  #storing({ text, packs, shapes }: Row): SqlValue {
    if (shapes.length > 0) this.#statements.shapes.store(shapes);
    return packs ? this.#packing.pack(text, this.#layout.name) : text;
  }

  /** A value of one of the layout's columns, as it is stored. */
  #boundIn(at: number, value: SqlValue): SqlValue {
    const [column, last] = [this.#layout.columns[at], this.#bound[at]];
    if (column?.isIdentifier !== true || last === undefined) return value;
    if (last.value !== value) {
      last.bound = valueInColumn(column, value);
      last.value = value;
    }
    return last.bound;
  }

  #boundAll(columns: readonly SqlValue[]): SqlValue[] {
    return columns.map((value, at) => this.#boundIn(at, value));
  }

  #insertNew({ id, position, columns, terms, packs }: Row, doc: SqlValue): boolean {
    const key = comparedValue(this.#layout, '_id', id);
    const result = this.#statements.get(this.#insert).run(key, position, doc, ...this.#boundAll(columns));
    if (Number(result.changes) === 0) return false;
    const row = Number(result.lastInsertRowid);
    if (packs) this.#packing.rowInserted(this.#layout.name, this.#layout.sql, row);
    for (const [at, table] of this.#layout.termTables.entries()) this.#addTerms(table, row, terms[at] ?? null);
    return true;
  }

  #updateIf({ id, position, columns, terms }: Row, doc: SqlValue, wanted: (position: string) => boolean): boolean {
    const stored = this.#stored(comparedValue(this.#layout, '_id', id));
    if (stored === undefined || !wanted(stored.position)) return false;
    // Only the columns that differ: an update rewrites the entries of every index over a column it names.
    const changes = this.#layout.columns.flatMap((column, at) => {
      const value = this.#boundIn(at, columns[at] ?? null);
      return sameValue(stored.columns[at], value) ? [] : [{ sql: column.sql, value }];
    });
    const names = ['position', 'doc', ...changes.map((change) => change.sql)].map((name) => `${name} = ?`);
    const update = this.#statements.get(`UPDATE ${this.#layout.sql} SET ${names.join(', ')} WHERE row = ?`);
    update.run(position, doc, ...changes.map((change) => change.value), stored.row);
    for (const [at, table] of this.#layout.termTables.entries()) {
      this.#moveTerms(table, stored.row, termsIn(table, stored.doc), terms[at] ?? null);
    }
    return true;
  }

  #stored(id: SqlValue): Stored | undefined {
    const found = this.#statements.get(this.#select).get(id);
    if (found === undefined) return undefined;
    return {
      row: Number(found.row),
      position: String(found.position),
      columns: this.#layout.columns.map((_, at) => found[`c${at}`]),
      doc: found.doc === null ? undefined : this.#statements.shapes.documentOf(this.#packing.textOf(found.doc)),
    };
  }

  #moveTerms(table: TermTable, row: number, from: Terms | null, to: Terms | null): void {
    const stays = from !== null && to !== null && from.prefix.every((value, at) => sameValue(value, to.prefix[at]));
    const kept = new Set(stays ? from.terms.filter((term) => to.terms.includes(term)) : []);
    if (from !== null) this.#removeTerms(table, row, { ...from, terms: from.terms.filter((term) => !kept.has(term)) });
    if (to !== null) this.#addTerms(table, row, { ...to, terms: to.terms.filter((term) => !kept.has(term)) });
  }

  #addTerms(table: TermTable, row: number, added: Terms | null): void {
    if (added === null || added.terms.length === 0) return;
    const values = [...added.prefix.map(() => '?'), 'value', '?'].join(', ');
    const insert = `INSERT INTO ${table.sql} SELECT ${values} FROM json_each(?)`;
    this.#statements.get(insert).run(...prefixKeys(table, added), row, JSON.stringify(added.terms));
  }

  #removeTerms(table: TermTable, row: number, removed: Terms): void {
    const keys = [...removed.prefix.map((_, at) => `p${at}`), 'term', 'row'].map((name) => `${name} = ?`);
    const remove = this.#statements.get(`DELETE FROM ${table.sql} WHERE ${keys.join(' AND ')}`);
    const prefix = prefixKeys(table, removed);
    for (const term of removed.terms) remove.run(...prefix, term, row);
  }
}

function prefixKeys(table: TermTable, { prefix }: Terms): SqlValue[] {
  return table.prefix.map((column, at) => termKey(column, prefix[at]));
}

function sameValue(one: unknown, other: unknown): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other;
}
