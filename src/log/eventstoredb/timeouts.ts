import { setTimeout as delay } from 'node:timers/promises';
import { AppendTooLarge, type LogUnavailable } from '../log.ts';
import { isFinal, unavailable } from './failures.ts';

/** All in milliseconds. */
export type Timeouts = {
  /** One attempt at one call, counted from the server's last sign of life; after it the link is given up and built anew. */
  readonly callMs: number;
  /** All attempts at one call together; no new attempt starts after it. */
  readonly giveUpMs: number;
  /** The pause after a first failure; it doubles up to `longestPauseMs`. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** A subscription that heard nothing for so long is probed. */
  readonly silentMs: number;
};

/**
 * 5 s for a call: a healthy server answers in milliseconds, and its own write timeout is 2 s. 15 s in all: it outlasts a restart
 * (the server is "not ready" for about 2 s) and still answers a caller before its own request times out.
 */
export const DEFAULT_TIMEOUTS: Timeouts = {
  callMs: 5_000,
  giveUpMs: 15_000,
  pauseMs: 50,
  longestPauseMs: 2_000,
  silentMs: 30_000,
};

/** The pause before the next attempt: doubled each time, with some chance in it so that many callers do not return as one. */
export function pauseBefore(attempt: number, timeouts: Timeouts): number {
  const longest = Math.min(timeouts.longestPauseMs, timeouts.pauseMs * 2 ** Math.min(attempt, 16));
  return longest * (0.5 + Math.random() / 2);
}

/**
 * Runs the call until it succeeds, fails for good, or the time for it is up.
 * @throws LogUnavailable with the last failure as its cause, AppendTooLarge
 */
export async function persistently<T>(
  what: string,
  timeouts: Timeouts,
  isClosed: () => LogUnavailable | undefined,
  call: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    const closed = isClosed();
    if (closed !== undefined) throw closed;
    try {
      return await call();
    } catch (error) {
      if (error instanceof AppendTooLarge) throw error;
      const pauseMs = pauseBefore(attempt, timeouts);
      if (isFinal(error) || performance.now() - started + pauseMs > timeouts.giveUpMs) throw unavailable(what, error);
      await delay(pauseMs);
    }
  }
}
