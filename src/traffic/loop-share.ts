import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/**
 * Prevents the expensive work of a tenant from filling the event loop. Each piece begins in an iteration of its own,
 * after whatever has arrived meanwhile; tenants take turns, however many pieces of one wait. While other tenants send
 * requests or have work, a tenant rests for as long as its last piece took, so it gets at most half of the time; unless
 * another tenant had more of the last seconds, since a piece also lasts for what others do while it waits.
 */
export type LoopShare = {
  /** Notes a request of the tenant. */
  readonly seen: (tenantId: string) => void;
  readonly piece: <T>(tenantId: string, work: () => Promise<T>) => Promise<T>;
};

/** Limits the rest, since a piece that waits for a store takes longer than it occupies the event loop. */
const LONGEST_REST_MS = 250;
const OTHERS_STAY_MS = 1_000;
/** What a tenant had counts half after each of these. */
const HALF_FORGOTTEN_MS = 1_000;
const FORGOTTEN_MS = 0.1;

export type LoopShareTimes = {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly nextTurn: () => Promise<unknown>;
};

const SYSTEM_TIMES: LoopShareTimes = { now: () => performance.now(), pause, nextTurn };

export function createLoopShare(times: LoopShareTimes = SYSTEM_TIMES): LoopShare {
  /** The tenant of the last request, and the last one of another tenant before it. */
  let latest = { tenantId: '', atMs: -Infinity };
  let other = latest;
  const restUntilMs = new Map<string, number>();
  /** By tenant, what its pieces took of the last seconds. */
  const had = new Map<string, { readonly ms: number; readonly atMs: number }>();
  /** Pieces that wait for an iteration, by tenant in the order in which they are served. */
  const waiting = new Map<string, (() => void)[]>();
  let isServing = false;

  function seen(tenantId: string): void {
    if (latest.tenantId !== tenantId) other = latest;
    latest = { tenantId, atMs: times.now() };
  }

  function othersAsk(tenantId: string): boolean {
    const { atMs } = latest.tenantId === tenantId ? other : latest;
    return times.now() - atMs < OTHERS_STAY_MS;
  }

  function hadLately(tenantId: string): number {
    const { ms, atMs } = had.get(tenantId) ?? { ms: 0, atMs: 0 };
    return ms * 0.5 ** ((times.now() - atMs) / HALF_FORGOTTEN_MS);
  }

  function add(tenantId: string, ms: number): void {
    had.set(tenantId, { ms: hadLately(tenantId) + ms, atMs: times.now() });
    for (const other of had.keys()) if (hadLately(other) < FORGOTTEN_MS) had.delete(other);
  }

  function anotherHadMore(tenantId: string): boolean {
    const own = hadLately(tenantId);
    return had.keys().some((other) => other !== tenantId && hadLately(other) > own);
  }

  /** One piece per iteration: pieces that wait for the same iteration would run directly after each other. */
  async function serve(): Promise<void> {
    isServing = true;
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      await times.nextTurn();
      const [tenantId, turns] = next;
      waiting.delete(tenantId);
      turns.shift()?.();
      if (turns.length > 0) waiting.set(tenantId, turns);
    }
    isServing = false;
  }

  function ownTurn(tenantId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turns = waiting.get(tenantId) ?? [];
    turns.push(resolve);
    waiting.set(tenantId, turns);
    if (!isServing) void serve();
    return promise;
  }

  return {
    seen,
    async piece(tenantId, work) {
      for (let restMs = Infinity; restMs > 0; ) {
        await ownTurn(tenantId);
        restMs = (restUntilMs.get(tenantId) ?? 0) - times.now();
        if (restMs > 0) await times.pause(restMs);
      }
      restUntilMs.delete(tenantId);
      seen(tenantId);
      const beganMs = times.now();
      try {
        return await work();
      } finally {
        seen(tenantId);
        const endedMs = times.now();
        const tookMs = Math.min(endedMs - beganMs, LONGEST_REST_MS);
        add(tenantId, tookMs);
        if (othersAsk(tenantId) && !anotherHadMore(tenantId)) {
          restUntilMs.set(tenantId, Math.max(endedMs, restUntilMs.get(tenantId) ?? 0) + tookMs);
        }
      }
    },
  };
}
