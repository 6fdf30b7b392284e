import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWaitingEvents, type WaitingEvent } from '../../src/audit/waiting-events.ts';

const id = fc.oneof(fc.uuid(), fc.string({ maxLength: 40 }));
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.array(id, { maxLength: 5 }), times: fc.nat(700) }) },
  { weight: 1, arbitrary: fc.record({ drop: fc.nat(2_500) }) },
);

describe('events that wait for a seal', () => {
  it('are those that were added and not left out, in their order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const waiting = openWaitingEvents();
        let expected: WaitingEvent[] = [];
        for (const each of steps) {
          if ('drop' in each) {
            waiting.drop(each.drop);
            expected = expected.slice(each.drop);
            continue;
          }
          for (let nth = 0; nth < each.times; nth += 1) {
            for (const one of each.add) {
              const leaf = createHash('sha256').update(`${nth} ${one}`).digest();
              waiting.add(one, leaf);
              expected.push({ id: one, leaf });
            }
          }
        }
        expect(waiting.count()).toBe(expected.length);
        expect(waiting.first(expected.length + 1)).toEqual(expected);
        expect([...waiting.leaves()]).toEqual(expected.map(({ leaf }) => leaf));
        expect(waiting.first(3)).toEqual(expected.slice(0, 3));
      }),
      { numRuns: 30 },
    );
  });

  it('take 48 bytes each', () => {
    const waiting = openWaitingEvents();
    const leaf = Buffer.alloc(32, 7);
    const before = process.memoryUsage().arrayBuffers;
    for (let nth = 0; nth < 100_000; nth += 1) waiting.add('01a205f0-f50b-779a-a1ea-8b21ba1200c2', leaf);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000 * 60);
    expect(waiting.count()).toBe(100_000);
  });
});
