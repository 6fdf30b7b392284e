import { type TenantDocument, tenants } from '../projections/tenants.ts';
import type { Page } from './reader.ts';
import type { Shelves } from './shelves.ts';

/** The tenants, oldest first. Read without a tenant, so for who runs the service alone; no other list is. */
export async function pageOfTenants(
  shelves: Shelves,
  { limit, after }: { limit: number; after?: readonly (string | number)[] | undefined },
): Promise<Page<TenantDocument>> {
  const found = await shelves.shelf(tenants).find({
    filter: [],
    sort: [{ field: 'createdAt', direction: 'asc' }],
    limit: limit + 1,
    ...(after === undefined ? {} : { after }),
  });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, after: found.length <= limit || last === undefined ? null : [last.createdAt, last._id] };
}
