import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A thread of the service has some 30 MB in use when it works. */
const LEAST_BYTES = 42_000_000;
/** Collecting this much stops the thread for 50 ms; V8 by itself stops it for less, and grows no more than by that. */
const MOST_BYTES = 100_000_000;
/** V8 by itself lets a small heap grow to some 1.7 times what is in use, and keeps the memory. */
const GROWTH = 1.3;

/** What is measured and done, replaced in tests. */
type Heap = { readonly usedBytes: () => number; readonly collect: () => void };

/**
 * For work that runs for long and leaves much garbage: called between its steps, it collects the garbage of this thread
 * whenever the heap has grown by 30 % since the last time, and has more than 42 MB. A heap of more than 100 MB is left
 * to V8. A call that collects nothing takes microseconds, one that does about half a millisecond for each MB in use.
 */
export function openHeapKeeper({ usedBytes, collect }: Heap = thisThread()): () => void {
  let limit = LEAST_BYTES;
  return () => {
    const used = usedBytes();
    if (used < limit || used > MOST_BYTES) return;
    collect();
    limit = Math.max(LEAST_BYTES, usedBytes() * GROWTH);
  };
}

function thisThread(): Heap {
  let gc: (() => void) | undefined;
  return {
    usedBytes: () => getHeapStatistics().used_heap_size,
    collect() {
      gc ??= exposedGc();
      gc?.();
    },
  };
}

/** V8 gives the function to contexts that are created while the option is set. */
function exposedGc(): (() => void) | undefined {
  setFlagsFromString('--expose-gc');
  const gc: (() => void) | undefined = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return gc;
}
