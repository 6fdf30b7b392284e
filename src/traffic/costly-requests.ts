import { createCounter } from '../shared/counter.ts';
import { createFairQueue } from '../shared/fair-queue.ts';
import { createLoopShare, type LoopShare } from './loop-share.ts';

/** The tenant has as much in progress as it may; the same request may be made again. */
export class TenantBusy extends Error {
  constructor() {
    super('the tenant has too many costly requests in progress');
    this.name = 'TenantBusy';
  }
}

/** Requests that cost much more than most, in each instance for itself. */
export type CostlyRequests = {
  /**
   * Carries the request out in its tenant's turn. @throws TenantBusy when too many of the tenant's are in progress, or
   * the signal's reason when it aborts before the turn
   */
  readonly admit: <T>(tenantId: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Does a part of what was admitted or runs in the background, in a turn of the event loop of its own. */
  readonly pace: <T>(tenantId: string, work: () => Promise<T>) => Promise<T>;
  /** Does a part of a request that was admitted before, in its tenant's turn. @throws the signal's reason */
  readonly inTurn: <T>(tenantId: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** The tenant asked for something: nobody is alone for a while. */
  readonly seen: (tenantId: string) => void;
  /** Counts an export until what is returned is called, once or more. @throws TenantBusy */
  readonly beginExport: (tenantId: string) => () => void;
};

/** Of these a tenant has half at the most. */
const AT_ONCE = 4;

/** @param options both of one tenant: costly requests, waiting ones included; exports, unread ones included */
export function createCostlyRequests(options: {
  readonly requests: number;
  readonly exports: number;
  readonly share?: LoopShare;
}): CostlyRequests {
  const queue = createFairQueue({ places: AT_ONCE, alone: 'half' });
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
