import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairQueue, type FairQueue, QueueFull } from '../../src/shared/fair-queue.ts';

const KEYS = ['a', 'b', 'c', 'd'] as const;

type Started = {
  readonly key: string;
  readonly nth: number;
  readonly end: () => void;
  readonly rest: () => () => void;
};

/** Runs work that lasts until it is ended, and keeps what has begun in its order. */
function watched(queue: FairQueue) {
  const begun: Started[] = [];
  const running = new Set<Started>();
  let count = 0;
  return {
    begun,
    running,
    offer(key: string, signal?: AbortSignal): Promise<void> {
      count += 1;
      const nth = count;
      return queue.run(
        key,
        (place) =>
          new Promise<void>((resolve, reject) => {
            const started: Started = {
              key,
              nth,
              end: () => {
                running.delete(started);
                resolve();
              },
              rest: () => {
                let goOn = (): void => {};
                const pause = new Promise<void>((done) => {
                  goOn = done;
                });
                running.delete(started);
                place.rest(() => pause).then(() => running.add(started), reject);
                return goOn;
              },
            };
            running.add(started);
            begun.push(started);
          }),
        signal,
      );
    },
  };
}

const turns = async (): Promise<void> => {
  for (let nth = 0; nth < 10; nth += 1) await Promise.resolve();
};

type Step = { readonly does: 'offer' | 'end' | 'abort' | 'rest' | 'goOn'; readonly key: string; readonly at: number };

const steps = fc.array(
  fc.record({
    does: fc.constantFrom('offer' as const, 'offer' as const, 'end' as const, 'abort' as const, 'rest', 'goOn'),
    key: fc.constantFrom(...KEYS),
    at: fc.nat(20),
  }) as fc.Arbitrary<Step>,
  { maxLength: 80 },
);

describe('a fair queue', () => {
  it.each(['all', 'half'] as const)(
    'never holds more than its places, serves every key in turn, and leaves no place empty that may be taken (%s)',
    async (alone) => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (places, doing) => {
          const half = Math.max(1, Math.floor(places / 2));
          const queue = createFairQueue({ places, alone });
          const work = watched(queue);
          const waitingSignals: AbortController[] = [];
          const resting: (() => void)[] = [];
          const ended: Promise<unknown>[] = [];
          for (const { does, key, at } of doing) {
            const before = new Map(KEYS.map((one) => [one, queue.held(one)]));
            const running = [...work.running];
            if (does === 'offer') {
              const controller = new AbortController();
              waitingSignals.push(controller);
              ended.push(work.offer(key, controller.signal).catch(() => undefined));
            } else if (does === 'end') running[at % Math.max(1, running.length)]?.end();
            else if (does === 'abort') waitingSignals[at % Math.max(1, waitingSignals.length)]?.abort();
            else if (does === 'rest') {
              const goOn = running[at % Math.max(1, running.length)]?.rest();
              if (goOn !== undefined) resting.push(goOn);
            } else resting.shift()?.();
            await turns();
            const total = KEYS.reduce((sum, one) => sum + queue.held(one), 0);
            expect(total).toBeLessThanOrEqual(places);
            for (const one of KEYS) {
              const held = queue.held(one);
              const othersWait = queue.waiting() > queue.waiting(one);
              if (alone === 'half') expect(held).toBeLessThanOrEqual(half);
              // Nobody is given more than half while another waits.
              if (othersWait && held > (before.get(one) ?? 0)) expect(held).toBeLessThanOrEqual(half);
              const cap = alone === 'half' || othersWait ? half : places;
              if (total < places && queue.waiting(one) > 0) expect(held).toBeGreaterThanOrEqual(cap);
            }
          }
          for (let idle = false; !idle; ) {
            const running = [...work.running];
            for (const one of running) one.end();
            for (const goOn of resting.splice(0)) goOn();
            await turns();
            idle = running.length === 0 && queue.waiting() === 0 && work.running.size === 0;
          }
          await Promise.all(ended);
          expect(KEYS.map((one) => queue.held(one))).toEqual([0, 0, 0, 0]);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('serves a key that arrives late before the waiting work of a busy one', async () => {
    const queue = createFairQueue({ places: 1, alone: 'all' });
    const work = watched(queue);
    for (let nth = 0; nth < 500; nth += 1) void work.offer('a');
    void work.offer('b');
    void work.offer('c');
    for (let nth = 0; nth < 3; nth += 1) {
      await turns();
      work.begun.at(-1)?.end();
    }
    await turns();
    expect(work.begun.map(({ key }) => key)).toEqual(['a', 'a', 'b', 'c']);
  });

  it('keeps half of its places free for others when work may take long', async () => {
    const queue = createFairQueue({ places: 8, alone: 'half' });
    const work = watched(queue);
    for (let nth = 0; nth < 40; nth += 1) void work.offer('a');
    await turns();
    expect(queue.held('a')).toBe(4);
    void work.offer('b');
    await turns();
    expect(queue.held('b')).toBe(1);
  });

  it('gives the place of resting work to others', async () => {
    const queue = createFairQueue({ places: 2, alone: 'half' });
    const work = watched(queue);
    void work.offer('a');
    void work.offer('a');
    await turns();
    expect(work.begun).toHaveLength(1);
    const goOn = work.begun[0]?.rest();
    await turns();
    expect(work.begun).toHaveLength(2);
    goOn?.();
    await turns();
    expect(queue.waiting('a')).toBe(1);
    work.begun[1]?.end();
    await turns();
    expect(work.running).toEqual(new Set([work.begun[0]]));
  });

  it('refuses work beyond the limit of one key, and of no other key', async () => {
    const queue = createFairQueue({ places: 1, alone: 'all', mostWaiting: 2 });
    const work = watched(queue);
    for (let nth = 0; nth < 3; nth += 1) void work.offer('a');
    await turns();
    await expect(work.offer('a')).rejects.toBeInstanceOf(QueueFull);
    void work.offer('b');
    await turns();
    expect(queue.waiting('b')).toBe(1);
  });
});
