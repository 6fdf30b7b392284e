import { fieldPath, valueAt } from '../ordering.ts';
import type { Index } from '../read-store.ts';
import { ABSENT, columnValue, type SqlValue } from './column-value.ts';
import { identifierValue, isIdentifier } from './identifier-value.ts';

/** A declared field, stored beside the document in its own column so that an index can include it. */
export type Column = {
  readonly field: string;
  readonly path: readonly string[];
  readonly sql: string;
  /** Its values are stored by {@link identifierValue}. */
  readonly isIdentifier: boolean;
};

/**
 * One row for each distinct string in an array field, or for the string in a field; the key is (prefix fields…, term,
 * row of the document).
 */
export type TermTable = {
  readonly name: string;
  readonly sql: string;
  readonly prefix: readonly Column[];
  readonly field: string;
  readonly path: readonly string[];
  readonly isArray: boolean;
};

export type OrderedIndex = {
  readonly name: string;
  readonly sql: string;
  readonly fields: readonly string[];
  /** It has no entries of documents in which its first field is null. */
  readonly isNotNull: boolean;
};

/**
 * `later`: its columns exist and are filled, but the index over them does not exist yet. `compact`: the table was made
 * with identifiers in bytes, which tables of former releases hold as text.
 */
export type DeclaredIndex = Index & { readonly later?: boolean; readonly compact?: boolean };

export type TableLayout = {
  readonly name: string;
  readonly sql: string;
  /** Identifiers are stored in bytes, among them the ids of the documents. */
  readonly isCompact: boolean;
  readonly columns: readonly Column[];
  readonly indexes: readonly OrderedIndex[];
  readonly termTables: readonly TermTable[];
};

const COLLECTION_NAME = /^[A-Za-z0-9_.@-]{1,100}$/;

/** {@link valueInColumn} for the key of a term table. */
export function termKey(column: Column, value: unknown): Exclude<SqlValue, null> {
  return valueInColumn(column, value) ?? ABSENT;
}

/** The same value as {@link columnValue}, of a stored document. */
export function documentExpression(path: readonly string[]): string {
  return `doc_value(doc, ${pathText(path)})`;
}

/** A path as the functions of `document-functions.ts` take it. */
export function pathText(path: readonly string[]): string {
  return `'${JSON.stringify(path).replaceAll("'", "''")}'`;
}

function jsonPath(path: readonly string[]): string {
  return `$${path.map((key) => `."${key}"`).join('')}`;
}

/** The distinct strings of an array field, or the string of a field; anything else holds no terms. */
export function termsOf(document: unknown, { path, isArray }: TermTable): Set<string> {
  const value = valueAt(document, path);
  if (!isArray) return new Set(typeof value === 'string' ? [value] : []);
  return new Set(Array.isArray(value) ? value.filter((term) => typeof term === 'string') : []);
}

/** @throws RangeError for a name or field that cannot be used in SQL */
export function layoutOf(name: string, indexes: readonly DeclaredIndex[]): TableLayout {
  if (!COLLECTION_NAME.test(name)) throw new RangeError(`not a collection name: ${JSON.stringify(name)}`);
  const columns = new Map<string, Column>();
  const isCompact = indexes.some((index) => index.compact === true);
  const column = (field: string): Column => {
    const known = columns.get(field) ?? columnOf(field, isCompact);
    columns.set(field, known);
    return known;
  };
  const ordered = new Map<string, OrderedIndex>();
  const termTables = new Map<string, TermTable>();
  for (const index of indexes) {
    const joined = index.fields.join(',');
    if (index.multi === true || index.unordered === true) {
      const field = index.fields.at(-1);
      if (field === undefined) throw new RangeError('an index without fields');
      const tableName = `terms:${name}:${joined}`;
      const prefix = index.fields.slice(0, -1).map(column);
      const isArray = index.multi === true;
      const table = { name: tableName, sql: quoted(tableName), prefix, field, path: fieldPath(field), isArray };
      termTables.set(joined, table);
    } else {
      for (const field of index.fields) column(field);
      const indexName = `by:${name}:${joined}`;
      if (index.later === true) continue;
      const isNotNull = index.notNull === true;
      ordered.set(joined, { name: indexName, sql: quoted(indexName), fields: index.fields, isNotNull });
    }
  }
  return {
    name,
    sql: quoted(`docs:${name}`),
    isCompact,
    columns: [...columns.values()].filter((each) => !OWN_COLUMNS.has(each.field)),
    indexes: [...ordered.values()],
    termTables: [...termTables.values()],
  };
}

/** `_id` and `_position` have columns in every table. */
const OWN_COLUMNS = new Map([
  ['_id', 'id'],
  ['_position', 'position'],
]);

function columnOf(field: string, isCompact: boolean): Column {
  const path = fieldPath(field);
  return {
    field,
    path,
    sql: OWN_COLUMNS.get(field) ?? quoted(`f:${field}`),
    isIdentifier: isCompact && isIdentifier(field),
  };
}

/** True where {@link fieldSql} is a column of identifiers in bytes. */
export function isIdentifierColumn(layout: TableLayout, field: string): boolean {
  if (field === '_id') return layout.isCompact;
  return layout.columns.some((column) => column.field === field && column.isIdentifier);
}

