import { transactions } from '../../../projections/transactions.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { counting, expand, identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { countedWhere } from '../../paging/count.ts';
import { assignmentResource, assignmentSchema } from '../../resources/assignment.ts';
import { transactionOf } from '../transactions/transaction-of.ts';

export const listTransactionAssignmentsOperation = operation({
  id: 'listTransactionAssignments',
  method: 'get',
  path: '/banks/transactions/{id}/assignments',
  tag: 'Assignments',
  summary: 'All assignments of a transaction, revoked ones included, oldest first',
  access: 'transactions:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'TRANSACTION_NOT_FOUND',
  query: z.strictObject({ ...counting, ...expand }),
  result: listOf(assignmentSchema),
  reads: [transactions],
  handle: async ({ reader, params, query }) => {
    const { assignments } = await transactionOf(reader, params.id);
    const counted = await countedWhere(query, async () => assignments.length);
    return { status: 200, result: { items: assignments.map(assignmentResource), nextCursor: null, ...counted } };
  },
});
