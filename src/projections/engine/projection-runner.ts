import type { EventLog } from '../../log/log.ts';
import type { Collection, ReadStore } from '../../readstore/read-store.ts';
import { type Clock, isoTime } from '../../shared/clock.ts';
import { createLoopBudget, type LoopBudget } from '../../shared/loop-budget.ts';
import { sleep } from '../../shared/retry.ts';
import { openFills } from './fills.ts';
import { createFollowing } from './following.ts';
import { type LiveVersion, openRegistry } from './live-versions.ts';
import { openLogEnd } from './log-end.ts';
import { openParkings, type Parkings } from './parkings.ts';
import { FOLD_STRETCH_MS } from './projection-fold.ts';
import { createLagGauge } from './projection-lag.ts';
import { createProjectionLeases } from './projection-leases.ts';
import { createLifecycle, type LifecycleState } from './projection-lifecycle.ts';
import { type Logger, type ProjectionStatus, TIMING, type Timing } from './projection-status.ts';
import { createWorker, type ProjectionWorker } from './projection-worker.ts';
import type { RunnableProjection } from './runnable.ts';
import { createSharedFeed } from './shared-feed.ts';
import { createChangeSignal, firstOf, isPassing, lookAgainMs, persistently } from './waiting.ts';

export type Applied = {
  readonly name: string;
  readonly version: number;
  /** The documents include everything up to this position. */
  readonly position: string;
  readonly documentIds: readonly string[];
};

/** How far a projection is. */
export type Standing = {
  readonly name: string;
  readonly version: number;
  /** The documents include everything up to this position. */
  readonly position: string;
  /** Whether this process folds the version, and whether readers get it from here. */
  readonly foldedHere: boolean;
  readonly liveHere: boolean;
  readonly whole: boolean;
};

