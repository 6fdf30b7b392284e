import { createCounter } from '../shared/counter.ts';
import { createFairQueue } from '../shared/fair-queue.ts';
import { createLoopShare, type LoopShare } from './loop-share.ts';

/** The tenant has as much in progress as it may have; the same request can be repeated later. */
export class TenantBusy extends Error {
  constructor() {
    super('the tenant has too many costly requests in progress');
    this.name = 'TenantBusy';
  }
}

/** Requests that are much more expensive than most, counted in each instance separately. */
export type CostlyRequests = {
  /**
   * Executes the request when it is its tenant's turn. @throws TenantBusy when the tenant has too many in progress, or
   * the signal's reason when it aborts before the turn
   */
  readonly admit: <T>(tenantId: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Does a part of a request that was admitted, or of background work, in an event loop iteration of its own. */
  readonly pace: <T>(tenantId: string, work: () => Promise<T>) => Promise<T>;
  /** Does a part of a request that was admitted before when it is its tenant's turn. @throws the signal's reason */
  readonly inTurn: <T>(tenantId: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /**
   * The same for a part that another thread makes: it does not delay other requests, so its tenant does not rest after
   * it.
   */
  readonly aside: <T>(tenantId: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Notes a request of the tenant: for a while, others no longer count as alone. */
  readonly seen: (tenantId: string) => void;
  /** Counts an export until the returned function is called; further calls have no effect. @throws TenantBusy */
  readonly beginExport: (tenantId: string) => () => void;
};

/** How many run at a time. A tenant has at most half of them, even when no other one waits. */
const AT_ONCE = 4;

/**
 * @param options limits for one tenant: `requests` in progress, including those that wait; `exports` in progress,
 * including those that are not read
 */
export function createCostlyRequests(options: {
  readonly requests: number;
  readonly exports: number;
  readonly share?: LoopShare;
}): CostlyRequests {
  const queue = createFairQueue({ places: AT_ONCE, alone: 'half' });
  const besides = createFairQueue({ places: AT_ONCE, alone: 'half' });
  const { share = createLoopShare() } = options;
  const underWay = countedByTenant(options.requests);
  const exported = countedByTenant(options.exports);
  return {
    async admit(tenantId, work, signal) {
      const end = underWay(tenantId);
      try {
        return await queue.run(tenantId, () => share.piece(tenantId, work), signal);
      } finally {
        end();
      }
    },
    inTurn: (tenantId, work, signal) => queue.run(tenantId, () => share.piece(tenantId, work), signal),
    aside: (tenantId, work, signal) => besides.run(tenantId, work, signal),
    pace: share.piece,
    seen: share.seen,
    beginExport: exported,
  };
}

/** @throws TenantBusy */
function countedByTenant(most: number): (tenantId: string) => () => void {
  const counter = createCounter<string>(most);
  return (tenantId) => {
    const end = counter.begin(tenantId);
    if (end === null) throw new TenantBusy();
    return end;
  };
}
