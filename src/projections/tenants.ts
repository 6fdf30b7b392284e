import type { EventType } from '../events/registry.ts';
import type { Document } from '../readstore/read-store.ts';
import type { Projection } from './projection.ts';

/** For operators: the only list that spans all tenants. */
export type TenantDocument = Document & {
  readonly tenantId: string;
  readonly name: string;
  readonly createdAt: string;
};

const TAKES = ['TenantCreated'] as const satisfies readonly EventType[];

export const tenants: Projection<TenantDocument, (typeof TAKES)[number]> = {
  name: 'tenants',
  version: 1,
  takes: TAKES,
  keys: (event) => [event.metadata.tenantId],
  evolve: (_, event, key) => ({ _id: key, tenantId: key, ...event.data }),
  indexes: [{ fields: ['createdAt'] }],
};
