import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createHeldRefusals, HELD_AT_ONCE, HELD_MS } from '../../src/traffic/held-refusals.ts';

describe('a refusal', () => {
  it('waits for its time', async () => {
    const timers: { ms: number; end: () => void }[] = [];
    const { hold } = createHeldRefusals((ms, end) => {
      timers.push({ ms, end });
      return () => {};
    });
    let isSent = false;
    const sent = hold().then(() => {
      isSent = true;
    });
    await nextTurn();
    expect(isSent).toBe(false);
    expect(timers).toMatchObject([{ ms: HELD_MS }]);
    timers[0]?.end();
    await sent;
  });

  it('is sent at once where too many wait, and waits again when they are gone', async () => {
    const ends: (() => void)[] = [];
    const { hold } = createHeldRefusals((_, end) => {
      ends.push(end);
      return () => {};
    });
    const some = Array.from({ length: HELD_AT_ONCE }, () => hold());
    await hold();
    expect(ends).toHaveLength(HELD_AT_ONCE);
    for (const end of ends.splice(0)) end();
    await Promise.all(some);
    const last = hold();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await last;
  });
});
