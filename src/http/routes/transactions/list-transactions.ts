import { transactionsThen } from '../../../audit/lists-then.ts';
import { transactions } from '../../../projections/transactions.ts';
import { TRANSACTION_SORTS, transactionConditions, transactionSort } from '../../../queries/transaction-filter.ts';
import { isoTime } from '../../../shared/clock.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { asOf, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageNowOrThen } from '../../paging/page-as-of.ts';
import { transactionResource, transactionSchema } from '../../resources/transaction.ts';
import { isCostlyFilter, refuseEmptyRanges, refuseUnknownKeys, transactionFilters } from './filters.ts';
import { leasesOf } from './transaction-of.ts';

export const listTransactionsOperation = operation({
  id: 'listTransactions',
  method: 'get',
  path: '/banks/transactions',
  tag: 'Transactions',
  summary: 'Transactions by filter, in a stable order that new arrivals do not change',
  description: 'Each with its `assignmentSummary`; the assignments themselves are in the single transaction.',
  costly: isCostlyFilter,
  access: 'transactions:read',
  query: z.strictObject({
    ...transactionFilters,
    sort: z.enum(TRANSACTION_SORTS).optional().openapi({ default: '-transactionDate' }),
    asOf,
    ...paging,
  }),
  result: listOf(transactionSchema),
  errors: ['DATE_RANGE_INVALID', 'TRANSACTION_AMOUNT_RANGE_INVALID'],
  reads: [transactions],
  handle: async (call) => {
    const { services, query } = call;
    refuseEmptyRanges(query);
    await refuseUnknownKeys(services, query);
    const filter = transactionConditions(query);
    const sort = transactionSort(query.sort ?? '-transactionDate');
    const { position = null, ...page } = await pageNowOrThen(call, 'listTransactions', transactionsThen, {
      filter,
      sort,
    });
    // Leases are not in the log, so those of another moment are unknown.
    const leaseOf = await leasesOf(services, query.asOf === undefined ? page.items : []);
    const at = query.asOf ?? isoTime(services.clock.now());
    const items = page.items.map((document) => transactionResource(document, leaseOf(document), at));
    return { status: 200, result: { ...page, items }, position };
  },
});
