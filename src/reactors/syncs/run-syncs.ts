import { type SyncRunDocument, syncRuns } from '../../projections/sync-runs.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import { openWorkByTenant, type WorkByTenant } from '../../queries/work-by-tenant.ts';
import { leaseNames } from '../../readstore/lease-names.ts';
import { withLease } from '../lease.ts';
import type { ReactorServices } from '../reactor-services.ts';
import type { WorkPool } from '../work-pool.ts';
import { executeSync, type WaitFor } from './execute-sync.ts';
import type { RulesHere } from './open-arrivals.ts';

export function openSyncs(readModels: ReadModels): WorkByTenant<SyncRunDocument> {
  return openWorkByTenant(readModels, ({ filter, limit }) =>
    readModels.of(syncRuns).find({
      filter: [...filter, { field: 'open', op: 'eq', value: true }],
      sort: [{ field: 'requestedAt', direction: 'asc' }],
      limit,
    }),
  );
}

/** Starts every open sync that no worker holds. A sync whose worker died continues at its last recorded page. */
export async function runSyncs(
  services: ReactorServices,
  waitFor: WaitFor,
  rulesHere: RulesHere,
  open: WorkByTenant<SyncRunDocument>,
  pool: WorkPool,
): Promise<boolean> {
  for (const run of await open.look()) {
    const { tenantId, _id: key } = run;
    pool.offer({
      tenantId,
      key,
      work: (signal, place) =>
        withLease(services, leaseNames.sync(key), signal, (held) =>
          executeSync(services, waitFor, rulesHere, run, held, place),
        ),
    });
  }
  return false;
}
