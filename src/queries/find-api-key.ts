import { apiKeys } from '../projections/api-keys.ts';
import type { ReadModels } from './read-models.ts';

/** The tenant and id of a key; they never change. */
export type ApiKeyOwner = { readonly tenantId: string; readonly id: string };

/** Besides the list of tenants the only query without a tenant, since it determines the tenant. */
export async function findApiKey(readModels: ReadModels, key: string): Promise<ApiKeyOwner | null> {
  const [found] = await readModels
    .of(apiKeys)
    .find({ filter: [{ field: 'key', op: 'eq', value: key }], sort: [], limit: 1 });
  return found === undefined ? null : { tenantId: found.tenantId, id: found.id };
}
