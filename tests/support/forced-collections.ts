import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { collectGarbage } from '../../src/shared/heap-keeper.ts';

const WANTED_BYTES = 65_000_000;
const BYTES_A_NUMBER = 8;

/**
 * How often garbage is collected by request, and not by V8, while the work is done by a thread that has 65 MB in use:
 * more than a heap has that is left alone, and less than one that is left to V8.
 */
export async function forcedCollections(work: () => Promise<unknown>): Promise<number> {
  collectGarbage();
  await nextTurn();
  const { used_heap_size: used } = getHeapStatistics();
  const count = Math.max(0, Math.round((WANTED_BYTES - used) / BYTES_A_NUMBER));
  const held = new Array<number>(count).fill(1);
  let forced = 0;
  const take = (entries: readonly PerformanceEntry[]): void => {
    for (const { detail } of entries as readonly { detail?: { flags?: number } }[]) {
      if (((detail?.flags ?? 0) & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced += 1;
    }
  };
  const observer = new PerformanceObserver((list) => take(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  await work();
  await nextTurn();
  take(observer.takeRecords());
  observer.disconnect();
  // Held until here.
  return held.length === count ? forced : Number.NaN;
}
