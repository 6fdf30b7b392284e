import type { Condition } from '../readstore/read-store.ts';

/**
 * The transactions that a draft or a run considers; a null or missing member does not filter. Moments are ISO 8601 UTC,
 * `to` exclusive.
 */
export type TransactionScope = {
  readonly from?: string | null;
  readonly to?: string | null;
  readonly accountIds?: readonly string[] | null;
  readonly bankCodes?: readonly string[] | null;
};

export function scopeConditions({ from, to, accountIds, bankCodes }: TransactionScope): Condition[] {
  const conditions: Condition[] = [];
  if (from != null) conditions.push({ field: 'transactionDate', op: 'gte', value: from });
  if (to != null) conditions.push({ field: 'transactionDate', op: 'lt', value: to });
  if (accountIds != null) conditions.push({ field: 'accountId', op: 'in', value: accountIds });
  if (bankCodes != null) conditions.push({ field: 'bankCode', op: 'in', value: bankCodes });
  return conditions;
}
