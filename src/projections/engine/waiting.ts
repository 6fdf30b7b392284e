import { setTimeout as pause } from 'node:timers/promises';
import { LogUnavailable } from '../../log/log.ts';
import { ReadStoreUnavailable } from '../../readstore/read-store.ts';

export type Backoff = { readonly firstMs: number; readonly mostMs: number };

/** Faults of the log's or the store's reachability: the same call will do once they are over. */
export function isPassing(error: unknown): boolean {
  return error instanceof ReadStoreUnavailable || error instanceof LogUnavailable;
}

/** Waits, unless the signal cuts it short; never throws. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
}

/** Exponential with full jitter, so that many waiting on one fault do not come back at once. */
export function backoffMs(attempt: number, { firstMs, mostMs }: Backoff): number {
  return Math.random() * Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 30));
}

/**
 * Runs the task until it gets past every passing fault. Other errors are thrown, and so is the fault when the signal aborts;
 * `onFault` hears of each.
 */
export async function persistently<T>(
  task: () => Promise<T>,
  options: { readonly backoff: Backoff; readonly signal: AbortSignal; readonly onFault: (error: unknown) => void },
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await task();
    } catch (error) {
      if (!isPassing(error) || options.signal.aborted) throw error;
      options.onFault(error);
      await sleep(backoffMs(attempt, options.backoff), options.signal);
      if (options.signal.aborted) throw error;
    }
  }
}

/** Wakes everyone who waits. Test the condition and call `next` without an await in between, and no notification is missed. */
export type ChangeSignal = { readonly notify: () => void; readonly next: () => Promise<void> };

export function createChangeSignal(): ChangeSignal {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    notify() {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
    next: () => promise,
  };
}

/** Tasks one after the other, in the order they came. */
export function createTurns(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task, task);
    last = result.catch(() => {});
    return result;
  };
}
