import { LogUnavailable } from '../../log/log.ts';
import { ReadStoreUnavailable } from '../../readstore/read-store.ts';
import type { Backoff } from '../../shared/backoff.ts';
import { retry } from '../../shared/retry.ts';

/** Faults of the log's or the store's availability: the same call succeeds once they are over. */
export function isPassing(error: unknown): boolean {
  return error instanceof ReadStoreUnavailable || error instanceof LogUnavailable;
}

/**
 * Runs the task until no transient fault occurs. Other errors are thrown, and so is the fault when the signal aborts.
 */
export function persistently<T>(
  task: () => Promise<T>,
  options: { readonly backoff: Backoff; readonly signal: AbortSignal; readonly onFault: (error: unknown) => void },
): Promise<T> {
  const { backoff, signal, onFault } = options;
  return retry(task, { isPassing, backoff, signal, onFailure: onFault });
}

/**
 * Wakes all waiters. Test the condition and call `next` without an await in between, so that no notification is missed.
 */
export type ChangeSignal = { readonly notify: () => void; readonly next: () => Promise<void> };

export function createChangeSignal(): ChangeSignal {
  /** Undefined while nobody waits, which is usual. */
  let awaited: PromiseWithResolvers<void> | undefined;
  return {
    notify() {
      awaited?.resolve();
      awaited = undefined;
    },
    next() {
      awaited ??= Promise.withResolvers<void>();
      return awaited.promise;
    },
  };
}

/** Resolves at the event or when the time is up. */
export async function firstOf(event: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([event, promise]);
  clearTimeout(timer);
}

/** The longest pause between two looks, in first pauses. */
const MOST_FIRST_PAUSES = 20;

/**
 * The pause before the next look at what another process writes, in milliseconds. It grows with the time waited so far,
 * so that a wait ends at most a quarter later than it could, and a long one costs few reads.
 */
export function lookAgainMs(waitedMs: number, firstMs: number): number {
  return Math.min(Math.max(firstMs, waitedMs / 4), MOST_FIRST_PAUSES * firstMs);
}
