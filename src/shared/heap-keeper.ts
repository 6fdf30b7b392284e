import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A thread of the service has some 30 MB in use when it works. */
const LEAST_BYTES = 42_000_000;
/** Collecting this much stops the thread for 50 ms. V8 stops it for less, and lets so large a heap grow by little. */
const MOST_BYTES = 100_000_000;
/** V8 by itself lets a small heap grow to some 1.7 times what is in use, and keeps the memory. */
const GROWTH = 1.3;

/** Of the calling thread; replaced in tests. */
type Heap = { readonly usedBytes: () => number; readonly collect: () => void };

let gc: (() => void) | undefined;

/**
 * For work that runs for long and leaves much garbage: called between its steps, it collects the garbage of this thread
 * whenever the heap has grown by 30 % since the last time, and has more than 42 MB. A heap of more than 100 MB is left
 * to V8. A call that collects nothing takes microseconds, one that does about half a millisecond for each MB in use.
 */
export const keepHeapSmall = openHeapKeeper({
  usedBytes: () => getHeapStatistics().used_heap_size,
  collect: collectGarbage,
});

export function openHeapKeeper({ usedBytes, collect }: Heap): () => void {
  let limit = LEAST_BYTES;
  return () => {
    const used = usedBytes();
    if (used < limit || used > MOST_BYTES) return;
    collect();
    limit = Math.max(LEAST_BYTES, usedBytes() * GROWTH);
  };
}

/** All garbage of the calling thread, at once. V8 gives the function to contexts made while the option is set. */
export function collectGarbage(): void {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
  }
  gc?.();
}
