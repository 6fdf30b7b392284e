import { describe, expect, it } from 'vitest';
import { nextAttemptMs, RETRY_TIMES } from '../../src/webhooks/attempts.ts';

const HOUR_MS = 3_600_000;

function attemptsOf(random: () => number): number[] {
  const times: number[] = [];
  for (let nowMs = 0, failures = 1; ; failures += 1) {
    const nextMs = nextAttemptMs(RETRY_TIMES, { failures, firstMs: 0, nowMs }, random);
    if (nextMs === null) return times;
    times.push(nextMs);
    nowMs = nextMs;
  }
}

describe('a delivery that fails', () => {
  it('is tried after 5 s, 5 min, 30 min, 2, 5 and 10 hours, then every 12 hours until three days are over', () => {
    const pauses = attemptsOf(() => 0).map((at, nth, all) => (at - (all[nth - 1] ?? 0)) / 1_000);
    expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 43_200, 43_200, 43_200, 43_200]);
  });

  it('is tried a little later than others that failed with it, and never after three days', () => {
    const times = attemptsOf(() => 0.999);
    expect(times[0]).toBe(5_500);
    expect(times.at(-1)).toBeLessThanOrEqual(72 * HOUR_MS);
  });
});
