import { setTimeout as pause } from 'node:timers/promises';
import { type Backoff, backoffMs } from './backoff.ts';

const NEVER_ABORTED = new AbortController().signal;

/** Waits, unless the signal cuts it short; never throws. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
}

/**
 * Runs the task until it succeeds. A failure that `isPassing` does not accept is thrown at once, and so is the last one
 * when the signal aborts or when the next attempt would start after `giveUpMs`. @param options.onFailure called for
 * each failure that is retried
 */
export async function retry<T>(
  task: () => Promise<T>,
  options: {
    readonly isPassing: (error: unknown) => boolean;
    readonly backoff: Backoff;
    readonly signal?: AbortSignal;
    readonly giveUpMs?: number;
    readonly onFailure?: (error: unknown) => void;
  },
): Promise<T> {
  const { isPassing, backoff, signal = NEVER_ABORTED, giveUpMs = Number.POSITIVE_INFINITY, onFailure } = options;
  const startedMs = performance.now();
  for (let failures = 1; ; failures += 1) {
    try {
      return await task();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      const pauseMs = backoffMs(failures, backoff);
      if (performance.now() - startedMs + pauseMs > giveUpMs) throw error;
      onFailure?.(error);
      await sleep(pauseMs, signal);
      if (signal.aborted) throw error;
    }
  }
}
