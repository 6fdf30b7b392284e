import { isKnown } from '../events/registry.ts';
import type { Document } from '../readstore/read-store.ts';
import type { Projection } from './projection.ts';

/** For who runs the service: the one list that goes over all tenants. */
export type TenantDocument = Document & {
  readonly tenantId: string;
  readonly name: string;
  readonly createdAt: string;
};

export const tenants: Projection<TenantDocument> = {
  name: 'tenants',
  version: 1,
  takes: ['TenantCreated'],
  keys: (event) => [event.metadata.tenantId],
  evolve(document, event, key) {
    return isKnown(event) && event.type === 'TenantCreated' ? { _id: key, tenantId: key, ...event.data } : document;
  },
  indexes: [{ fields: ['createdAt'] }],
};
