import { retryAutomation } from '../../../commands/change-transaction.ts';
import { transactions } from '../../../projections/transactions.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { transactionSchema } from '../../resources/transaction.ts';
import { wholeTransaction } from './transaction-of.ts';

export const retryAutomationOperation = operation({
  id: 'retryAutomation',
  method: 'post',
  path: '/banks/transactions/{id}/automation/retry',
  tag: 'Transactions',
  summary: 'Retry failed transaction automation',
  description: 'From `retry` or `dead` back to `pending`, with attempts at 0.',
  access: 'transactions:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'TRANSACTION_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: transactionSchema,
  errors: ['AUTOMATION_NOT_RETRYABLE'],
  handle: async ({ services, params, context }) => {
    const { events, position } = requireAccepted(await retryAutomation(context, params.id));
    return { status: 200, result: await wholeTransaction(services, documentAfter(transactions, events)), position };
  },
});
