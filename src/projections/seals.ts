import type { EventType } from '../events/registry.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

/** The seals and what each covers. The seals themselves, with the fingerprints of their events, are in the log. */
export type SealDocument = Document & {
  readonly tenantId: string;
  readonly ordinal: number;
  readonly eventCount: number;
  readonly totalCount: number;
  readonly toPosition: string;
  readonly root: string;
  readonly publicKey: string;
  readonly revision: number;
  readonly sealedAt: string;
};

const TAKES = ['TenantSealed'] as const satisfies readonly EventType[];

export const seals: Projection<SealDocument, (typeof TAKES)[number]> = {
  name: 'seals',
  version: 1,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, String(event.data.ordinal))],
  evolve(document, event, key) {
    if (document !== undefined) return document;
    const { ordinal, eventCount, totalCount, toPosition, root, publicKey, sealedAt } = event.data;
    const { tenantId } = event.metadata;
    const { revision } = event;
    return { _id: key, tenantId, ordinal, eventCount, totalCount, toPosition, root, publicKey, revision, sealedAt };
  },
  indexes: [{ fields: ['tenantId', 'ordinal'] }, { fields: ['tenantId', 'toPosition'] }],
};
