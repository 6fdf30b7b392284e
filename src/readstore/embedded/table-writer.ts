import { valueAt } from '../ordering.ts';
import type { Document } from '../read-store.ts';
import type { Statements } from './statements.ts';
import { columnValue, type SqlValue, type TableLayout, type TermTable, termKey, termsOf } from './table-layout.ts';

/** A document made ready outside the transaction, so that what cannot be stored fails before anything is written. */
export type Row = {
  readonly document: Document;
  readonly text: string;
  /** Values of the layout's columns. */
  readonly columns: readonly SqlValue[];
};

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
  readonly #insert: string;
  readonly #select: string;

  constructor(layout: TableLayout, statements: Statements) {
    this.#layout = layout;
    this.#statements = statements;
    const columns = layout.columns.map((column) => column.sql);
    const all = ['id', 'position', 'doc', ...columns];
    this.#insert = `INSERT INTO ${layout.sql} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')}) ON CONFLICT (id) DO NOTHING`;
    // The old document is needed for its terms alone.
    const doc = layout.termTables.length > 0 ? 'doc' : 'NULL AS doc';
    const aliased = columns.map((column, at) => `${column} AS c${at}`);
    this.#select = `SELECT ${['row', 'position', doc, ...aliased].join(', ')} FROM ${layout.sql} WHERE id = ?`;
  }

  /** @throws TypeError for a document that is not JSON */
  rows(documents: readonly Document[]): Row[] {
    return documents.map((document) => ({
      document,
      text: JSON.stringify(document),
      columns: this.#layout.columns.map((column) => columnValue(valueAt(document, column.path))),
    }));
  }

  /** Writes those that are absent or stored with a lower position; gives their number. */
  putAll(rows: readonly Row[]): number {
    let written = 0;
    for (const row of rows) {
      if (this.#insertNew(row) || this.#updateIf(row, (position) => position < row.document._position)) written += 1;
    }
    return written;
  }

  /** Writes when the stored position is exactly the expected one (null: absent). */
  putIf(row: Row, expected: string | null): boolean {
    return expected === null ? this.#insertNew(row) : this.#updateIf(row, (position) => position === expected);
  }

  deleteAll(ids: readonly string[]): number {
    const remove = this.#statements.get(`DELETE FROM ${this.#layout.sql} WHERE row = ?`);
    let deleted = 0;
    for (const id of ids) {
      const stored = this.#stored(id);
      if (stored === undefined) continue;
      this.#moveTerms(stored.row, stored.doc, undefined);
      remove.run(stored.row);
      deleted += 1;
    }
    return deleted;
  }

  /** Takes the terms of the next documents by row; gives where to go on, undefined at the end. */
  fillTerms(afterRow: number, limit: number): number | undefined {
    const select = `SELECT row, doc FROM ${this.#layout.sql} WHERE row > ? ORDER BY row LIMIT ?`;
    const found = this.#statements.get(select).all(afterRow, limit);
    for (const { row, doc } of found) this.#moveTerms(Number(row), undefined, JSON.parse(String(doc)));
    const last = found.at(-1);
    return found.length < limit || last === undefined ? undefined : Number(last.row);
  }

  #insertNew({ document, text, columns }: Row): boolean {
    const { _id, _position } = document;
    const result = this.#statements.get(this.#insert).run(_id, _position, text, ...columns);
    if (Number(result.changes) === 0) return false;
    this.#moveTerms(Number(result.lastInsertRowid), undefined, document);
    return true;
  }

  #updateIf({ document, text, columns }: Row, wanted: (position: string) => boolean): boolean {
    const stored = this.#stored(document._id);
    if (stored === undefined || !wanted(stored.position)) return false;
    // Only the columns that differ: an update rewrites the entries of every index over a column it names.
    const changes = this.#layout.columns.flatMap((column, at) => {
      const value = columns[at] ?? null;
      return sameValue(stored.columns[at], value) ? [] : [{ sql: column.sql, value }];
    });
    const names = ['position', 'doc', ...changes.map((change) => change.sql)].map((name) => `${name} = ?`);
    const update = this.#statements.get(`UPDATE ${this.#layout.sql} SET ${names.join(', ')} WHERE row = ?`);
    update.run(document._position, text, ...changes.map((change) => change.value), stored.row);
    this.#moveTerms(stored.row, stored.doc, document);
    return true;
  }

  #stored(id: string): Stored | undefined {
    const found = this.#statements.get(this.#select).get(id);
    if (found === undefined) return undefined;
    return {
      row: Number(found.row),
      position: String(found.position),
      columns: this.#layout.columns.map((_, at) => found[`c${at}`]),
      doc: typeof found.doc === 'string' ? JSON.parse(found.doc) : undefined,
    };
  }

  #moveTerms(row: number, before: unknown, after: unknown): void {
    for (const table of this.#layout.termTables) {
      const old = before === undefined ? new Set<string>() : termsOf(before, table.path);
      const next = after === undefined ? new Set<string>() : termsOf(after, table.path);
      if (old.size + next.size === 0) continue;
      const [from, to] = [prefixOf(table, before), prefixOf(table, after)];
      if (from.every((value, at) => sameValue(value, to[at]))) {
        this.#removeTerms(table, from, row, old.difference(next));
        this.#addTerms(table, to, row, next.difference(old));
      } else {
        this.#removeTerms(table, from, row, old);
        this.#addTerms(table, to, row, next);
      }
    }
  }

  #addTerms(table: TermTable, prefix: readonly SqlValue[], row: number, terms: ReadonlySet<string>): void {
    if (terms.size === 0) return;
    const values = [...prefix.map(() => '?'), 'value', '?'].join(', ');
    // A fill of the table may have come by the document already.
    const insert = `INSERT OR IGNORE INTO ${table.sql} SELECT ${values} FROM json_each(?)`;
    this.#statements.get(insert).run(...prefix, row, JSON.stringify([...terms]));
  }

  #removeTerms(table: TermTable, prefix: readonly SqlValue[], row: number, terms: ReadonlySet<string>): void {
    if (terms.size === 0) return;
    const keys = [...prefix.map((_, at) => `p${at}`), 'term', 'row'].map((name) => `${name} = ?`);
    const remove = this.#statements.get(`DELETE FROM ${table.sql} WHERE ${keys.join(' AND ')}`);
    for (const term of terms) remove.run(...prefix, term, row);
  }
}

function prefixOf(table: TermTable, document: unknown): SqlValue[] {
  return table.prefix.map((column) => termKey(valueAt(document, column.path)));
}

function sameValue(one: unknown, other: unknown): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array)
    return one.length === other.length && one[0] === other[0];
  return one === other;
}
