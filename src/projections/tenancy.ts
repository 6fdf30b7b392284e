import { isKnown } from '../events/registry.ts';
import type { Scope } from '../events/tenancy.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

export type CompanyDocument = Document & {
  readonly tenantId: string;
  readonly id: string;
  readonly name: string;
  readonly automation: boolean;
  readonly createdAt: string;
};

export const companies: Projection<CompanyDocument> = {
  name: 'companies',
  version: 1,
  takes: ['CompanyCreated'],
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    if (!isKnown(event) || event.type !== 'CompanyCreated') return document;
    const { companyId: id, name, automation, createdAt } = event.data;
    return { _id: key, tenantId: event.metadata.tenantId, id, name, automation, createdAt };
  },
  indexes: [{ fields: ['tenantId', 'createdAt'] }],
};

/** Found by the public half, before any tenant is known: it is what tells the tenant. */
export type ApiKeyDocument = Document & {
  readonly tenantId: string;
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly companies: readonly string[] | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
};

export const apiKeys: Projection<ApiKeyDocument> = {
  name: 'api-keys',
  version: 1,
  takes: ['ApiKeyCreated'],
  keys: (event) => [(event.data as { key: string }).key],
  evolve(document, event, key) {
    if (!isKnown(event) || event.type !== 'ApiKeyCreated') return document;
    const { apiKeyId: id, ...apiKey } = event.data;
    return { _id: key, tenantId: event.metadata.tenantId, id, ...apiKey };
  },
  indexes: [{ fields: ['tenantId', 'createdAt'] }],
};
