import type { DatabaseSync } from 'node:sqlite';
import { ReadStoreDamaged } from '../read-store.ts';
import { openReader } from './database.ts';
import { declaredIndexes } from './schema-changes.ts';
import { unavailable } from './sqlite-errors.ts';
import { Statements } from './statements.ts';
import { columnExpression, layoutOf, type TableLayout, termDifferences } from './table-layout.ts';

const MOST_FAULTS = 20;

/**
 * What is wrong with a file of the embedded read store, at most 20 sentences; none for a sound one. Reads all of it:
 * pages, indexes, and whether each indexed field and term is that of its document. Changes nothing.
 * @throws ReadStoreUnavailable when it cannot be opened
 */
export function faultsOfFile(file: string): string[] {
  let database: DatabaseSync | undefined;
  try {
    database = openReader(file);
    const statements = new Statements(database);
    const pages = statements.get(`PRAGMA integrity_check(${MOST_FAULTS})`).all();
    const faults = pages.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
    return faults.length > 0 ? faults : faultsOfCollections(statements).slice(0, MOST_FAULTS);
  } catch (error) {
    const fault = unavailable(error);
    if (!(fault instanceof ReadStoreDamaged)) throw fault;
    return [fault.message];
  } finally {
    database?.close();
  }
}

function faultsOfCollections(statements: Statements): string[] {
  const names = statements.get('SELECT name FROM collections ORDER BY name').all();
  return names.flatMap(({ name }) => {
    const layout = layoutOf(String(name), declaredIndexes(statements, String(name)) ?? []);
    const notJson = countOf(statements, `SELECT count(*) AS n FROM ${layout.sql} WHERE NOT json_valid(doc_text(doc))`);
    if (notJson > 0) return [`${layout.name}: ${notJson} documents are not JSON`];
    return [...faultsOfColumns(statements, layout), ...faultsOfTerms(statements, layout)];
  });
}

function faultsOfColumns(statements: Statements, layout: TableLayout): string[] {
  return layout.columns.flatMap((column) => {
    const { field, sql } = column;
    const expected = columnExpression(column);
    const unlike = countOf(statements, `SELECT count(*) AS n FROM ${layout.sql} WHERE ${sql} IS NOT ${expected}`);
    return unlike === 0 ? [] : [`${layout.name}: the indexed field ${field} of ${unlike} documents is not theirs`];
  });
}

function faultsOfTerms(statements: Statements, layout: TableLayout): string[] {
  return layout.termTables.flatMap((terms) => {
    const { missing, extra } = termDifferences(layout, terms);
    const [lacks, has] = [missing, extra].map((sql) => countOf(statements, sql));
    return lacks === 0 && has === 0
      ? []
      : [`${layout.name}: ${lacks} terms of ${terms.field} are missing, ${has} are of no document`];
  });
}

function countOf(statements: Statements, sql: string): number {
  return Number(statements.get(sql).get()?.n);
}
