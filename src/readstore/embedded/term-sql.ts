import { afterPrefix, fieldPath } from '../ordering.ts';
import type { Condition, Filter } from '../read-store.ts';
import { type Sql, valuesOf, whereSql } from './sql.ts';
import { pathText, type TableLayout, type TermTable, termKey } from './table-layout.ts';

export type HasCondition = { readonly field: string; readonly op: 'has' | 'hasPrefix'; readonly value: string };

export function isHas(condition: Condition): condition is HasCondition {
  return condition.op === 'has' || condition.op === 'hasPrefix';
}

/** Conditions that a term table or an index answers without an order. */
export type RowLookup = {
  readonly conditions: readonly Condition[];
  /** The rows of the documents that meet them (column `row`), each once and in no order. */
  readonly rows: Sql;
};

/** Of a single table or index. */
export type CountedLookup = RowLookup & {
  /** The entries that these rows are taken from: at least as many. */
  readonly entries: Sql;
};

/** A single condition that a term table answers. */
export type TermLookup = CountedLookup & { readonly conditions: readonly [HasCondition] };

/**
 * The conditions of the filter that a term table answers, the probably rarest first: a whole term before a prefix, then
 * the longer text.
 */
export function termLookups(layout: TableLayout, filter: Filter): TermLookup[] {
  const lookups = filter.filter(isHas).flatMap((condition) => {
    const table = tableOf(layout, filter, condition.field, true);
    return table === undefined ? [] : [lookupIn(table, condition, filter)];
  });
  return lookups.sort(({ conditions: [one] }, { conditions: [other] }) => {
    if (one.op !== other.op) return one.op === 'has' ? -1 : 1;
    return other.value.length - one.value.length;
  });
}

/** The look-ups in unordered indexes: of conditions that a field is a text. */
export function textLookups(layout: TableLayout, filter: Filter): CountedLookup[] {
  return filter.flatMap((condition) => {
    const value = equalTo([condition], condition.field)?.value;
    if (typeof value !== 'string') return [];
    const table = tableOf(layout, filter, condition.field, false);
    if (table === undefined) return [];
    return [{ ...lookupIn(table, { field: condition.field, op: 'has', value }, filter), conditions: [condition] }];
  });
}

/** The table of the field's terms of which the filter leaves one value to each field of the prefix. */
function tableOf(layout: TableLayout, filter: Filter, field: string, isArray: boolean): TermTable | undefined {
  return layout.termTables.find(
    (table) =>
      table.isArray === isArray &&
      table.field === field &&
      table.prefix.every((column) => equalTo(filter, column.field) !== undefined),
  );
}

/** The rows that all of them lead to: a row read from a term table costs a tenth of a document that is read. */
export function allOf(lookups: readonly CountedLookup[]): RowLookup {
  return {
    conditions: lookups.flatMap(({ conditions }) => conditions),
    rows: {
      text: lookups.map(({ rows }) => rows.text).join(' INTERSECT '),
      values: valuesOf(lookups.map(({ rows }) => rows)),
    },
  };
}

function lookupIn(table: TermTable, condition: HasCondition, filter: Filter): TermLookup {
  const keys = table.prefix.map(
    (column, at): Sql => ({ text: `p${at} = ?`, values: [termKey(column, equalTo(filter, column.field)?.value)] }),
  );
  const clauses = [...keys, termSql('term', condition)];
  const source = `FROM ${table.sql}${whereSql(clauses)}`;
  const values = valuesOf(clauses);
  const distinct = condition.op === 'has' ? '' : 'DISTINCT ';
  return {
    conditions: [condition],
    rows: { text: `SELECT ${distinct}row ${source}`, values },
    entries: { text: `SELECT 1 ${source}`, values },
  };
}

/** The number of each lookup's entries, counted up to a limit: one row each, in their order (column `matches`). */
export function entriesSql(lookups: readonly CountedLookup[], most: number): Sql {
  const counts = lookups.map(
    ({ entries }): Sql => ({
      text: `SELECT (SELECT count(*) FROM (${entries.text} LIMIT ?)) AS matches`,
      values: [...entries.values, most],
    }),
  );
  return { text: counts.map(({ text }) => text).join(' UNION ALL '), values: valuesOf(counts) };
}

/** The condition read from the document itself. */
export function arraySql(condition: HasCondition): Sql {
  const asked = condition.op === 'has' ? 'doc_has' : 'doc_has_prefix';
  return { text: `${asked}(doc, ${pathText(fieldPath(condition.field))}, ?)`, values: [condition.value] };
}

function termSql(column: string, condition: HasCondition): Sql {
  if (condition.op === 'has') return { text: `${column} = ?`, values: [condition.value] };
  const next = afterPrefix(condition.value);
  return next === undefined
    ? { text: `${column} >= ?`, values: [condition.value] }
    : { text: `${column} >= ? AND ${column} < ?`, values: [condition.value, next] };
}

type Equality = { readonly value: string | number | boolean | null };

/** The one value that the filter leaves to a field. */
export function equalTo(filter: Filter, field: string): Equality | undefined {
  for (const condition of filter) {
    if (condition.field !== field) continue;
    if (condition.op === 'eq') return { value: condition.value };
    if (condition.op === 'in' && condition.value.length === 1) return { value: condition.value[0] ?? null };
  }
  return undefined;
}