export type ProjectionRunner = {
  /** Stops all work between two batches and releases the leases. What was not written is folded again next time. */
  readonly stop: () => Promise<void>;
  readonly status: () => ProjectionStatus[];
  /** Whether the live version is run here and is whole. @throws RangeError for a name that is not a projection here */
  readonly isWhole: (name: string) => boolean;
  /**
   * True once the documents of all the named read models contain the position; false if the time is up first. For
   * projections of this process the waiter is woken at once; for those of another instance the stored checkpoint is
   * polled.
   * @throws RangeError for a name that is not a projection here
   */
  readonly waitFor: (names: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;
  /**
   * The position up to which the documents of a version contain every event; undefined unless this process folds that
   * version at present.
   */
  readonly appliedHere: (name: string, version: number) => string | undefined;
  /** How far each of them is, as `isWhole`, `waitFor` and `appliedHere` judge it. */
  readonly standings: () => Standing[];
  /** Calls the listener after every write to a live read model. Returns a function that removes it. */
  readonly onApplied: (listener: (applied: Applied) => void) => () => void;
  /** Calls the listener whenever standings may have changed. */
  readonly onMoved: (listener: () => void) => void;
  /** Lets a halted projection skip the event it halted at, on record. False when it did not halt at an event. */
  readonly park: (name: string) => Promise<boolean>;
  /** Lets a halted projection resume. False when it is not halted. */
  readonly resume: (name: string) => Promise<boolean>;
};

export type ProjectionsOptions = {
  readonly log: EventLog;
  readonly readStore: ReadStore;
  readonly projections: readonly RunnableProjection[];
  readonly clock: Clock;
  /**
   * Names this instance in the leases. With a name that survives a restart it continues at once; several instances need
   * different names.
   */
  readonly owner: string;
  readonly logger?: Logger;
  /** Called for every fault, including transient ones. */
  readonly onError?: (error: unknown, projection: string | null) => void;
  readonly timing?: Partial<Timing>;
  /** In tests: of a clock of their own. */
  readonly budget?: LoopBudget;
};

/** Runs the projections until stopped. It returns at once; failures are retried and shown in `status`. */
export function startProjections(options: ProjectionsOptions): ProjectionRunner {
  const { log, readStore, clock, logger, budget = createLoopBudget(FOLD_STRETCH_MS) } = options;
  const timing: Timing = { ...TIMING, ...options.timing };
  const backoff = { firstMs: timing.backoffFirstMs, mostMs: timing.backoffMostMs };
  const stopping = new AbortController();
  const { signal } = stopping;
  const changes = createChangeSignal();
  const onMoved: (() => void)[] = [];
  const moved = (): void => {
    changes.notify();
    for (const listener of onMoved) listener();
  };
  const listeners = new Set<(applied: Applied) => void>();
  const parkings = once(() => openParkings(readStore));
  const registry = once<Collection<LiveVersion>>(() => openRegistry(readStore));
  const gauge = createLagGauge(log, clock);
  const fills = once(() => openFills(readStore));
  const whole = new Set<ProjectionWorker>();
  const logEnd = openLogEnd(log);
  /** Whoever waits at the same moment shares one look at what others have stored. */
  let looking: Promise<ReadonlyMap<ProjectionWorker, string>> | undefined;

  const onFault = (error: unknown, projection: string | null): void => {
    logger?.warn({ err: error, projection }, 'a projection failed and will be retried');
    options.onError?.(error, projection);
  };

  const workers = options.projections.map((projection) =>
    createWorker({
      projection,
      readStore,
      logEnd,
      head: () => log.head(),
      fills,
      parkings,
      backoff,
      signal,
      budget,
      onMoved: moved,
      onFault: (worker, error) => onFault(error, worker.id),
      onStartedAgain(worker, checkpoint) {
        const message =
          'the checkpoint is ahead of the log and is ignored: the read model is folded again from the start';
        logger?.warn({ projection: worker.id, checkpoint }, message);
      },
      onHalted(worker, error) {
        logger?.error({ projection: worker.id, ...error }, 'projection halted');
        options.onError?.(new Error(`${worker.id} halted: ${error.message}`), worker.id);
      },
      onWritten(worker, written) {
        if (!worker.live) return;
        const { name, version } = worker.projection;
        for (const listener of listeners) {
          try {
            listener({ name, version, ...written });
          } catch (error) {
            onFault(error, worker.id);
          }
        }
      },
    }),
  );
  const feed = createSharedFeed({ log, signal, backoff });
  const following = createFollowing({
    log,
    readStore,
    feed,
    registry,
    backoff,
    signal,
    onFlipped: (worker) => logger?.info({ projection: worker.id }, 'the new version of the read model is live'),
  });
  const leases = createProjectionLeases({
    readStore,
    workers,
    owner: options.owner,
    ttlMs: timing.leaseTtlMs,
    clock,
    onLost(worker) {
      logger?.warn({ projection: worker.id }, 'lease lost');
      following.leave(worker);
    },
  });
  const haltBackoff = { firstMs: timing.haltFirstMs, mostMs: timing.haltMostMs };
  const restMs = 2 * timing.tickMs;
  const lifecycle = createLifecycle({ following, leases, registry, changes, backoff, haltBackoff, restMs, signal });
  const running = main().catch((error: unknown) => {
    if (!signal.aborted) onFault(error, null);
  });

  async function main(): Promise<void> {
    const patiently = { backoff, signal, onFault: (error: unknown) => onFault(error, null) };
    // After an unexpected failure here all stay in standby, and the ticks try again.
    await persistently(() => leases.refresh(), patiently).catch((error: unknown) => onFault(error, null));
    const ticking = tickOn();
    // All are prepared before the first one follows, the furthest first, so that projections at the same position share
    // one feed from the start.
    const states = new Map<ProjectionWorker, LifecycleState>();
    const held = workers.filter((worker) => worker.lease !== undefined);
    await Promise.all(held.map(async (worker) => states.set(worker, await lifecycle.prepare(worker))));
    const furthestFirst = workers.toSorted((one, other) => (one.folded() < other.folded() ? 1 : -1));
    const runs = furthestFirst.map((worker) => lifecycle.run(worker, states.get(worker) ?? 'standby'));
    await Promise.all([...runs, ticking]);
  }

  async function tickOn(): Promise<void> {
    while (!signal.aborted) {
      await tick().catch((error: unknown) => {
        if (!signal.aborted) onFault(error, null);
      });
      await sleep(timing.tickMs, signal);
    }
  }

  async function tick(): Promise<void> {
    await leases.refresh();
    const held = workers.filter((worker) => worker.lease !== undefined);
    await refreshStandbys(workers.filter((worker) => worker.lease === undefined));
    await checkHalts(held.filter((worker) => worker.halted()?.poison !== undefined));
    await Promise.all(
      held.map(async (worker) => {
        if ((await worker.moveWatermark()) !== undefined) following.leave(worker);
      }),
    );
    const head = await gauge.measure(workers.map((worker) => worker.applied()));
    for (const worker of held) worker.seeHead(head);
    moved();
  }

  async function refreshStandbys(standing: readonly ProjectionWorker[]): Promise<void> {
    if (standing.length === 0) return;
    const checkpoints = await readStore.checkpoints(standing.map((worker) => worker.id));
    const halts = await (await parkings()).halts(standing.map((worker) => worker.projection));
    for (const worker of standing) {
      const position = await logEnd.within(checkpoints.get(worker.id)?.position ?? '');
      if (worker.lease !== undefined) continue;
      worker.showStandby(position, halts.get(worker.id)?.poison);
    }
  }

  /**
   * An operator at another instance may have parked the event or resumed the projection: then the record of the halt is
   * gone.
   */
  async function checkHalts(halted: readonly ProjectionWorker[]): Promise<void> {
    if (halted.length === 0) return;
    const halts = await (await parkings()).halts(halted.map((worker) => worker.projection));
    for (const worker of halted) if (!halts.has(worker.id)) lifecycle.resume(worker);
  }

  function named(name: string): ProjectionWorker {
    const worker = workers.find((each) => each.projection.name === name);
    if (worker === undefined) throw new RangeError(`no projection is named ${name}`);
    return worker;
  }

  function statusOf(worker: ProjectionWorker): ProjectionStatus {
    const { name, version } = worker.projection;
    const position = worker.applied();
    const parkedEvents = worker.parkedEvents();
    const error = worker.error() ?? null;
    const lag = gauge.at(position);
    return { name, version, state: stateOf(worker), position, ...lag, parkedEvents, whole: isWhole(worker), error };
  }

  function isWhole(worker: ProjectionWorker): boolean {
    if (worker.isWhole()) whole.add(worker);
    return whole.has(worker);
  }

  return {
    async stop() {
      stopping.abort();
      changes.notify();
      await running;
      await leases.release(workers).catch((error: unknown) => onFault(error, null));
    },
    status: () => workers.map(statusOf),
    isWhole(name) {
      const worker = named(name);
      return runsHere(worker) && isWhole(worker);
    },
    async waitFor(names, position, timeoutMs) {
      let waited = names.map(named);
      const startedMs = performance.now();
      const endsAt = startedMs + timeoutMs;
      let looksAt = startedMs;
      for (;;) {
        waited = waited.filter((worker) => !(runsHere(worker) && worker.applied() >= position));
        if (waited.length === 0) return true;
        const moved = changes.next();
        const elsewhere = waited.filter((worker) => !runsHere(worker));
        // Whatever moves here wakes this loop: that alone is no reason to read what others have stored.
        if (elsewhere.length > 0 && performance.now() >= looksAt) {
          if (await storedReached(elsewhere, position)) waited = waited.filter((worker) => !elsewhere.includes(worker));
          const nowMs = performance.now();
          looksAt = Math.min(endsAt, nowMs + lookAgainMs(nowMs - startedMs, timing.pollMs));
          if (waited.length === 0) return true;
        }
        const leftMs = endsAt - performance.now();
        if (leftMs <= 0 || signal.aborted) return false;
        await firstOf(moved, elsewhere.length > 0 ? Math.max(0, looksAt - performance.now()) : leftMs);
      }
    },
    appliedHere(name, version) {
      const worker = workers.find(({ projection }) => projection.name === name && projection.version === version);
      return worker !== undefined && isFoldedHere(worker) ? worker.applied() : undefined;
    },
    standings: () =>
      workers.map((worker) => {
        const { name, version } = worker.projection;
        const [position, foldedHere, liveHere] = [worker.applied(), isFoldedHere(worker), runsHere(worker)];
        return { name, version, position, foldedHere, liveHere, whole: isWhole(worker) };
      }),
    onMoved: (listener) => void onMoved.push(listener),
    onApplied(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async park(name) {
      const worker = named(name);
      const records = await parkings();
      const halted = worker.halted() ?? (await records.halts([worker.projection])).get(worker.id);
      if (halted?.poison === undefined) return false;
      await records.park(worker.projection, halted.poison, isoTime(clock.now()));
      logger?.warn({ projection: worker.id, ...halted.poison }, 'event parked');
      return goOn(worker, records);
    },
    async resume(name) {
      const worker = named(name);
      const records = await parkings();
      const halted = worker.halted() ?? (await records.halts([worker.projection])).get(worker.id);
      return halted === undefined ? false : goOn(worker, records);
    },
  };

  async function goOn(worker: ProjectionWorker, records: Parkings): Promise<true> {
    await records.clearHalt(worker.projection);
    if (worker.lease !== undefined) lifecycle.resume(worker);
    changes.notify();
    return true;
  }

  function isFoldedHere(worker: ProjectionWorker): boolean {
    return worker.lease !== undefined && worker.isPrepared();
  }

  /** Waits for the version that readers get; a version being built beside it does not count. */
  function runsHere(worker: ProjectionWorker): boolean {
    return worker.lease !== undefined && worker.live;
  }

  async function storedReached(elsewhere: readonly ProjectionWorker[], position: string): Promise<boolean> {
    try {
      looking ??= lookElsewhere().finally(() => {
        looking = undefined;
      });
      const stored = await looking;
      return elsewhere.every((worker) => (stored.get(worker) ?? '') >= position);
    } catch (error) {
      if (isPassing(error)) return false;
      throw error;
    }
  }

  /** How far the live versions are that are not folded here. */
  async function lookElsewhere(): Promise<ReadonlyMap<ProjectionWorker, string>> {
    const elsewhere = workers.filter((worker) => !runsHere(worker));
    const entries = await (await registry()).getMany(elsewhere.map((worker) => worker.projection.name));
    const ids = elsewhere.map(({ projection: { name, version } }) => {
      const live = entries.get(name)?.live ?? version;
      return `${name}@${Math.min(live, version)}`;
    });
    const checkpoints = await readStore.checkpoints(ids);
    const positions = await Promise.all(ids.map((id) => logEnd.within(checkpoints.get(id)?.position ?? '')));
    return new Map(elsewhere.map((worker, at) => [worker, positions[at] ?? '']));
  }
}

function stateOf(worker: ProjectionWorker): ProjectionStatus['state'] {
  if (worker.halted() !== undefined) return 'halted';
  if (worker.lease === undefined) return 'standby';
  if (!worker.caughtUp() || !worker.live) return 'catching-up';
  return worker.parkedEvents() > 0 ? 'parked' : 'live';
}

/** The result of the first call that did not fail. */
function once<T>(task: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= task().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}
