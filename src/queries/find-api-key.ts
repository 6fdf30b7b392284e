import { apiKeys } from '../projections/api-keys.ts';
import type { Shelves } from './shelves.ts';

/** Of which tenant a key is, and which one; this never changes. */
export type ApiKeyOwner = { readonly tenantId: string; readonly id: string };

/** The one question asked without a tenant beside the list of tenants: it is what tells the tenant. */
export async function findApiKey(shelves: Shelves, key: string): Promise<ApiKeyOwner | null> {
  const [found] = await shelves
    .shelf(apiKeys)
    .find({ filter: [{ field: 'key', op: 'eq', value: key }], sort: [], limit: 1 });
  return found === undefined ? null : { tenantId: found.tenantId, id: found.id };
}
