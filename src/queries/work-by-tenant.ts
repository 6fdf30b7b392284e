import type { Document, Filter } from '../readstore/read-store.ts';
import type { ReadModels } from './read-models.ts';
import { pageOfTenants } from './tenants.ts';

const LOOK_AT = 200;
const PER_TENANT = 20;
const TENANTS_A_LOOK = 200;

/** Finds due work, the longest waiting first, at most `limit`; of one tenant, where the filter names it. */
type FindDue<Work> = (due: { readonly filter: Filter; readonly limit: number }) => Promise<readonly Work[]>;

export type WorkByTenant<Work> = { readonly look: () => Promise<readonly Work[]> };

/**
 * Due work, so that no tenant's work is hidden by that of another: all of it while there is little. Else some of each
 * tenant, tenant by tenant, until there is enough; the next call continues with the next tenant. Remaining places are
 * filled with the longest waiting work.
 */
export function openWorkByTenant<Work extends Document>(
  readModels: ReadModels,
  find: FindDue<Work>,
  { lookAt = LOOK_AT, perTenant = PER_TENANT }: { readonly lookAt?: number; readonly perTenant?: number } = {},
): WorkByTenant<Work> {
  let after: readonly (string | number)[] | undefined;
  return {
    async look() {
      const all = await find({ filter: [], limit: lookAt });
      if (all.length < lookAt) return all;
      const due = new Map<string, Work>();
      const tenants = await pageOfTenants(readModels, { limit: TENANTS_A_LOOK, ...(after && { after }) });
      after = tenants.after ?? undefined;
      for (const { tenantId, createdAt, _id } of tenants.items) {
        const own = await find({ filter: [{ field: 'tenantId', op: 'eq', value: tenantId }], limit: perTenant });
        for (const work of own) due.set(work._id, work);
        if (due.size < lookAt) continue;
        after = [createdAt, _id];
        break;
      }
      for (const work of all) if (due.size < lookAt) due.set(work._id, work);
      return [...due.values()];
    },
  };
}
