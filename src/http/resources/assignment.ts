import type { AssignmentRecord } from '../../projections/transactions.ts';
import { externalReference } from '../core/parameters.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

export const assignmentSchema = z
  .strictObject({
    id: z.string(),
    companies: z.string(),
    transactionId: z.string(),
    origin: z.enum(['rule', 'manual']),
    originId: z.string(),
    ruleId: z.string().nullable(),
    ruleVersion: z.int().nullable(),
    reference: externalReference,
    referenceKey: z.string(),
    tags: z.array(z.string()),
    status: z.enum(['active', 'revoked']),
    matchedAt: instant.nullable(),
    revokedAt: instant.nullable(),
    revokedReason: z.string().nullable(),
    createdAt: instant.nullable(),
    updatedAt: instant.nullable(),
    ruleSnapshotHash: z.string().nullable(),
    createdBy: z.string().nullable(),
    updatedBy: z.string().nullable(),
  })
  .openapi('TransactionAssignment');

export function assignmentResource(assignment: AssignmentRecord): z.input<typeof assignmentSchema> {
  const { id, companyId, transactionId, origin, originId, ruleId, ruleVersion, ruleSnapshotHash } = assignment;
  const { reference, referenceKey, tags, status, matchedAt, revokedAt, revokedReason } = assignment;
  const { createdAt, updatedAt, createdBy, updatedBy } = assignment;
  return {
    id,
    companies: companyId,
    transactionId,
    origin,
    originId,
    ruleId,
    ruleVersion,
    reference,
    referenceKey,
    tags: [...tags],
    status,
    matchedAt,
    revokedAt,
    revokedReason,
    createdAt,
    updatedAt,
    ruleSnapshotHash,
    createdBy,
    updatedBy,
  };
}
