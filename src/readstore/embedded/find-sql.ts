import { afterPrefix, fieldPath, orderKeys } from '../ordering.ts';
import type { Condition, Filter, Find, Sort } from '../read-store.ts';
import type { SqlValue } from './column-value.ts';
import { identifiersFrom } from './identifier-value.ts';
import { type Sql, valuesOf, whereSql } from './sql.ts';

import {
  comparedValue,
  documentExpression,
  fieldSql,
  isIdentifierColumn,
  notNullSql,
  type OrderedIndex,
  type TableLayout,
} from './table-layout.ts';
import { arraySql, type CountedLookup, equalTo, isHas, type RowLookup, termLookups, textLookups } from './term-sql.ts';

type RangeCondition = Extract<Condition, { op: 'gt' | 'gte' | 'lt' | 'lte' }>;

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/**
 * The documents (column `doc`) of a find, in its order. Undefined when nothing can match.
 * @param lookup what it starts from, so that all matches are found and then sorted; null for an index
 */
export function findSql(
  layout: TableLayout,
  find: Find,
  lookup: RowLookup | null = termLookups(layout, find.filter)[0] ?? null,
): Sql | undefined {
  const from = fromSql(layout, find, lookup);
  if (from === undefined) return undefined;
  const order = orderSql(layout, find.sort);
  const values = [...from.values, find.limit];
  if (lookup === null) return { text: `SELECT doc ${from.text} ORDER BY ${order} LIMIT ?`, values };
  // Rows are sorted before their documents are read, which would be sorted along with them.
  const first = `SELECT docs.row AS entry ${from.text} ORDER BY ${order} LIMIT ?`;
  return { text: `SELECT doc FROM (${first}) CROSS JOIN ${layout.sql} ON row = entry ORDER BY ${order}`, values };
}

/**
 * What may lead to few documents, to be sorted afterwards: array terms, texts of unordered indexes, and ranges of a
 * field that an index orders by, where the find has another order.
 */
export function narrowingLookups(
  layout: TableLayout,
  { filter, sort }: Pick<Find, 'filter' | 'sort'>,
): CountedLookup[] {
  if (filter.some(matchesNothing)) return [];
  return [...termLookups(layout, filter), ...textLookups(layout, filter), ...rangeLookups(layout, filter, sort)];
}

function rangeLookups(layout: TableLayout, filter: Filter, sort: Sort): CountedLookup[] {
  const leading = orderKeys(sort)[0]?.field;
  const looked = new Set<string>();
  return layout.indexes.flatMap((index) => {
    const at = index.fields.findIndex((field) => equalTo(filter, field) === undefined);
    const field = index.fields[at];
    if (field === undefined || field === leading || looked.has(field)) return [];
    if (index.isNotNull || isIdentifierColumn(layout, field)) return [];
    const ranges = filter.filter((condition) => condition.field === field && isRange(condition));
    if (ranges.length === 0) return [];
    looked.add(field);
    const equal = filter.filter((condition) => index.fields.slice(0, at).includes(condition.field));
    const conditions = [...equal, ...ranges];
    const clauses = conditions.map((condition) => conditionSql(layout, condition, undefined));
    const source = `FROM ${layout.sql} INDEXED BY ${index.sql}${whereSql(clauses)}`;
    const values = valuesOf(clauses);
    return [
      { conditions, rows: { text: `SELECT row ${source}`, values }, entries: { text: `SELECT 1 ${source}`, values } },
    ];
  });
}

export type Peek = {
  readonly sql: Sql;
  /** 1 (column `matches`) when the limited find examines all rows. */
  readonly whole: Sql;
  /** The number of conditions that the index does not answer. */
  readonly conditionsLeft: number;
  /** 1 (column `matches`) when few of the entries meet those that are checked in the index; undefined without any. */
  readonly isNarrow: Sql | undefined;
};

/** Documents that a first attempt reads. */
export const PEEK_ROWS = 1_000;
/** Entries of the index that it examines where conditions are checked in it: some 5 ms with the documents. */
const PEEK_ENTRIES = 20_000;

/** How many documents a find in the order of an index reads, and how many entries it examines at most. */
export type Examined = { readonly rows: number; readonly entries: number };

const FIRST: Examined = { rows: PEEK_ROWS, entries: PEEK_ENTRIES };

