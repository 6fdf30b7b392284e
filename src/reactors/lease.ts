import type { ReactorServices } from './reactor-services.ts';

/**
 * Runs the work while holding the named lease, renewing it after a third of its duration; the signal aborts when the
 * lease is lost or the outer signal does. @param work returns true when something was done @returns false when nothing
 * was done, or another owner holds the lease
 */
export async function withLease(
  services: ReactorServices,
  name: string,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const { clock, owner } = services;
  const { leases } = services.readStore;
  const ttlMs = services.timing.leaseMs;
  const [lease] = await leases.acquireMany([name], owner, ttlMs, clock.now());
  if (lease === undefined) return false;
  const lost = new AbortController();
  const heartbeat = setInterval(() => {
    leases.acquireMany([name], owner, ttlMs, clock.now()).then(
      ([held]) => {
        if (held === undefined || held.fence !== lease.fence) lost.abort();
      },
      // A failed renewal is no loss yet: the lease is still valid, and the log protects what the work appends.
      () => undefined,
    );
  }, ttlMs / 3);
  try {
    return await work(AbortSignal.any([outer, lost.signal]));
  } finally {
    clearInterval(heartbeat);
    await leases.releaseMany([name], owner).catch(() => undefined);
  }
}
