import type { Condition, Filter } from '../readstore/read-store.ts';
import type { ReadModels } from './read-models.ts';
import { pageOfTenants } from './tenants.ts';

const LOOK_AT = 200;
const TENANTS_A_LOOK = 200;
const PER_TENANT = 20;

/** Finds work that is due, the longest waiting first, at most `limit`; of one tenant, where the filter names it. */
type FindDue<Work> = (due: { readonly filter: Filter; readonly limit: number }) => Promise<readonly Work[]>;

export type WorkByTenant<Work> = { readonly look: () => Promise<readonly Work[]> };

/**
 * What is due, so that no tenant hides behind what another has waiting: all of it while it is little, else some of each
 * tenant, as many tenants at a look as are cheap to ask, the next ones at the next.
 */
export function openWorkByTenant<Work>(
  readModels: ReadModels,
  find: FindDue<Work>,
  { lookAt = LOOK_AT, perTenant = PER_TENANT }: { readonly lookAt?: number; readonly perTenant?: number } = {},
): WorkByTenant<Work> {
  let after: readonly (string | number)[] | undefined;
  return {
    async look() {
      const all = await find({ filter: [], limit: lookAt });
      if (all.length < lookAt) return all;
      const page = await pageOfTenants(readModels, { limit: TENANTS_A_LOOK, after });
      after = page.after ?? undefined;
      const due: Work[] = [];
      for (const { tenantId } of page.items) {
        const own: Condition = { field: 'tenantId', op: 'eq', value: tenantId };
        due.push(...(await find({ filter: [own], limit: perTenant })));
      }
      // A tenant that the list of tenants does not show yet is not to wait for it.
      return due.length > 0 ? due : all;
    },
  };
}