/**
 * The same find, limited to the first rows of the index with its order: its documents are the first of the answer and,
 * when the index covers every condition, all of it. Undefined where no index has the order and all matches must be
 * found and sorted first.
 * @param examined unless given, as much as does not block this thread
 */
export function peekSql(layout: TableLayout, find: Find, examined = FIRST): Peek | undefined {
  const { filter, sort, after, limit } = find;
  if (filter.some(matchesNothing)) return undefined;
  const index = chooseIndex(layout, filter, sort);
  if (index?.isOrdered !== true) return undefined;
  const bounding = new Set(index.fields.slice(0, index.equalities + 1));
  const bounds = filter.filter((condition) => bounding.has(condition.field) && !isChoice(condition));
  const rest = filter.filter((condition) => !bounds.includes(condition));
  const leading = after === undefined ? undefined : orderKeys(sort)[0];
  const within = bounds.map((condition) => conditionSql(layout, condition, leading));
  const notNull = notNullSql(layout, index);
  if (notNull !== undefined) within.push({ text: notNull, values: [] });
  if (after !== undefined) within.push(keysetSql(layout, orderKeys(sort), after));
  const isCarried = ({ field }: Condition): boolean => index.carried.includes(field);
  const sqlOf = (condition: Condition): Sql => conditionSql(layout, condition, undefined);
  const [light, heavy] = [rest.filter(isCarried).map(sqlOf), rest.filter((one) => !isCarried(one)).map(sqlOf)];
  const source = `FROM ${layout.sql} INDEXED BY ${index.sql}${whereSql(within)}`;
  const order = `ORDER BY ${orderSql(layout, sort)}`;
  const [entered, conditions] = [within, [...within, ...light, ...heavy]].map(valuesOf) as [SqlValue[], SqlValue[]];
  const { rows } = examined;
  const isNarrowed = light.length > 0;
  const most = isNarrowed ? examined.entries : rows;
  const wholeSource = `SELECT (SELECT count(*) FROM (SELECT 1 ${source} LIMIT ${most})) < ${most}`;
  if (rest.length === 0) {
    const sql = { text: `SELECT doc ${source} ${order} LIMIT ?`, values: [...entered, limit] };
    return {
      sql,
      whole: { text: `${wholeSource} AS matches`, values: entered },
      conditionsLeft: 0,
      isNarrow: undefined,
    };
  }
  const carried = index.carried.map((field) => `, ${fieldSql(layout, field)}`).join('');
  const entries = `SELECT row AS entry${carried} ${source} ${order} LIMIT ${most}`;
  const matching = `SELECT entry FROM (${entries})${whereSql(light)} LIMIT ${rows}`;
  const text = `SELECT doc FROM (${matching}) CROSS JOIN ${layout.sql} ON row = entry${whereSql(heavy)} LIMIT ?`;
  const fewMatching = `(SELECT count(*) FROM (${matching})) < ${rows}`;
  const checked = valuesOf([...within, ...light]);
  const whole = isNarrowed
    ? { text: `${wholeSource} AND ${fewMatching} AS matches`, values: [...entered, ...checked] }
    : { text: `${wholeSource} AS matches`, values: entered };
  const isNarrow = isNarrowed ? { text: `SELECT ${fewMatching} AS matches`, values: checked } : undefined;
  return { sql: { text, values: [...conditions, limit] }, whole, conditionsLeft: rest.length, isNarrow };
}

/** The number of matches (column `matches`), counted up to the limit. Undefined when nothing can match. */
export function countSql(layout: TableLayout, filter: Filter, limit: number | undefined): Sql | undefined {
  const from = fromSql(layout, { filter, sort: [] }, termLookups(layout, filter)[0] ?? null);
  if (from === undefined) return undefined;
  if (limit === undefined) return { text: `SELECT count(*) AS matches ${from.text}`, values: from.values };
  return {
    text: `SELECT count(*) AS matches FROM (SELECT 1 ${from.text} LIMIT ?)`,
    values: [...from.values, limit],
  };
}

/** Whether each match of a count is one entry of an index, and nothing but these entries is read. */
export function isCountedInIndex(layout: TableLayout, filter: Filter): boolean {
  const index = chooseIndex(layout, filter, []);
  if (index === undefined) return false;
  const equal = index.fields.slice(0, index.equalities);
  const ranged = index.fields[index.equalities];
  return filter.every((condition) => {
    if (condition.op === 'eq') return equal.includes(condition.field);
    return isRange(condition) && condition.field === ranged && !isIdentifierColumn(layout, condition.field);
  });
}

