import type { EventLog } from '../log/log.ts';

/**
 * The highest ordinal whose stream exists, 0 for none. Ordinals have no gaps, so doubling and bisection find it in 2
 * log2(n) short reads.
 */
export async function lastOrdinal(log: EventLog, streamOf: (ordinal: number) => string): Promise<number> {
  const exists = async (ordinal: number): Promise<boolean> =>
    (await log.readStream(streamOf(ordinal), { limit: 1 })).length > 0;
  let low = 0;
  let high = 1;
  while (await exists(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await exists(middle)) low = middle;
    else high = middle;
  }
  return low;
}
