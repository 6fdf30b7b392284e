import { type CommandContext, ConcurrencyError } from '../commands/command.ts';
import type { Leases } from '../readstore/read-store.ts';

const LEASE_MS = 30_000;
/** The longest time of an append; a lease with less time left proves nothing. */
const APPEND_MS = 15_000;
const ASK_AGAIN_MS = 25;
const ASK_TIMES = 80;

/**
 * Runs exclusively under the named lease, for decisions that one stream's revision cannot protect. `work` can ask
 * whether the lease lasts long enough for an append. @throws ConcurrencyError when the lease is not available within
 * two seconds
 */
export async function withExclusiveLease<T>(
  leases: Leases,
  { clock, newId }: Pick<CommandContext, 'clock' | 'newId'>,
  name: string,
  work: (inTime: () => boolean) => Promise<T>,
): Promise<T> {
  const owner = newId();
  for (let asked = 0; asked < ASK_TIMES; asked += 1) {
    const nowMs = clock.now();
    const [lease] = await leases.acquireMany([name], owner, LEASE_MS, nowMs);
    if (lease !== undefined) {
      try {
        return await work(() => clock.now() < nowMs + LEASE_MS - APPEND_MS);
      } finally {
        await leases.releaseMany([name], owner);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
  throw new ConcurrencyError(name);
}
