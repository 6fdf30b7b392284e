import type { SqlValue } from './column-value.ts';

/** A statement, or a part of one, with the values of its placeholders. */
export type Sql = { readonly text: string; readonly values: readonly SqlValue[] };

export function whereSql(clauses: readonly Sql[]): string {
  return clauses.length === 0 ? '' : ` WHERE ${clauses.map(({ text }) => text).join(' AND ')}`;
}

export function valuesOf(parts: readonly Sql[]): SqlValue[] {
  return parts.flatMap(({ values }) => values);
}
