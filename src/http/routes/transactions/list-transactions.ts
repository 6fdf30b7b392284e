import { z } from '@hono/zod-openapi';
import { transactions } from '../../../projections/transactions.ts';
import { TRANSACTION_SORTS, transactionConditions, transactionSort } from '../../../queries/transaction-filter.ts';
import { isoTime } from '../../../shared/clock.ts';
import { listOf } from '../../envelope.ts';
import { operation } from '../../operation.ts';
import { pageOf } from '../../page.ts';
import { paging } from '../../parameters.ts';
import { transactionResource, transactionSchema } from '../../resources/transaction.ts';
import { refuseEmptyRanges, transactionFilters } from './filters.ts';
import { leasesOf } from './transaction-of.ts';

export const listTransactions = operation({
  id: 'listTransactions',
  method: 'get',
  path: '/banks/transactions',
  tag: 'Transactions',
  summary: 'Transactions by filter, in a total order that new arrivals do not disturb',
  description: 'Each with its `assignmentSummary`; the assignments themselves come with the single transaction.',
  access: 'transactions:read',
  query: z.strictObject({
    ...transactionFilters,
    sort: z.enum(TRANSACTION_SORTS).optional().openapi({ default: '-transactionDate' }),
    ...paging,
  }),
  result: listOf(transactionSchema),
  errors: ['DATE_RANGE_INVALID', 'TRANSACTION_AMOUNT_RANGE_INVALID'],
  reads: [transactions],
  handle: async (call) => {
    const { house, query } = call;
    refuseEmptyRanges(query);
    const page = await pageOf(call, 'listTransactions', transactions, {
      filter: transactionConditions(query),
      sort: transactionSort(query.sort ?? '-transactionDate'),
    });
    const leaseOf = await leasesOf(house, page.items);
    const now = isoTime(house.clock.now());
    const items = page.items.map((document) => transactionResource(document, leaseOf(document), now));
    return { status: 200, result: { items, nextCursor: page.nextCursor } };
  },
});
