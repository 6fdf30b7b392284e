import { describe, expect, it } from 'vitest';
import { keepHeapSmall, openHeapKeeper } from '../../src/shared/heap-keeper.ts';
import { forcedCollections } from '../support/forced-collections.ts';

const MB = 1_000_000;

/** A heap in which `live` bytes are in use whenever its garbage is collected. */
function heapOf(live: number) {
  const heap = { used: live, live, collections: 0 };
  const keep = openHeapKeeper({
    usedBytes: () => heap.used,
    collect() {
      heap.collections += 1;
      heap.used = heap.live;
    },
  });
  return { heap, keep };
}

describe('a heap that is kept small', () => {
  it.each([
    ['is left alone up to 42 MB', { live: 20, leftAt: 41, collectedAt: 42 }],
    ['is left to V8 where collecting would take long', { live: 60, leftAt: 101, collectedAt: 99 }],
  ])('%s', (_, { live, leftAt, collectedAt }) => {
    const { heap, keep } = heapOf(live * MB);
    heap.used = leftAt * MB;
    keep();
    expect(heap.collections).toBe(0);
    heap.used = collectedAt * MB;
    keep();
    expect(heap.collections).toBe(1);
  });

  it('may grow by 30 % of what is in use, so that it is not collected at each step', () => {
    const { heap, keep } = heapOf(60 * MB);
    for (const used of [60, 77, 79, 77, 79]) {
      heap.used = used * MB;
      keep();
    }
    expect(heap.collections).toBe(3);
  });

  it('is collected again at 42 MB once less is in use', () => {
    const { heap, keep } = heapOf(60 * MB);
    keep();
    heap.live = 20 * MB;
    heap.used = 79 * MB;
    keep();
    heap.used = 41 * MB;
    keep();
    expect(heap.collections).toBe(2);
    heap.used = 43 * MB;
    keep();
    expect(heap.collections).toBe(3);
  });

  it('is that of the thread that calls', async () => {
    expect(await forcedCollections(async () => keepHeapSmall())).toBe(1);
    expect(globalThis.gc).toBeUndefined();
  });
});
