import type { Clock } from '../shared/clock.ts';

/** What is limited for a tenant. */
export const LIMITED = ['openRuns', 'openReplays', 'apiKeys', 'users', 'connections', 'ruleBytes', 'webhooks'] as const;
export type Limited = (typeof LIMITED)[number];

/** The tenant has reached the limit. */
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
  /** How much there is, exact up to the limit; includes everything that this instance has added and answered. */
  readonly count: (tenantId: string, limit: number) => Promise<number>;
};

export type TenantLimits = {
  /** Executes work that adds `amount`. @throws TenantLimitReached when the tenant would exceed the limit */
  readonly add: <T>(tenantId: string, what: Limited, amount: number, work: () => Promise<T>) => Promise<T>;
};

type Known = { counted: number; countedMs: number; added: number; underWay: number; counting: Promise<void> | null };

/** How long a count is used: other instances add as well, and things end. */
const COUNT_HOLDS_MS = 10_000;
const TENANTS_KEPT = 10_000;

/**
 * Limits of a tenant. Counting is rare: between two counts an instance adds what it admitted to the last count, and it
 * refuses only after a fresh count. Instances that add at the same moment may together exceed a limit by that much.
 */
export function createTenantLimits(counts: Readonly<Record<Limited, Count>>, clock: Clock): TenantLimits {
  const known = new Map<string, Known>();

  function knownOf(key: string): Known {
    const found = known.get(key) ?? { counted: 0, countedMs: -Infinity, added: 0, underWay: 0, counting: null };
    // A used entry moves to the end of the map, so that the least recently used one is dropped.
    known.delete(key);
    known.set(key, found);
    const [first] = known.keys();
    if (known.size > TENANTS_KEPT && first !== undefined && known.get(first)?.underWay === 0) known.delete(first);
    return found;
  }

  async function recount(of: Known, tenantId: string, { limit, count }: Count): Promise<void> {
    // Work in progress may be in the count already; counting it twice is safer than not at all. No other work begins
    // meanwhile.
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
