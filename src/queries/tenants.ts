import { type TenantDocument, tenants } from '../projections/tenants.ts';
import type { ReadModels } from './read-models.ts';
import type { Page } from './reader.ts';

/** How many tenants there are, exact up to `most`. For operators only. */
export function countTenants(readModels: ReadModels, most: number): Promise<number> {
  return readModels.of(tenants).count([], most);
}

/** The tenants, oldest first. Read across tenants, therefore for operators only; no other list is. */
export async function pageOfTenants(
  readModels: ReadModels,
  { limit, after }: { limit: number; after?: readonly (string | number)[] },
): Promise<Page<TenantDocument>> {
  const found = await readModels.of(tenants).find({
    filter: [],
    sort: [{ field: 'createdAt', direction: 'asc' }],
    limit: limit + 1,
    ...(after === undefined ? {} : { after }),
  });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, after: found.length <= limit || last === undefined ? null : [last.createdAt, last._id] };
}
