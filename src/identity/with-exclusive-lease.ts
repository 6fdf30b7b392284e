import { type CommandContext, ConcurrencyError } from '../commands/command.ts';
import type { Leases } from '../readstore/read-store.ts';

const LEASE_MS = 30_000;
/** What an append may take at the most; a lease with less time left proves nothing. */
const APPEND_MS = 15_000;
const ASK_AGAIN_MS = 25;
const ASK_TIMES = 80;

/**
 * Works alone under the lease of that name, for what one stream's revision cannot settle. `work` is told whether the
 * lease still has time enough for an append.
 * @throws ConcurrencyError when the lease is not to be had for two seconds
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
