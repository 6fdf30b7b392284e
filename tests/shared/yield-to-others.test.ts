import { setImmediate as iteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { yieldToOthers } from '../../src/shared/yield-to-others.ts';

describe('work that yields to others', () => {
  it('goes on alone in an iteration of the event loop, in turn', async () => {
    let now = 0;
    let over = false;
    const counting = (async () => {
      for (; !over; now += 1) await iteration();
    })();
    const went: { who: number; at: number }[] = [];
    const work = async (who: number): Promise<void> => {
      for (let slice = 0; slice < 3; slice += 1) {
        await yieldToOthers();
        went.push({ who, at: now });
      }
    };
    await Promise.all([0, 1, 2, 3].map(work));
    over = true;
    await counting;
    expect(new Set(went.map(({ at }) => at)).size).toBe(12);
    expect(went.map(({ who }) => who)).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
  });

  it('goes on where nobody else waits', async () => {
    await yieldToOthers();
    await yieldToOthers();
  });
});
