import type { EventType } from '../events/registry.ts';
import type { Document } from '../readstore/read-store.ts';
import { sha256 } from '../shared/hash.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

/** The names of a reference, oldest first, each with the position from which it applies; only the newest are kept. */
export type ReferenceLabelsDocument = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly referenceKey: string;
  readonly labels: readonly { readonly label: string; readonly fromPosition: string }[];
};

/** Of a reference renamed more often than this, older names are no longer known. */
const MOST_LABELS = 50;

const TAKES = ['TransactionAssignmentAttached'] as const satisfies readonly EventType[];

export const referenceLabels: Projection<ReferenceLabelsDocument, (typeof TAKES)[number]> = {
  name: 'reference-labels',
  version: 1,
  takes: TAKES,
  keys({ metadata: { tenantId, companyId }, data }) {
    return [documentId(tenantId, companyId ?? '', sha256(data.referenceKey).slice(0, 32))];
  },
  evolve(document, event, key) {
    const { referenceKey, reference } = event.data;
    const before = document?.labels ?? [];
    const { label } = reference;
    const isNew = label !== null && before.at(-1)?.label !== label;
    if (!isNew && document !== undefined) return document;
    const { tenantId, companyId } = event.metadata;
    const labels = isNew ? [...before, { label, fromPosition: event.position }].slice(-MOST_LABELS) : [];
    return { _id: key, tenantId, companyId: companyId ?? '', referenceKey, labels };
  },
  indexes: [{ fields: ['tenantId', 'referenceKey'] }],
};
