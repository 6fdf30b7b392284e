import type { Grouping } from './query.ts';

const GROUP_COLUMNS: Readonly<Record<Grouping, readonly ('companyId' | 'accountId' | 'subAccountKey')[]>> = {
  company: ['companyId'],
  account: ['accountId'],
  subAccount: ['accountId', 'subAccountKey'],
};

/** The columns, and fields of the documents, by which rows are grouped. */
export function groupColumns(groupBy: Grouping | null): readonly ('companyId' | 'accountId' | 'subAccountKey')[] {
  return groupBy === null ? [] : GROUP_COLUMNS[groupBy];
}

/** A group's parts under their names. */
export function named(names: readonly string[], parts: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, place) => [name, parts[place] ?? '']));
}
