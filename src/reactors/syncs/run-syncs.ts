import pLimit from 'p-limit';
import { syncRuns } from '../../projections/sync-runs.ts';
import { withLease } from '../lease.ts';
import type { World } from '../world.ts';
import { executeSync } from './execute-sync.ts';

const LOOK_AT = 50;
const AT_ONCE = 4;

/** One turn: every open sync that nobody else is doing, a few at once. A sync whose worker died is taken up where it stood. */
export async function runSyncs(world: World, signal: AbortSignal): Promise<boolean> {
  const open = await world.shelves.shelf(syncRuns).find({
    filter: [{ field: 'open', op: 'eq', value: true }],
    sort: [{ field: 'requestedAt', direction: 'asc' }],
    limit: LOOK_AT,
  });
  const atOnce = pLimit(AT_ONCE);
  const done = await Promise.all(
    open.map((run) =>
      atOnce(() =>
        withLease(
          {
            leases: world.readStore.leases,
            clock: world.clock,
            name: `sync/${run._id}`,
            owner: world.owner,
            ttlMs: world.timing.leaseMs,
            signal,
          },
          (held) => executeSync(world, run, held),
        ),
      ),
    ),
  );
  return done.includes(true) && open.length === LOOK_AT;
}
