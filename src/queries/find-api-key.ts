import { apiKeys } from '../projections/api-keys.ts';
import type { ReadModels } from './read-models.ts';

/** Of which tenant a key is, and which one; this never changes. */
export type ApiKeyOwner = { readonly tenantId: string; readonly id: string };

/** The one question asked without a tenant beside the list of tenants: it is what tells the tenant. */
export async function findApiKey(readModels: ReadModels, key: string): Promise<ApiKeyOwner | null> {
  const [found] = await readModels
    .of(apiKeys)
    .find({ filter: [{ field: 'key', op: 'eq', value: key }], sort: [], limit: 1 });
  return found === undefined ? null : { tenantId: found.tenantId, id: found.id };
}
