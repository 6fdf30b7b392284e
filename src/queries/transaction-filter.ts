import { ibanKey } from '../projections/transactions.ts';
import type { Condition, Filter, Sort } from '../readstore/read-store.ts';
import { magnitudeKey } from '../shared/money.ts';
import { wordsOf } from '../shared/text-folding.ts';

/** All optional; amounts are decimals, moments ISO 8601 UTC with milliseconds. */
export type TransactionFilter = {
  readonly accountId?: string;
  readonly subAccountKey?: string;
  readonly bankCode?: string;
  readonly currency?: string;
  readonly incoming?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly minAmount?: string;
  readonly maxAmount?: string;
  readonly q?: string;
  readonly iban?: string;
  readonly idNo?: string;
  readonly code?: string;
  readonly automationStatus?: string;
  readonly assigned?: boolean;
  readonly ruleId?: string;
  readonly referenceKey?: string;
  readonly tag?: string;
  readonly counterpartyKey?: string;
  readonly descriptionKey?: string;
};

const SAME = [
  'accountId',
  'subAccountKey',
  'bankCode',
  'currency',
  'incoming',
  'idNo',
  'code',
  'assigned',
  'counterpartyKey',
  'descriptionKey',
] as const;

/** `q`: every word of it must start a word of the description, name or IBAN. */
export function transactionConditions(filter: TransactionFilter): Filter {
  const conditions: Condition[] = [];
  for (const field of SAME) {
    const value = filter[field];
    if (value !== undefined) conditions.push({ field, op: 'eq', value });
  }
  const { from, to, minAmount, maxAmount, iban, automationStatus, ruleId, referenceKey, tag } = filter;
  if (from !== undefined) conditions.push({ field: 'transactionDate', op: 'gte', value: from });
  if (to !== undefined) conditions.push({ field: 'transactionDate', op: 'lt', value: to });
  if (minAmount !== undefined) conditions.push({ field: 'amountKey', op: 'gte', value: magnitudeKey(minAmount) });
  if (maxAmount !== undefined) conditions.push({ field: 'amountKey', op: 'lte', value: magnitudeKey(maxAmount) });
  if (automationStatus !== undefined) {
    conditions.push({ field: 'automation.status', op: 'eq', value: automationStatus });
  }
  if (referenceKey !== undefined) conditions.push({ field: 'referenceKeys', op: 'has', value: referenceKey });
  if (tag !== undefined) conditions.push({ field: 'tags', op: 'has', value: tag });
  if (ruleId !== undefined) conditions.push({ field: 'ruleIds', op: 'has', value: ruleId });
  if (iban !== undefined) conditions.push({ field: 'ibanKey', op: 'eq', value: ibanKey(iban) });
  for (const word of wordsOf(filter.q ?? '')) conditions.push({ field: 'words', op: 'hasPrefix', value: word });
  return conditions;
}

export const TRANSACTION_SORTS = ['-transactionDate', 'transactionDate', '-amount', 'amount'] as const;

export function transactionSort(sort: (typeof TRANSACTION_SORTS)[number]): Sort {
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  return [{ field: sort.endsWith('amount') ? 'amountKey' : 'transactionDate', direction }];
}
