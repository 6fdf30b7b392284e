/**
 * Exponential with full jitter in its upper half: between half and all of `baseMs * 2^(failures - 1)`, at most `maxMs`.
 * @param failures how many attempts have failed, from 1
 * @param random uniform in [0, 1)
 */
export function backoffMs(failures: number, baseMs: number, maxMs: number, random: () => number): number {
  const ceiling = Math.min(maxMs, baseMs * 2 ** (Math.max(1, failures) - 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}
