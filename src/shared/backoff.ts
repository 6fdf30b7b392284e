/**
 * In milliseconds: the pause after a first failure, which doubles with each further one, and the longest pause there
 * is.
 */
export type Backoff = { readonly firstMs: number; readonly mostMs: number };

/**
 * The pause before the next attempt, in milliseconds: exponential, with jitter in its upper half, so that many callers
 * that wait for one fault do not return as one. Between half and all of `firstMs * 2^(failures - 1)`, at most `mostMs`.
 * @param failures how many attempts have failed, from 1
 * @param random uniform in [0, 1)
 */
export function backoffMs(failures: number, { firstMs, mostMs }: Backoff, random: () => number = Math.random): number {
  const ceiling = Math.min(mostMs, firstMs * 2 ** Math.min(30, Math.max(1, failures) - 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}
