import type { ReadStore } from '../../readstore/read-store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ProjectionWorker } from './projection-worker.ts';

export type ProjectionLeases = {
  /**
   * Renews leases that are due and acquires free ones; `onLost` is called for each that went to another owner. @throws
   * ReadStoreUnavailable
   */
  readonly refresh: () => Promise<void>;
  /** Releases one, so that the next owner (possibly this one) has a higher fence. */
  readonly release: (workers: readonly ProjectionWorker[]) => Promise<void>;
};

export function createProjectionLeases(options: {
  readonly readStore: ReadStore;
  readonly workers: readonly ProjectionWorker[];
  readonly owner: string;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly onLost: (worker: ProjectionWorker) => void;
}): ProjectionLeases {
  const { workers, owner, ttlMs, clock, onLost } = options;
  const { leases } = options.readStore;

  function lose(worker: ProjectionWorker): void {
    worker.lease = undefined;
    onLost(worker);
  }

  return {
    async refresh() {
      const now = clock.now();
      // Renewed with two thirds of the time left, so that two attempts may fail before it expires.
      const due = workers.filter(
        ({ lease }) => lease !== undefined && Date.parse(lease.until) - now <= (ttlMs * 2) / 3,
      );
      const without = workers.filter((worker) => worker.lease === undefined && !worker.isResting);
      const present = without.length === 0 ? new Map() : await leases.getMany(without.map((each) => each.leaseName));
      const free = without.filter((worker) => {
        const lease = present.get(worker.leaseName);
        return lease === undefined || lease.owner === owner || Date.parse(lease.until) <= now;
      });
      const wanted = [...due, ...free];
      if (wanted.length === 0) return;
      const names = wanted.map((worker) => worker.leaseName);
      const acquired = await leases.acquireMany(names, owner, ttlMs, now).catch((error: unknown) => {
        for (const worker of due) if (Date.parse(worker.lease?.until ?? '') <= now) lose(worker);
        throw error;
      });
      for (const worker of wanted) {
        const before = worker.lease;
        const lease = acquired.find((each) => each.name === worker.leaseName);
        // Another owner may have held it in between: then the documents here are folded from an old checkpoint.
        if (before !== undefined && before.fence !== lease?.fence) lose(worker);
        else worker.lease = lease;
      }
    },
    async release(released) {
      const names = released.filter((worker) => worker.lease !== undefined).map((worker) => worker.leaseName);
      for (const worker of released) worker.lease = undefined;
      if (names.length > 0) await leases.releaseMany(names, owner);
    },
  };
}
