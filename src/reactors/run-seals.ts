import { type Sealing, sealTenant } from '../audit/seal-tenant.ts';
import { pageOfTenants } from '../queries/tenants.ts';
import { leaseNames } from '../readstore/lease-names.ts';
import { withLease } from './lease.ts';
import { type ReactorServices, workerContext } from './reactor-services.ts';

const TENANTS_A_PAGE = 500;

/** Seals each tenant's due events. True when something was sealed: there may be more. */
export async function runSeals(services: ReactorServices, sealing: Sealing, signal: AbortSignal): Promise<boolean> {
  let sealed = false;
  let after: readonly (string | number)[] | null | undefined;
  while (after !== null) {
    const page = await pageOfTenants(services.readModels, { limit: TENANTS_A_PAGE, after });
    for (const { tenantId } of page.items) {
      if (signal.aborted) return false;
      const context = workerContext(services, 'seals', { tenantId, companyId: null, correlationId: services.newId() });
      const seal = async (): Promise<boolean> => (await sealTenant(sealing, context)) !== null;
      const done = await withLease(services, leaseNames.seal(tenantId), signal, seal);
      sealed ||= done;
    }
    after = page.after;
  }
  return sealed;
}