function fromSql(
  layout: TableLayout,
  { filter, sort, after }: Omit<Find, 'limit'>,
  lookup: RowLookup | null,
): Sql | undefined {
  if (filter.some(matchesNothing)) return undefined;
  const values: SqlValue[] = [];
  const clauses: string[] = [];
  let from: string;
  if (lookup === null) {
    const index = chooseIndex(layout, filter, sort);
    from = `FROM ${layout.sql}${index === undefined ? '' : ` INDEXED BY ${index.sql}`}`;
    const notNull = index === undefined ? undefined : notNullSql(layout, index);
    if (notNull !== undefined) clauses.push(notNull);
  } else {
    // CROSS JOIN keeps the order of the tables: the terms lead to the documents, not the other way about.
    from = `FROM (${lookup.rows.text}) AS found CROSS JOIN ${layout.sql} AS docs ON docs.row = found.row`;
    values.push(...lookup.rows.values);
  }
  const add = (sql: Sql): void => {
    clauses.push(sql.text);
    values.push(...sql.values);
  };
  const leading = after === undefined ? undefined : orderKeys(sort)[0];
  for (const condition of filter) {
    if (lookup?.conditions.includes(condition) !== true) add(conditionSql(layout, condition, leading));
  }
  if (after !== undefined) add(keysetSql(layout, orderKeys(sort), after));
  return { text: clauses.length === 0 ? from : `${from} WHERE ${clauses.join(' AND ')}`, values };
}

function isRange({ op }: Condition): boolean {
  return op in OPERATORS;
}

/** A choice of several values, which an index returns one after the other. */
function isChoice(condition: Condition): boolean {
  return condition.op === 'in' && condition.value.length > 1;
}

function matchesNothing(condition: Condition): boolean {
  return condition.op === 'in' && condition.value.length === 0;
}

function orderSql(layout: TableLayout, sort: Sort): string {
  return orderKeys(sort)
    .map((key) => `${fieldSql(layout, key.field)} ${key.direction}`)
    .join(', ');
}

