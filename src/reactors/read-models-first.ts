import type { EventLog } from '../log/log.ts';
import { LogUnavailable } from '../log/log.ts';
import type { Projection } from '../projections/projection.ts';
import type { ReadModels } from '../queries/read-models.ts';
import { type Document, ReadStoreUnavailable } from '../readstore/read-store.ts';
import type { Backoff } from '../shared/backoff.ts';
import { retry, sleep } from '../shared/retry.ts';

const AT_FIRST_WITHIN_MS = 1_000;
const LOOK_AGAIN_MS = 500;
const BACKOFF: Backoff = { firstMs: 100, mostMs: 5_000 };

/** Resolves once the named read models have reached the end that the log had at the start, or the signal aborts. */
export type UntilCaughtUp = (names: readonly string[], signal: AbortSignal) => Promise<void>;

/**
 * For workers to begin only then: in a read model that does not contain all of that, what was done long ago looks due.
 * It also means that the read models are whole, since the end at the start of their filling was not later.
 */
export function openUntilCaughtUp(options: {
  readonly log: Pick<EventLog, 'head'>;
  readonly waitFor: (names: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;
}): UntilCaughtUp {
  const { log, waitFor } = options;
  const isPassing = (error: unknown): boolean =>
    error instanceof LogUnavailable || error instanceof ReadStoreUnavailable;
  let headAtStart: Promise<string> | undefined;

  return async (names, signal) => {
    const patiently = <T>(task: () => Promise<T>): Promise<T> => retry(task, { isPassing, backoff: BACKOFF, signal });
    headAtStart ??= patiently(() => log.head()).catch((error: unknown) => {
      headAtStart = undefined;
      throw error;
    });
    const head = await headAtStart;
    // The projections of another instance are polled often while one waits for them: not for as long as this may take.
    let withinMs = AT_FIRST_WITHIN_MS;
    while (!signal.aborted && !(await patiently(() => waitFor(names, head, withinMs)))) {
      withinMs = 0;
      await sleep(LOOK_AGAIN_MS, signal);
    }
  };
}

/**
 * The read models that a worker says it reads, so that it cannot begin before one of them has caught up. Reading any
 * other is an error of the worker.
 */
export function onlyThese(readModels: ReadModels, worker: string, names: readonly string[]): ReadModels {
  const check = ({ name }: { readonly name: string }): void => {
    if (!names.includes(name)) throw new Error(`${worker} does not say that it reads ${name}`);
  };
  return {
    of<D extends Document>(projection: Projection<D>) {
      check(projection);
      return readModels.of(projection);
    },
    async readable<D extends Document>(projection: Projection<D>) {
      check(projection);
      return readModels.readable(projection);
    },
  };
}
