import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

const MEBIBYTE = 1024 * 1024;
/** Three times a semi-space: half of what `--max-semi-space-size=8` gives the main thread is enough for batches. */
const YOUNG_GENERATION_MB = 12;

/**
 * From here on the heap of a thread that starts is limited by its own `resourceLimits`. The options
 * `--max-old-space-size` and `--max-semi-space-size` of the process would replace them in every thread; the heap of the
 * main thread, which is there already, keeps them.
 */
export function limitThreadsByThemselves(): void {
  setFlagsFromString('--max-old-space-size=0');
  setFlagsFromString('--max-semi-space-size=0');
}

/** For a thread that may need as much memory as the present one. */
export function heapAsHere(): ResourceLimits {
  const { heap_size_limit: limit } = getHeapStatistics();
  return {
    maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
    maxOldGenerationSizeMb: Math.round(limit / MEBIBYTE) - YOUNG_GENERATION_MB,
  };
}
