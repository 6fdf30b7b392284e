import type { EventLog } from '../log/log.ts';
import { openProgress, type Progress } from '../projections/engine/progress.ts';
import type { ProjectionRunner } from '../projections/engine/projection-runner.ts';
import type { RunnableProjection } from '../projections/engine/runnable.ts';
import { openStoredStatus } from '../projections/engine/stored-status.ts';
import type { Reactor } from '../reactors/reactor.ts';
import type { ReadStore } from '../readstore/read-store.ts';
import type { Clock } from '../shared/clock.ts';
import type { BackgroundHealth } from './health.ts';
import { progressOf } from './progress.ts';

/** A live read model was written. */
export type ReadModelChange = {
  readonly name: string;
  /** Whose documents were written. */
  readonly tenantIds: readonly string[];
  readonly position: string;
};

/** The projections and reactors of an instance as the rest of it sees them, wherever they run (ADR 0043). */
export type Background = {
  readonly progress: Progress;
  /** Whether the live version is run by this instance and is whole. */
  readonly isWholeHere: (name: string) => boolean;
  /** See `ProjectionRunner.appliedHere`; it may be somewhat behind. */
  readonly appliedHere: (name: string, version: number) => string | undefined;
  /** Calls the listener after every write to a live read model. Returns a function that removes it. */
  readonly onChanged: (listener: (change: ReadModelChange) => void) => () => void;
  /** Lets a worker of this instance look for work at once: for work that no read model announces. */
  readonly wake: (worker: string) => void;
  readonly health: () => Promise<BackgroundHealth>;
  /** Ends the work of reactors; projections go on until `stop`. */
  readonly stopReactors: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Of an instance that runs them in this thread. @param reactors those started so far, at any time */
export function backgroundHere(runner: ProjectionRunner, reactors: readonly Reactor[]): Background {
  const stopReactors = async (): Promise<void> => {
    await Promise.all(reactors.map((reactor) => reactor.stop()));
  };
  return {
    progress: progressOf(runner),
    isWholeHere: runner.isWhole,
    appliedHere: runner.appliedHere,
    onChanged: (listener) =>
      runner.onApplied(({ name, documentIds, position }) =>
        listener({ name, position, tenantIds: tenantsOf(documentIds) }),
      ),
    wake: (worker) => wakeOne(reactors, worker),
    health: async () => healthHere(runner, reactors),
    stopReactors,
    async stop() {
      await stopReactors();
      await runner.stop();
    },
  };
}

export function healthHere(runner: ProjectionRunner, reactors: readonly Reactor[]): BackgroundHealth {
  return {
    projections: runner.status().map((status) => ({ ...status, error: status.error?.message ?? null })),
    workers: reactors.map(({ name, failure, isWaiting }) => ({
      name,
      state: failure() !== null ? 'failing' : isWaiting() ? 'waiting' : 'working',
    })),
  };
}

export function wakeOne(reactors: readonly Reactor[], worker: string): void {
  reactors.find(({ name }) => name === worker)?.wake();
}

export function tenantsOf(documentIds: readonly string[]): string[] {
  return [...new Set(documentIds.map((id) => id.slice(0, id.indexOf('/'))))];
}

/** For an instance that only answers requests: what others have stored. */
export async function backgroundElsewhere(options: {
  readonly log: EventLog;
  readonly readStore: ReadStore;
  readonly projections: readonly RunnableProjection[];
  readonly clock: Clock;
}): Promise<Background> {
  const statuses = await openStoredStatus(options);
  return {
    progress: openProgress(options),
    isWholeHere: () => false,
    appliedHere: () => undefined,
    onChanged: () => () => {},
    wake: () => {},
    health: async () => ({ projections: await statuses(), workers: [] }),
    stopReactors: async () => {},
    stop: async () => {},
  };
}