/** A value to be compared with {@link fieldSql}. */
export function comparedValue(layout: TableLayout, field: string, value: unknown): SqlValue {
  return isIdentifierColumn(layout, field) ? identifierValue(value) : columnValue(value);
}

/** A value, or what {@link columnValue} has made of it, as the column holds it. */
export function valueInColumn(column: Column, value: unknown): SqlValue {
  return column.isIdentifier ? identifierValue(value) : columnValue(value);
}

/** The same of a stored document, in SQL. */
export function columnExpression({ path, isIdentifier }: Column): string {
  return isIdentifier ? `doc_key(${documentExpression(path)})` : documentExpression(path);
}

/** The SQL for a field's value: its column when it has one, else its path in the document. */
export function fieldSql(layout: TableLayout, field: string): string {
  const own = OWN_COLUMNS.get(field) ?? layout.columns.find((column) => column.field === field)?.sql;
  return own ?? documentExpression(fieldPath(field));
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/**
 * Statements that bring a table from the columns, indexes and term tables it has to those of the layout, filling them.
 */
export function layoutStatements(
  layout: TableLayout,
  has: (kind: 'table' | 'column', name: string) => boolean,
): string[] {
  const table = layout.sql;
  const statements: string[] = [];
  const isNew = !has('table', `docs:${layout.name}`);
  if (isNew) {
    // The document comes last, so that reading the columns does not read it.
    const columns = layout.columns.map((column) => `${column.sql}, `).join('');
    statements.push(
      `CREATE TABLE ${table} (row INTEGER PRIMARY KEY, id ${layout.isCompact ? '' : 'TEXT '}NOT NULL UNIQUE, position TEXT NOT NULL, ${columns}doc TEXT NOT NULL)`,
    );
  }
  for (const column of layout.columns) {
    if (isNew || has('column', `f:${column.field}`)) continue;
    statements.push(`ALTER TABLE ${table} ADD COLUMN ${column.sql}`);
    statements.push(`UPDATE ${table} SET ${column.sql} = ${columnExpression(column)}`);
  }
  for (const index of layout.indexes) statements.push(indexStatement(layout, index));
  for (const terms of layout.termTables) {
    if (has('table', terms.name)) continue;
    statements.push(termTableStatement(terms), fillStatement(layout, terms));
  }
  return statements;
}

export function indexStatement(layout: TableLayout, index: OrderedIndex): string {
  const columns = index.fields.map((field) => fieldSql(layout, field));
  // The id comes last in every index, so that the total order of a find needs no sort.
  if (!index.fields.includes('_id')) columns.push('id');
  const condition = notNullSql(layout, index);
  const where = condition === undefined ? '' : ` WHERE ${condition}`;
  return `CREATE INDEX IF NOT EXISTS ${index.sql} ON ${layout.sql} (${columns.join(', ')})${where}`;
}

/** The condition that whatever is read by the index has to contain; undefined where it has all documents. */
export function notNullSql(layout: TableLayout, { fields: [first], isNotNull }: OrderedIndex): string | undefined {
  return isNotNull && first !== undefined ? `${fieldSql(layout, first)} IS NOT NULL` : undefined;
}

export function termTableStatement(terms: TermTable): string {
  const keys = terms.prefix.map((_, at) => `p${at}`);
  return (
    `CREATE TABLE ${terms.sql} (${keys.map((key) => `${key} NOT NULL, `).join('')}term TEXT NOT NULL, row INTEGER NOT NULL, ` +
    `PRIMARY KEY (${[...keys, 'term', 'row'].join(', ')})) WITHOUT ROWID`
  );
}

function fillStatement(layout: TableLayout, terms: TermTable): string {
  return `INSERT OR IGNORE INTO ${terms.sql} ${termsOfDocuments(layout, terms)}`;
}

/** Extracts the terms from the stored documents, as the term table stores them. */
function termsOfDocuments(layout: TableLayout, terms: TermTable): string {
  const values = terms.prefix.map((column) => `coalesce(${column.sql}, x'')`);
  if (!terms.isArray) {
    const term = documentExpression(terms.path);
    return `SELECT ${[...values, term, 'row'].join(', ')} FROM ${layout.sql} WHERE typeof(${term}) = 'text'`;
  }
  const at = `'${jsonPath(terms.path)}'`;
  return (
    `SELECT ${[...values, 'each.value', 'row'].join(', ')} FROM ${layout.sql}, ` +
    `json_each(doc_text(doc), ${at}) AS each WHERE json_type(doc_text(doc), ${at}) = 'array' AND each.type = 'text'`
  );
}

/** Selects as `n` how many terms of the documents the term table lacks, and how many it has besides. */
export function termDifferences(layout: TableLayout, terms: TermTable): { missing: string; extra: string } {
  const [stored, expected] = [`SELECT * FROM ${terms.sql}`, termsOfDocuments(layout, terms)];
  return {
    missing: `SELECT count(*) AS n FROM (${expected} EXCEPT ${stored})`,
    extra: `SELECT count(*) AS n FROM (${stored} EXCEPT ${expected})`,
  };
}
