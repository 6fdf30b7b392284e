import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/**
 * Keeps the costly work of a tenant from filling the event loop. A piece begins in a turn of the loop of its own, after
 * whatever arrived meanwhile, and while other tenants ask for something a tenant rests for as long as its last piece
 * took: it has half of the time at the most.
 */
export type LoopShare = {
  /** Something was asked for by the tenant. */
  readonly seen: (tenantId: string) => void;
  readonly piece: <T>(tenantId: string, work: () => Promise<T>) => Promise<T>;
};

/** A piece that waited for a store took longer than it kept the loop. */
const LONGEST_REST_MS = 50;
const OTHERS_STAY_MS = 1_000;

export type LoopShareTimes = {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly nextTurn: () => Promise<unknown>;
};

const SYSTEM_TIMES: LoopShareTimes = { now: () => performance.now(), pause, nextTurn };

export function createLoopShare(times: LoopShareTimes = SYSTEM_TIMES): LoopShare {
  /** The tenant that asked last, and the one before that was another. */
  let latest = { tenantId: '', atMs: -Infinity };
  let other = latest;
  const restUntilMs = new Map<string, number>();
  let lastTurn: Promise<unknown> = Promise.resolve();

  function othersAsk(tenantId: string): boolean {
    const { atMs } = latest.tenantId === tenantId ? other : latest;
    return times.now() - atMs < OTHERS_STAY_MS;
  }

  /** One piece a turn: those that wait for the same turn would run one after the other within it. */
  function ownTurn(): Promise<unknown> {
    lastTurn = lastTurn.then(times.nextTurn);
    return lastTurn;
  }

  return {
    seen(tenantId) {
      if (latest.tenantId !== tenantId) other = latest;
      latest = { tenantId, atMs: times.now() };
    },
    async piece(tenantId, work) {
      for (let restMs = Infinity; restMs > 0; ) {
        await ownTurn();
        restMs = (restUntilMs.get(tenantId) ?? 0) - times.now();
        if (restMs > 0) await times.pause(restMs);
      }
      restUntilMs.delete(tenantId);
      const beganMs = times.now();
      try {
        return await work();
      } finally {
        if (othersAsk(tenantId)) {
          const endedMs = times.now();
          const from = Math.max(endedMs, restUntilMs.get(tenantId) ?? 0);
          restUntilMs.set(tenantId, from + Math.min(endedMs - beganMs, LONGEST_REST_MS));
        }
      }
    },
  };
}
