import { revokeAssignment } from '../../../commands/change-transaction.ts';
import { transactions } from '../../../projections/transactions.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { assignmentResource, assignmentSchema } from '../../resources/assignment.ts';

export const revokeAssignmentOperation = operation({
  id: 'revokeAssignment',
  method: 'post',
  path: '/banks/transactions/{id}/assignments/{assignmentId}/revoke',
  tag: 'Assignments',
  summary: 'Revoke an assignment permanently',
  description:
    'A rule whose assignment was revoked by hand does not attach to this transaction again until its ' +
    '`snapshotHash` changes.',
  access: 'transactions:write',
  params: z.strictObject({ id: identifier, assignmentId: identifier }),
  notFound: 'ASSIGNMENT_NOT_FOUND',
  body: z.strictObject({ reason: z.string().max(500).nullable().optional() }),
  bodyOptional: true,
  result: assignmentSchema,
  errors: ['TRANSACTION_NOT_FOUND', 'ASSIGNMENT_REVOKED'],
  handle: async ({ params, body, context }) => {
    const { assignmentId } = params;
    const reason = body.reason ?? null;
    const { events, position } = requireAccepted(await revokeAssignment(context, params.id, { assignmentId, reason }));
    const revoked = documentAfter(transactions, events).assignments.find((one) => one.id === assignmentId);
    if (revoked === undefined) throw new ApiError('ASSIGNMENT_NOT_FOUND');
    return { status: 200, result: assignmentResource(revoked), position };
  },
});
