import { assignmentsThen } from '../../../audit/lists-then.ts';
import { assignments } from '../../../projections/assignments.ts';
import type { Condition } from '../../../readstore/read-store.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { asOf, identifier, paging, referencePart } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageNowOrThen } from '../../paging/page-as-of.ts';
import { assignmentResource, assignmentSchema } from '../../resources/assignment.ts';

const SAME = {
  referenceKey: 'referenceKey',
  source: 'reference.source',
  entityType: 'reference.entityType',
  externalId: 'reference.externalId',
  ruleId: 'ruleId',
  status: 'status',
} as const;

export const listAssignmentsOperation = operation({
  id: 'listAssignments',
  method: 'get',
  path: '/banks/assignments',
  tag: 'Assignments',
  summary: 'Reverse look-up: which transactions have a reference, newest first',
  costly: ({ asOf }) => asOf !== undefined,
  access: 'transactions:read',
  query: z.strictObject({
    referenceKey: z.string().min(1).max(400).optional(),
    source: referencePart.optional(),
    entityType: referencePart
      .optional()
      .openapi({ description: 'Only references to this type of record, such as `invoice`.' }),
    externalId: z.string().min(1).max(256).optional(),
    ruleId: identifier.optional(),
    tag: z.string().min(1).max(64).optional(),
    status: z.enum(['active', 'revoked']).optional(),
    asOf,
    ...paging,
  }),
  result: listOf(assignmentSchema),
  reads: [assignments],
  handle: async (call) => {
    const { query } = call;
    const filter: Condition[] = [];
    for (const name of ['referenceKey', 'source', 'entityType', 'externalId', 'ruleId', 'status'] as const) {
      const value = query[name];
      if (value !== undefined) filter.push({ field: SAME[name], op: 'eq', value });
    }
    if (query.tag !== undefined) filter.push({ field: 'tags', op: 'has', value: query.tag });
    const sort = [{ field: 'createdAt', direction: 'desc' }] as const;
    const { position = null, ...page } = await pageNowOrThen(call, 'listAssignments', assignmentsThen, {
      filter,
      sort,
    });
    return {
      status: 200,
      result: { ...page, items: page.items.map(assignmentResource) },
      position,
    };
  },
});
