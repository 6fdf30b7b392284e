import type { Clock } from '../shared/clock.ts';

/** What a tenant may only have so much of. */
export const LIMITED = ['openRuns', 'openReplays', 'apiKeys', 'users', 'connections', 'ruleBytes'] as const;
export type Limited = (typeof LIMITED)[number];

/** The tenant has as much of it as it may. */
export class TenantLimitReached extends Error {
  readonly what: Limited;
  readonly limit: number;
  constructor(what: Limited, limit: number) {
    super(`the tenant has reached its limit of ${what}`);
    this.name = 'TenantLimitReached';
    this.what = what;
    this.limit = limit;
  }
}

export type Count = {
  readonly limit: number;
  /** How much there is, exact up to the limit; with everything this instance has added and that was answered. */
  readonly count: (tenantId: string, limit: number) => Promise<number>;
};

export type TenantLimits = {
  /** Carries out what adds so much. @throws TenantLimitReached when the tenant would have more than it may */
  readonly add: <T>(tenantId: string, what: Limited, amount: number, work: () => Promise<T>) => Promise<T>;
};

type Known = { counted: number; countedMs: number; added: number; underWay: number; counting: Promise<void> | null };

/** After so long it is counted anew: other instances add as well, and things end. */
const COUNT_HOLDS_MS = 10_000;
const TENANTS_KEPT = 10_000;

/**
 * Limits of a tenant. What there is is counted seldom: between two counts an instance adds up what it let through, and
 * refuses only on a fresh count. Instances that add at the same moment may pass a limit by what they add then.
 */
export function createTenantLimits(counts: Readonly<Record<Limited, Count>>, clock: Clock): TenantLimits {
  const known = new Map<string, Known>();

  function knownOf(key: string): Known {
    const found = known.get(key) ?? { counted: 0, countedMs: -Infinity, added: 0, underWay: 0, counting: null };
    // What is used goes to the end of the map, so that what nobody used for longest falls out.
    known.delete(key);
    known.set(key, found);
    const [first] = known.keys();
    if (known.size > TENANTS_KEPT && first !== undefined && known.get(first)?.underWay === 0) known.delete(first);
    return found;
  }

  async function recount(of: Known, tenantId: string, { limit, count }: Count): Promise<void> {
    // What is under way may be in the count already: rather once too often than not at all. Nothing begins meanwhile.
    const { underWay } = of;
    of.counted = await count(tenantId, limit);
    of.countedMs = clock.now();
    of.added = underWay;
  }

  return {
    async add(tenantId, what, amount, work) {
      const counting = counts[what];
      const of = knownOf(`${tenantId}/${what}`);
      const fits = (): boolean => of.counted + of.added + amount <= counting.limit;
      const isFresh = (): boolean => clock.now() - of.countedMs < COUNT_HOLDS_MS;
      if (of.counting !== null || !isFresh() || !fits()) {
        of.counting ??= recount(of, tenantId, counting).finally(() => {
          of.counting = null;
        });
        await of.counting;
        if (!fits()) throw new TenantLimitReached(what, counting.limit);
      }
      of.added += amount;
      of.underWay += amount;
      try {
        return await work();
      } finally {
        of.underWay -= amount;
      }
    },
  };
}
