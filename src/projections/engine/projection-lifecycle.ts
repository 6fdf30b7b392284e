import type { Collection } from '../../readstore/read-store.ts';
import { type Backoff, backoffMs } from '../../shared/backoff.ts';
import { sleep } from '../../shared/retry.ts';
import type { Following } from './following.ts';
import { type LiveVersion, liveVersionOrFirst } from './live-versions.ts';
import type { ProjectionLeases } from './projection-leases.ts';
import type { ProjectionWorker } from './projection-worker.ts';
import { type ChangeSignal, firstOf, persistently } from './waiting.ts';

/**
 * Where a projection stands in this instance.
 *
 *               lease acquired                 checkpoint claimed
 *    standby ───────────────────▶ preparing ───────────────────────▶ following
 *     ▲ ▲ ▲                         │   ▲ │                           │  │  │
 *     │ │ └──── a newer fence is ───┘   │ │ a failure                 │  │  │
 *     │ │       on the checkpoint       │ │ that does not pass        │  │  │
 *     │ │                       resumed │ ▼                           │  │  │
 *     │ └──────── lease lost, ─────── halted ◀─── poison event, ──────┘  │  │
 *     │        or given up after a pause          or such a failure      │  │
 *     ├────────────────────── lease lost ◀───────────────────────────────┘  │
 *     └────────────────────── fenced, after a pause ◀───────────────────────┘
 *
 * `standby`: another instance may hold the lease. `preparing`: the stored checkpoint is read and gets this owner's
 * fence. `following`: events are folded and written, first beside the live version where this one is newer. `halted`:
 * nothing is folded. At a poison event the lease is kept until an operator parks the event or resumes the projection;
 * after any other failure the lease is given up once a pause is over, and whichever instance acquires it tries again.
 */
export type LifecycleState = 'standby' | 'preparing' | 'following' | 'halted';

export type ProjectionLifecycle = {
  /** The state after preparing: `following`, or the one in which it waits. */
  readonly prepare: (worker: ProjectionWorker) => Promise<LifecycleState>;
  /** Runs through the states until the signal aborts. */
  readonly run: (worker: ProjectionWorker, initial: LifecycleState) => Promise<void>;
  /** Affects a halted projection only: it prepares again. */
  readonly resume: (worker: ProjectionWorker) => void;
};

export function createLifecycle(options: {
  readonly following: Following;
  readonly leases: ProjectionLeases;
  readonly registry: () => Promise<Collection<LiveVersion>>;
  readonly changes: ChangeSignal;
  readonly backoff: Backoff;
  /** Between a halt without a poison event and the next attempt; it grows while there is no progress. */
  readonly haltBackoff: Backoff;
  /** For which a lease that was given up is left to others. */
  readonly restMs: number;
  readonly signal: AbortSignal;
}): ProjectionLifecycle {
  const { following, leases, registry, changes, backoff, haltBackoff, restMs, signal } = options;
  const askedToResume = new Set<ProjectionWorker>();

  function halt(worker: ProjectionWorker, error: unknown): LifecycleState {
    if (!signal.aborted) worker.halt(error instanceof Error ? error.message : String(error));
    return 'halted';
  }

  async function prepare(worker: ProjectionWorker): Promise<LifecycleState> {
    const patiently = { backoff, signal, onFault: worker.noteFault };
    try {
      const versions = await persistently(registry, patiently);
      const live = await persistently(() => liveVersionOrFirst(versions, worker.projection), patiently);
      worker.live = live >= worker.projection.version;
      const fence = await persistently(worker.prepare, patiently);
      if (worker.lease === undefined) return 'standby';
      if (fence <= worker.lease.fence) return 'following';
      await leases.release([worker]);
      return 'standby';
    } catch (error) {
      return halt(worker, error);
    }
  }

  async function follow(worker: ProjectionWorker): Promise<LifecycleState | 'fenced'> {
    try {
      const left = await following.follow(worker);
      if (left === 'halted') return 'halted';
      worker.live = false;
      return left === 'fenced' ? 'fenced' : 'standby';
    } catch (error) {
      return halt(worker, error);
    }
  }

  /** Resolves after the time, or at once when the worker is resumed or loses its lease. */
  async function pause(worker: ProjectionWorker, ms: number): Promise<void> {
    const endsAt = performance.now() + ms;
    for (let leftMs = ms; leftMs > 0 && !signal.aborted; leftMs = endsAt - performance.now()) {
      if (askedToResume.has(worker) || worker.lease === undefined) return;
      await firstOf(changes.next(), leftMs);
    }
  }

  async function giveUpLease(worker: ProjectionWorker): Promise<void> {
    worker.isResting = true;
    await leases.release([worker]).catch(worker.noteFault);
    await sleep(restMs, signal);
    worker.isResting = false;
  }

  async function run(worker: ProjectionWorker, initial: LifecycleState): Promise<void> {
    let state: LifecycleState | 'fenced' = initial;
    let halts = 0;
    let haltedAt: string | undefined;
    for (let fences = 0; !signal.aborted; ) {
      switch (state) {
        case 'standby':
          if (worker.lease === undefined) await changes.next();
          else state = 'preparing';
          break;
        case 'preparing':
          askedToResume.delete(worker);
          state = await prepare(worker);
          break;
        case 'following':
          state = await follow(worker);
          break;
        case 'halted':
          if (worker.lease === undefined) state = 'standby';
          else if (askedToResume.delete(worker)) state = 'preparing';
          else if (worker.halted()?.poison !== undefined) await changes.next();
          else {
            halts = worker.applied() === haltedAt ? halts + 1 : 1;
            haltedAt = worker.applied();
            await pause(worker, backoffMs(halts, haltBackoff));
            if (worker.lease === undefined || askedToResume.has(worker)) break;
            await giveUpLease(worker);
            state = 'standby';
          }
          break;
        case 'fenced':
          // Another owner moved the checkpoint: continue from there if the lease can still be acquired.
          worker.lease = undefined;
          fences += 1;
          await sleep(backoffMs(fences, backoff), signal);
          state = 'standby';
      }
    }
  }

  return { prepare, run, resume: (worker) => void askedToResume.add(worker) };
}
