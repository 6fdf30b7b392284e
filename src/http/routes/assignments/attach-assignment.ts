import { attachAssignment } from '../../../commands/change-transaction.ts';
import type { EventData } from '../../../events/registry.ts';
import { transactions } from '../../../projections/transactions.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { operation } from '../../core/operation.ts';
import { externalReference, identifier, tagList } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { assignmentResource, assignmentSchema } from '../../resources/assignment.ts';

export const attachAssignmentOperation = operation({
  id: 'attachAssignment',
  method: 'post',
  path: '/banks/transactions/{id}/assignments',
  tag: 'Assignments',
  summary: 'Attach a reference to a transaction by hand',
  access: 'transactions:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'TRANSACTION_NOT_FOUND',
  body: z.strictObject({ reference: externalReference, tags: tagList.default([]) }),
  result: assignmentSchema,
  successes: [201],
  errors: ['ASSIGNMENT_EXISTS', 'TENANT_LIMIT_REACHED'],
  handle: async ({ params, body, context }) => {
    const reference = { ...body.reference, label: body.reference.label ?? null };
    const outcome = await attachAssignment(context, params.id, { reference, tags: [...new Set(body.tags)] });
    const { events, appended, position } = requireAccepted(outcome);
    const own = appended[0]?.data as EventData<'TransactionAssignmentAttached'> | undefined;
    const attached = documentAfter(transactions, events).assignments.find((one) => one.id === own?.assignmentId);
    if (attached === undefined) throw new RangeError('an attached assignment is missing from its transaction');
    return { status: 201, result: assignmentResource(attached), position };
  },
});
