import { transactions } from '../../../projections/transactions.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { transactionSchema } from '../../resources/transaction.ts';
import { transactionOf, wholeTransaction } from './transaction-of.ts';

export const getTransactionOperation = operation({
  id: 'getTransaction',
  method: 'get',
  path: '/banks/transactions/{id}',
  tag: 'Transactions',
  summary: 'One transaction with its assignments',
  access: 'transactions:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'TRANSACTION_NOT_FOUND',
  result: transactionSchema,
  reads: [transactions],
  handle: async ({ services, reader, params }) => ({
    status: 200,
    result: await wholeTransaction(services, await transactionOf(reader, params.id)),
  }),
});
