import type { EventType } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

export type CompanyDocument = Document & {
  readonly tenantId: string;
  /** The company's own id, so that a caller limited to companies sees only those. */
  readonly companyId: string;
  readonly id: string;
  readonly name: string;
  readonly automation: boolean;
  readonly createdAt: string;
};

const TAKES = ['CompanyCreated'] as const satisfies readonly EventType[];

export const companies: Projection<CompanyDocument, (typeof TAKES)[number]> = {
  name: 'companies',
  version: 2,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(_, event, key) {
    const { companyId, name, automation, createdAt } = event.data;
    return { _id: key, tenantId: event.metadata.tenantId, companyId, id: companyId, name, automation, createdAt };
  },
  indexes: [{ fields: ['tenantId', 'createdAt'] }],
};
