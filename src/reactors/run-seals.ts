import { type Sealing, sealTenant } from '../audit/seal-tenant.ts';
import { pageOfTenants } from '../queries/tenants.ts';
import { leaseNames } from '../readstore/lease-names.ts';
import { createFairQueue } from '../shared/fair-queue.ts';
import { withLease } from './lease.ts';
import { atOnce, type ReactorServices, workerContext } from './reactor-services.ts';

const TENANTS_A_PAGE = 500;

/** One place a tenant, so that a long history does not keep the others from being sealed. */
const TENANTS_AT_ONCE = 2;

/**
 * Seals each tenant's due events, in pieces that take turns with the work of other tenants. True when something was
 * sealed: there may be more.
 */
export async function runSeals(services: ReactorServices, sealing: Sealing, signal: AbortSignal): Promise<boolean> {
  const queue = createFairQueue({ places: TENANTS_AT_ONCE, alone: 'half' });
  const { pace: paceOf = atOnce } = services;
  let sealed = false;
  let after: readonly (string | number)[] | null | undefined;
  while (after !== null) {
    const page = await pageOfTenants(services.readModels, { limit: TENANTS_A_PAGE, ...(after && { after }) });
    const sealOne = async (tenantId: string): Promise<boolean> => {
      const context = workerContext(services, 'seals', { tenantId, companyId: null, correlationId: services.newId() });
      const paced: Sealing = { ...sealing, pace: (read) => paceOf(tenantId, read) };
      const seal = async (): Promise<boolean> => (await sealTenant(paced, context)) !== null;
      return withLease(services, leaseNames.seal(tenantId), signal, seal);
    };
    const outcomes = await Promise.allSettled(
      page.items.map(({ tenantId }) => queue.run(tenantId, () => sealOne(tenantId), signal)),
    );
    if (signal.aborted) return false;
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') sealed ||= outcome.value;
      // A failure of one tenant does not stop the others; the next run tries again.
      else services.logger.warn({ err: outcome.reason }, 'the history of a tenant was not sealed');
    }
    after = page.after;
  }
  return sealed;
}
