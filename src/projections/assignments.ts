import type { EventType } from '../events/registry.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';
import { type AssignmentRecord, attachedAssignment, revokedAssignment } from './transactions.ts';

/** The reverse lookup: one document per assignment, found by what it refers to. */
export type AssignmentDocument = Document &
  AssignmentRecord & {
    readonly tenantId: string;
    /** Where in the log it was attached. */
    readonly recordedPosition: string;
  };

const TAKES = ['TransactionAssignmentAttached', 'TransactionAssignmentRevoked'] as const satisfies readonly EventType[];

export const assignments: Projection<AssignmentDocument, (typeof TAKES)[number]> = {
  name: 'assignments',
  version: 3,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, event.data.assignmentId)],
  evolve(document, event, key) {
    if (event.type === 'TransactionAssignmentAttached') {
      const { tenantId } = event.metadata;
      return { _id: key, tenantId, ...attachedAssignment(event), recordedPosition: event.position };
    }
    return document === undefined ? undefined : revokedAssignment(document, event);
  },
  indexes: [
    { fields: ['tenantId', 'createdAt', '_id', 'recordedPosition', 'companyId'] },
    { fields: ['tenantId', '_position', '_id', 'recordedPosition', 'companyId'] },
    { fields: ['tenantId', 'referenceKey', 'createdAt'] },
    { fields: ['tenantId', 'ruleId', 'createdAt'] },
    { fields: ['tenantId', 'reference.externalId', 'createdAt'] },
    { fields: ['tenantId', 'tags'], multi: true },
  ],
};
