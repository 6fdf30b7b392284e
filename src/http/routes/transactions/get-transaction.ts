import { transactions } from '../../../projections/transactions.ts';
import { operation } from '../../core/operation.ts';
import { asOf, identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { transactionSchema, transactionWithAssignments } from '../../resources/transaction.ts';
import { transactionNowOrThen, transactionOf, wholeTransaction } from './transaction-of.ts';

export const getTransactionOperation = operation({
  id: 'getTransaction',
  method: 'get',
  path: '/banks/transactions/{id}',
  tag: 'Transactions',
  summary: 'One transaction with its assignments',
  access: 'transactions:read',
  params: z.strictObject({ id: identifier }),
  query: z.strictObject({ asOf }),
  costly: ({ asOf: moment }) => moment !== undefined,
  notFound: 'TRANSACTION_NOT_FOUND',
  result: transactionSchema,
  errors: ['DATE_RANGE_INVALID'],
  reads: [transactions],
  handle: async ({ services, reader, params, query }) => {
    if (query.asOf === undefined) {
      return { status: 200, result: await wholeTransaction(services, await transactionOf(reader, params.id)) };
    }
    const { document, past } = await transactionNowOrThen(services, reader, params.id, query.asOf);
    // Leases are not in the log, so those of another moment are unknown.
    const result = transactionWithAssignments(document, undefined, query.asOf);
    return { status: 200, result, position: past?.position ?? null };
  },
});
