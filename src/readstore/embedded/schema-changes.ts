import type { DatabaseSync } from 'node:sqlite';
import type { Index } from '../read-store.ts';
import type { Statements } from './statements.ts';
import { type DeclaredIndex, indexStatement, layoutOf, layoutStatements, type TableLayout } from './table-layout.ts';

/** All indexes ever declared for each collection, so that a column once added is always filled. */
export const COLLECTIONS_TABLE =
  'CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY, indexes TEXT NOT NULL) WITHOUT ROWID;';

export function declaredIndexes(statements: Statements, name: string): readonly DeclaredIndex[] | undefined {
  const row = statements.get('SELECT indexes FROM collections WHERE name = ?').get(name);
  return row === undefined ? undefined : (JSON.parse(String(row.indexes)) as readonly DeclaredIndex[]);
}

export function isDeclared(declared: readonly Index[], index: Index): boolean {
  return declared.some(
    (each) =>
      (each.multi ?? false) === (index.multi ?? false) &&
      (each.unordered ?? false) === (index.unordered ?? false) &&
      each.fields.length === index.fields.length &&
      each.fields.every((field, at) => field === index.fields[at]),
  );
}

type Change = { readonly name: string; readonly indexes: readonly DeclaredIndex[] };

/** Builds the table with these indexes, which must include all existing ones. */
export function buildTable(database: DatabaseSync, { name, indexes }: Change): undefined {
  const tableThere = database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`);
  const columnThere = database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
  const exists = (kind: 'table' | 'column', wanted: string): boolean =>
    (kind === 'table' ? tableThere.get(wanted) : columnThere.get(`docs:${name}`, wanted)) !== undefined;
  for (const statement of layoutStatements(layoutOf(name, indexes), exists)) database.exec(statement);
  declare(database, name, indexes);
}

export function dropTable(database: DatabaseSync, layout: TableLayout): undefined {
  for (const table of [layout, ...layout.termTables]) database.exec(`DROP TABLE IF EXISTS ${table.sql}`);
  database.prepare('DELETE FROM collections WHERE name = ?').run(layout.name);
}

/** Creates deferred indexes. */
export function buildIndexes(database: DatabaseSync, { name, indexes }: Change): undefined {
  const row = database.prepare('SELECT indexes FROM collections WHERE name = ?').get(name);
  const declared = JSON.parse(String(row?.indexes ?? '[]')) as readonly DeclaredIndex[];
  const changed = declared.map((each) => (isDeclared(indexes, each) ? { ...each, later: false } : each));
  const layout = layoutOf(name, changed);
  for (const index of layout.indexes) database.exec(indexStatement(layout, index));
  declare(database, name, changed);
}

function declare(database: DatabaseSync, name: string, indexes: readonly DeclaredIndex[]): void {
  database.prepare('INSERT OR REPLACE INTO collections VALUES (?, ?)').run(name, JSON.stringify(indexes));
}
