import { syncRuns } from '../../projections/sync-runs.ts';
import { leaseNames } from '../../readstore/lease-names.ts';
import { withLease } from '../lease.ts';
import type { ReactorServices } from '../reactor-services.ts';
import type { WorkPool } from '../work-pool.ts';
import { executeSync, type WaitFor } from './execute-sync.ts';

const LOOK_AT = 200;

/** Starts every open sync that no worker holds. A sync whose worker died continues at its last recorded page. */
export async function runSyncs(services: ReactorServices, waitFor: WaitFor, pool: WorkPool): Promise<boolean> {
  const open = await services.readModels.of(syncRuns).find({
    filter: [{ field: 'open', op: 'eq', value: true }],
    sort: [{ field: 'requestedAt', direction: 'asc' }],
    limit: LOOK_AT,
  });
  for (const run of open) {
    pool.offer(run._id, (signal) =>
      withLease(services, leaseNames.sync(run._id), signal, (held) => executeSync(services, waitFor, run, held)),
    );
  }
  return false;
}
