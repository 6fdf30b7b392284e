import { type Sealing, sealTenant } from '../audit/seal-tenant.ts';
import { tenants } from '../projections/tenants.ts';
import { withLease } from './lease.ts';
import { type World, workerContext } from './world.ts';

/** Seals each tenant's events that are due. True when something was sealed: there may be more of it. */
export async function runSeals(world: World, sealing: Sealing, signal: AbortSignal): Promise<boolean> {
  let sealed = false;
  const sort = [{ field: 'createdAt', direction: 'asc' }] as const;
  for await (const { tenantId } of world.shelves.shelf(tenants).iterate({ filter: [], sort })) {
    if (signal.aborted) return false;
    const context = workerContext(world, 'seals', { tenantId, companyId: null, correlationId: world.newId() });
    const done = await withLease(
      world,
      `seal/${tenantId}`,
      signal,
      async () => (await sealTenant(sealing, context)) !== null,
    );
    sealed ||= done;
  }
  return sealed;
}
