const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** When failed deliveries are tried again, in milliseconds. */
export type RetryTimes = {
  /** The pause after each failed attempt; the last one repeats. */
  readonly pausesMs: readonly number[];
  /** After the first attempt: no attempt is made later than this. */
  readonly giveUpMs: number;
};

export const RETRY_TIMES: RetryTimes = {
  pausesMs: [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 12 * HOUR_MS],
  giveUpMs: 72 * HOUR_MS,
};

/** By how much of itself a pause may be longer, so that many that failed together do not return together. */
const JITTER = 0.1;

/**
 * When to try again after `failures` failed attempts, the first of which was at `firstMs`; null when it is over.
 * @param random uniform in [0, 1)
 */
export function nextAttemptMs(
  { pausesMs, giveUpMs }: RetryTimes,
  { failures, firstMs, nowMs }: { readonly failures: number; readonly firstMs: number; readonly nowMs: number },
  random: () => number,
): number | null {
  const pauseMs = pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0;
  const nextMs = Math.round(nowMs + pauseMs * (1 + JITTER * random()));
  return nextMs > firstMs + giveUpMs ? null : nextMs;
}
