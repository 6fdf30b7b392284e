import type { EventLog } from '../log/log.ts';
import { firstWithout } from '../shared/first-without.ts';

/** The highest ordinal whose stream exists, 0 for none. Ordinals have no gaps, so that few short reads find it. */
export function lastOrdinal(log: EventLog, streamOf: (ordinal: number) => string): Promise<number> {
  return firstWithout(async (before) => (await log.readStream(streamOf(before + 1), { limit: 1 })).length > 0);
}
