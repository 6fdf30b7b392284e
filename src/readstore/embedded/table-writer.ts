import { valueAt } from '../ordering.ts';
import type { Document } from '../read-store.ts';
import type { Statements } from './statements.ts';
import {
  columnValue,
  quoted,
  type SqlValue,
  type TableLayout,
  type TermTable,
  termKey,
  termsOf,
} from './table-layout.ts';

/** A document made ready outside the transaction, so that what cannot be stored fails before anything is written. */
export type Row = {
  readonly document: Document;
  readonly values: readonly SqlValue[];
};

type Stored = { readonly row: number; readonly position: string; readonly doc: string };
type Term = { readonly prefix: readonly SqlValue[]; readonly term: string };

/** Writes a table and its term tables. Its methods run inside a transaction of the write queue. */
export class TableWriter {
  readonly #layout: TableLayout;
  readonly #statements: Statements;
  readonly #upsert: string;
  readonly #guarded: string;

  constructor(layout: TableLayout, statements: Statements) {
    this.#layout = layout;
    this.#statements = statements;
    const columns = ['id', 'position', 'doc', ...layout.columns.map((column) => column.sql)];
    const updates = columns.slice(1).map((column) => `${column} = excluded.${column}`);
    this.#upsert =
      `INSERT INTO ${layout.sql} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ` +
      `ON CONFLICT (id) DO UPDATE SET ${updates.join(', ')}`;
    this.#guarded = `${this.#upsert} WHERE excluded.position > ${quoted(`docs:${layout.name}`)}.position`;
  }

  /** @throws TypeError for a document that is not JSON */
  rows(documents: readonly Document[]): Row[] {
    return documents.map((document) => ({
      document,
      values: [
        document._id,
        document._position,
        JSON.stringify(document),
        ...this.#layout.columns.map((column) => columnValue(valueAt(document, column.path))),
      ],
    }));
  }

  /** Writes those that are absent or stored with a lower position; gives their number. */
  putAll(rows: readonly Row[]): number {
    let written = 0;
    if (this.#layout.termTables.length > 0) {
      for (const row of rows) {
        if (this.putIf(row, (stored) => stored === undefined || stored < row.document._position)) written += 1;
      }
      return written;
    }
    const statement = this.#statements.get(this.#guarded);
    for (const row of rows) written += Number(statement.run(...row.values).changes);
    return written;
  }

  /** Writes when the stored position (undefined: absent) is as wanted. */
  putIf(row: Row, wanted: (position: string | undefined) => boolean): boolean {
    const stored = this.#stored(row.document._id);
    if (!wanted(stored?.position)) return false;
    const result = this.#statements.get(this.#upsert).run(...row.values);
    if (this.#layout.termTables.length === 0) return true;
    const before: unknown = stored === undefined ? undefined : JSON.parse(stored.doc);
    this.#moveTerms(stored?.row ?? Number(result.lastInsertRowid), before, row.document);
    return true;
  }

  deleteAll(ids: readonly string[]): number {
    const remove = this.#statements.get(`DELETE FROM ${this.#layout.sql} WHERE row = ?`);
    let deleted = 0;
    for (const id of ids) {
      const stored = this.#stored(id);
      if (stored === undefined) continue;
      if (this.#layout.termTables.length > 0) this.#moveTerms(stored.row, JSON.parse(stored.doc), undefined);
      remove.run(stored.row);
      deleted += 1;
    }
    return deleted;
  }

  #stored(id: string): Stored | undefined {
    const row = this.#statements.get(`SELECT row, position, doc FROM ${this.#layout.sql} WHERE id = ?`).get(id);
    return row === undefined
      ? undefined
      : { row: Number(row.row), position: String(row.position), doc: String(row.doc) };
  }

  #moveTerms(row: number, before: unknown, after: unknown): void {
    for (const table of this.#layout.termTables) {
      const [old, next] = [termRows(table, before), termRows(table, after)];
      const columns = [...table.prefix.map((_, at) => `p${at}`), 'term', 'row'];
      for (const [key, term] of old) {
        if (next.has(key)) continue;
        const where = columns.map((column) => `${column} = ?`).join(' AND ');
        this.#statements.get(`DELETE FROM ${table.sql} WHERE ${where}`).run(...term.prefix, term.term, row);
      }
      for (const [key, term] of next) {
        if (old.has(key)) continue;
        const marks = columns.map(() => '?').join(', ');
        this.#statements.get(`INSERT INTO ${table.sql} VALUES (${marks})`).run(...term.prefix, term.term, row);
      }
    }
  }
}

/** A document's rows in a term table, by a text that tells two of them apart. */
function termRows(table: TermTable, document: unknown): Map<string, Term> {
  if (document === undefined) return new Map();
  const raw = table.prefix.map((column) => valueAt(document, column.path));
  const prefix = raw.map(termKey);
  const head = JSON.stringify(raw.map((value) => (typeof value === 'object' && value !== null ? [] : (value ?? null))));
  return new Map(Array.from(termsOf(document, table.path), (term) => [`${head}${term}`, { prefix, term }]));
}
