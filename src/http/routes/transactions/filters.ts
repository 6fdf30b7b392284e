import type { TransactionFilter } from '../../../queries/transaction-filter.ts';
import { compare } from '../../../shared/money.ts';
import { ApiError } from '../../core/errors.ts';
import { flag, identifier, magnitude, moment, searchText } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { AUTOMATION_STATUSES } from '../../resources/transaction.ts';

/** The filters of the list and of the export. */
export const transactionFilters = {
  accountId: identifier.optional(),
  subAccountKey: identifier.optional(),
  bankCode: identifier.optional(),
  currency: identifier.optional(),
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
};

/** Whether finding the rows may require a scan of many that do not match, since no index covers these filters. */
export function isCostlyFilter(query: TransactionFilter & { readonly asOf?: string }): boolean {
  const { asOf, q, subAccountKey, bankCode, currency, incoming, code, minAmount, maxAmount, assigned } = query;
  const searched = [asOf, q, subAccountKey, bankCode, currency, incoming, code, minAmount, maxAmount, assigned];
  return searched.some((value) => value !== undefined);
}

/** @throws ApiError DATE_RANGE_INVALID, TRANSACTION_AMOUNT_RANGE_INVALID */
export function refuseEmptyRanges({ from, to, minAmount, maxAmount }: TransactionFilter): void {
  if (from !== undefined && to !== undefined && from > to) throw new ApiError('DATE_RANGE_INVALID');
  if (minAmount !== undefined && maxAmount !== undefined && compare(minAmount, maxAmount) > 0) {
    throw new ApiError('TRANSACTION_AMOUNT_RANGE_INVALID');
  }
}