function conditionSql(layout: TableLayout, condition: Condition, leading: Sort[number] | undefined): Sql {
  if (isHas(condition)) return arraySql(condition);
  const isInBytes = isIdentifierColumn(layout, condition.field);
  const field = fieldSql(layout, condition.field);
  const key = isInBytes ? 'doc_key(value)' : 'value';
  const bounded = leading?.field === condition.field ? leading.direction : undefined;
  switch (condition.op) {
    case 'eq':
      return condition.value === null
        ? { text: `${field} IS NULL`, values: [] }
        : { text: `${field} = ?`, values: [comparedValue(layout, condition.field, condition.value)] };
    case 'in':
      return condition.value.length === 1
        ? { text: `${field} = ?`, values: [comparedValue(layout, condition.field, condition.value[0])] }
        : { text: `${field} IN (SELECT ${key} FROM json_each(?))`, values: [JSON.stringify(condition.value)] };
    case 'prefix': {
      if (isInBytes) return identifiersSql(layout, condition.field, condition.value, bounded);
      const next = afterPrefix(condition.value);
      if (next === undefined) return rangeSql(field, { ...condition, op: 'gte' }, bounded);
      return betweenSql(field, condition.value, next, bounded);
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      if (isInBytes) return rangeSql(documentExpression(fieldPath(condition.field)), condition, undefined);
      return rangeSql(field, condition, bounded);
    default:
      throw new RangeError('not a condition');
  }
}

/** The direction in which a keyset bounds the same field; undefined where it does not. */
type Bounded = Sort[number]['direction'] | undefined;

/**
 * A unary plus prevents SQLite from using a bound as an index range: the keyset is the tighter bound on that side, and
 * with the other one each page would read again what the pages before it have read.
 */
function betweenSql(field: string, from: SqlValue, to: SqlValue, bounded: Bounded): Sql {
  const [lower, upper] = [bounded === 'asc' ? '+' : '', bounded === 'desc' ? '+' : ''];
  return { text: `${lower}${field} >= ? AND ${upper}${field} < ?`, values: [from, to] };
}

/** Of identifiers in bytes: all that begin with a UUID and a slash in the column, anything else in the document. */
function identifiersSql(layout: TableLayout, field: string, start: string, bounded: Bounded): Sql {
  const bounds = identifiersFrom(start);
  if (bounds !== undefined) return betweenSql(fieldSql(layout, field), bounds.from, bounds.to, bounded);
  const text = documentExpression(fieldPath(field));
  return { text: `typeof(${text}) = 'text' AND substr(${text}, 1, length(?)) = ?`, values: [start, start] };
}

function rangeSql(field: string, condition: RangeCondition, bounded: Bounded): Sql {
  const lower = condition.op === 'gt' || condition.op === 'gte';
  const plus = bounded === (lower ? 'asc' : 'desc') ? '+' : '';
  const text = `${plus}${field} ${OPERATORS[condition.op]} ?`;
  // Compares values of the same class only: the neighbouring classes in SQLite's order (null < numbers < text < blobs)
  // are excluded.
  if (typeof condition.value === 'number') {
    return { text: lower ? `${text} AND +${field} < ''` : text, values: [condition.value] };
  }
  return { text: lower ? `${text} AND +${field} < x''` : `${text} AND +${field} >= ''`, values: [condition.value] };
}

type ChosenIndex = OrderedIndex & {
  readonly equalities: number;
  readonly isOrdered: boolean;
  readonly rank: number;
  /** Fields that it includes after those it orders by. */
  readonly carried: readonly string[];
};

/**
 * The index with the most leading equalities, then one with the order of the find, then the most selective one. SQLite
 * has no statistics here and would guess; the indexes are declared for the finds, so the right choice is known.
 */
function chooseIndex(layout: TableLayout, filter: Filter, sort: Sort): ChosenIndex | undefined {
  const open = sort.filter((key) => key.field !== '_id' && equalTo(filter, key.field) === undefined);
  const oneWay = new Set(orderKeys(sort).map((key) => key.direction)).size === 1;
  let best: ChosenIndex | undefined;
  for (const index of layout.indexes) {
    if (index.isNotNull && !filter.some((condition) => isOfValues(condition, index.fields[0]))) continue;
    const id = index.fields.indexOf('_id');
    const ordering = id < 0 ? index.fields : index.fields.slice(0, id);
    const carried = id < 0 ? [] : index.fields.slice(id + 1);
    const firstOpen = ordering.findIndex((field) => equalTo(filter, field) === undefined);
    const equalities = firstOpen < 0 ? ordering.length : firstOpen;
    const rest = ordering.slice(equalities);
    const ordered = oneWay && rest.length === open.length && rest.every((field, at) => field === open[at]?.field);
    const narrowed = filter.some((condition) => condition.field === rest[0]);
    if (equalities === 0 && !ordered && !narrowed) continue;
    const rank = equalities * 4 + (ordered ? 2 : 0) + (narrowed ? 1 : 0);
    if (best === undefined || rank > best.rank) best = { ...index, equalities, isOrdered: ordered, rank, carried };
  }
  return best;
}

/** Whether a document that meets the condition has a value in the field. */
function isOfValues(condition: Condition, field: string | undefined): boolean {
  if (condition.field !== field || isHas(condition)) return false;
  return condition.value !== null;
}

function keysetSql(layout: TableLayout, keys: Sort, after: readonly (string | number)[]): Sql {
  if (after.length < keys.length) throw new RangeError(`after needs ${keys.length} values, got ${after.length}`);
  const columns = keys.map((key) => fieldSql(layout, key.field));
  const from = keys.map((key, at) => comparedValue(layout, key.field, after[at]));
  const sign = (key: Sort[number]): string => (key.direction === 'asc' ? '>' : '<');
  const first = keys[0];
  if (first !== undefined && keys.every((key) => key.direction === first.direction)) {
    return {
      text: `(${columns.join(', ')}) ${sign(first)} (${columns.map(() => '?').join(', ')})`,
      values: from,
    };
  }
  let text = '';
  let values: SqlValue[] = [];
  for (let at = keys.length - 1; at >= 0; at -= 1) {
    const [key, column, value] = [keys[at], columns[at], from[at]];
    if (key === undefined || column === undefined || value === undefined) continue;
    if (text === '') {
      text = `${column} ${sign(key)} ?`;
      values = [value];
    } else {
      // The bound that holds for both branches comes first, so that an index search can start at it.
      text = `(${column} ${sign(key)}= ? AND (${column} ${sign(key)} ? OR ${text}))`;
      values = [value, value, ...values];
    }
  }
  return { text, values };
}
