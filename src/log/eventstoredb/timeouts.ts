import type { Backoff } from '../../shared/backoff.ts';
import { retry } from '../../shared/retry.ts';
import { AppendTooLarge, type LogUnavailable } from '../log.ts';
import { isFinal, unavailable } from './failures.ts';

/** All in milliseconds. */
export type Timeouts = {
  /**
   * One attempt at one call, counted from the server's last sign of life; after it the link is abandoned and reopened.
   */
  readonly callMs: number;
  /** All attempts at one call together; no new attempt starts after it. */
  readonly giveUpMs: number;
  /** The pause after the first failure; it doubles up to `longestPauseMs`. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** A subscription that received nothing for this long is probed. */
  readonly silentMs: number;
};

/**
 * 5 s for a call: a healthy server answers in milliseconds, and its own write timeout is 2 s. 15 s in all: it outlasts
 * a restart (the server is "not ready" for about 2 s) and still answers a caller before its own request times out.
 */
export const DEFAULT_TIMEOUTS: Timeouts = {
  callMs: 5_000,
  giveUpMs: 15_000,
  pauseMs: 50,
  longestPauseMs: 2_000,
  silentMs: 30_000,
};

/** The pauses between attempts at one call, and before a subscription that ended is opened again. */
export function backoffOf({ pauseMs, longestPauseMs }: Timeouts): Backoff {
  return { firstMs: pauseMs, mostMs: longestPauseMs };
}

/**
 * Retries the call until it succeeds, fails permanently, or its time is up.
 * @throws LogUnavailable with the last failure as its cause, AppendTooLarge
 */
export async function persistently<T>(
  what: string,
  timeouts: Timeouts,
  isClosed: () => LogUnavailable | undefined,
  call: () => Promise<T>,
): Promise<T> {
  const guarded = async (): Promise<T> => {
    const closed = isClosed();
    if (closed !== undefined) throw closed;
    return call();
  };
  const isPassing = (error: unknown): boolean =>
    isClosed() === undefined && !(error instanceof AppendTooLarge) && !isFinal(error);
  try {
    return await retry(guarded, { isPassing, backoff: backoffOf(timeouts), giveUpMs: timeouts.giveUpMs });
  } catch (error) {
    if (error instanceof AppendTooLarge) throw error;
    throw isClosed() ?? unavailable(what, error);
  }
}
