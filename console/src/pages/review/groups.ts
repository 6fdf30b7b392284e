import type { BankTransaction, UnassignedGroup } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { atMoment } from '../../frame/as-of-moment.ts';

export const GROUPED_BY = ['counterparty', 'description'] as const;
export const SORTS = ['-count', 'name'] as const;

/** So many are attached to at once by hand; a rule is the way for more. */
export const MOST_ASSIGNED = 1_000;
const PAGE = 200;

/** The filter of the list that finds the rows of the group. */
export function filterOf({ by, key }: Pick<UnassignedGroup, 'by' | 'key'>): Record<string, string> {
  return { assigned: 'false', [by === 'counterparty' ? 'counterpartyKey' : 'descriptionKey']: key };
}

function queryOf({ by, key }: UnassignedGroup) {
  return { assigned: false, ...(by === 'counterparty' ? { counterpartyKey: key } : { descriptionKey: key }) };
}

export async function firstRows(
  group: UnassignedGroup,
  limit: number,
  signal: AbortSignal,
): Promise<BankTransaction[]> {
  const { items } = await api().listTransactions({ ...queryOf(group), ...atMoment(), limit }, { signal });
  return items;
}

/** Every row of the group, at most so many as are assigned at once. */
export async function rowsToAssign(group: UnassignedGroup): Promise<BankTransaction[]> {
  const rows: BankTransaction[] = [];
  for await (const row of api().each.listTransactions({ ...queryOf(group), limit: PAGE })) {
    rows.push(row);
    if (rows.length >= MOST_ASSIGNED) break;
  }
  return rows;
}

/**
 * What the editor of rules takes from the address: a rule that asks for the counterparty, or for the words that the
 * descriptions share.
 */
export function draftOf({ by, name, iban, companies }: UnassignedGroup, ruleName: string): Record<string, string> {
  const condition =
    by === 'counterparty'
      ? name === ''
        ? { field: 'iban', operator: 'equals', value: iban }
        : { field: 'nameSurname', operator: 'equals', value: name }
      : { combinator: 'all', children: wordsOf(name) };
  const conditions = JSON.stringify({ combinator: 'all', children: [condition] });
  return { name: ruleName, company: companies, conditions };
}

function wordsOf(name: string) {
  return name
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((value) => ({ field: 'description', operator: 'contains', value }));
}
