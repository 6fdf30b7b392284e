import { transactions } from '../../../projections/transactions.ts';
import type { TransactionFilter } from '../../../queries/transaction-filter.ts';
import { compare } from '../../../shared/money.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { currencyCode, flag, identifier, magnitude, moment, searchText } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { AUTOMATION_STATUSES } from '../../resources/transaction.ts';

/** The version of the read model whose rows hold the keys of their groups. */
export const WITH_GROUP_KEYS = 5;

const groupKey = z.string().regex(/^[0-9a-f]{32}$/);

/** The filters of the list and of the export. */
export const transactionFilters = {
  accountId: identifier.optional(),
  subAccountKey: identifier.optional(),
  bankCode: identifier.optional(),
  currency: currencyCode.optional(),
  incoming: flag.optional(),
  from: moment.optional().openapi({ description: 'Transactions with `transactionDate` at or after this moment.' }),
  to: moment.optional().openapi({ description: 'transactionDate before.' }),
  minAmount: magnitude.optional(),
  maxAmount: magnitude.optional(),
  q: searchText.optional().openapi({ description: 'Words, or beginnings of words, of description, name or IBAN.' }),
  iban: identifier.optional(),
  idNo: identifier.optional(),
  code: identifier.optional(),
  automationStatus: z.enum(AUTOMATION_STATUSES).optional(),
  assigned: flag.optional(),
  ruleId: identifier.optional(),
  referenceKey: z.string().min(1).max(400).optional(),
  tag: z.string().min(1).max(64).optional(),
  counterpartyKey: groupKey.optional(),
  descriptionKey: groupKey.optional(),
};

/**
 * Until the read model has been built anew after an update, its rows lack the keys of their groups.
 * @throws ApiError READ_MODEL_BEHIND
 */
export async function refuseUnknownKeys(
  { readModels }: HttpServices,
  { counterpartyKey, descriptionKey }: TransactionFilter,
): Promise<void> {
  if (counterpartyKey === undefined && descriptionKey === undefined) return;
  if ((await readModels.readableVersion(transactions)) < WITH_GROUP_KEYS) {
    throw new ApiError('READ_MODEL_BEHIND', {}, { 'retry-after': '5' });
  }
}

/** Whether finding the rows may require a scan of many that do not match, since no index covers these filters. */
export function isCostlyFilter(query: TransactionFilter & { readonly asOf?: string }): boolean {
  const { asOf, q, subAccountKey, bankCode, currency, incoming, code, minAmount, maxAmount, assigned } = query;
  const isGroup = query.counterpartyKey !== undefined || query.descriptionKey !== undefined;
  const unindexed = isGroup ? [] : [assigned];
  const searched = [asOf, q, subAccountKey, bankCode, currency, incoming, code, minAmount, maxAmount, ...unindexed];
  return searched.some((value) => value !== undefined);
}

/** @throws ApiError DATE_RANGE_INVALID, TRANSACTION_AMOUNT_RANGE_INVALID */
export function refuseEmptyRanges({ from, to, minAmount, maxAmount }: TransactionFilter): void {
  if (from !== undefined && to !== undefined && from > to) throw new ApiError('DATE_RANGE_INVALID');
  if (minAmount !== undefined && maxAmount !== undefined && compare(minAmount, maxAmount) > 0) {
    throw new ApiError('TRANSACTION_AMOUNT_RANGE_INVALID');
  }
}
