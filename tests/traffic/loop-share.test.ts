import { describe, expect, it } from 'vitest';
import { createLoopShare } from '../../src/traffic/loop-share.ts';

/** Time that passes only when something waits for it or works. */
function world() {
  let nowMs = 0;
  const pauses: number[] = [];
  let turns = 0;
  const share = createLoopShare({
    now: () => nowMs,
    async pause(ms) {
      pauses.push(ms);
      nowMs += ms;
    },
    async nextTurn() {
      turns += 1;
    },
  });
  const work = (tenantId: string, ms: number) =>
    share.piece(tenantId, async () => {
      nowMs += ms;
    });
  return {
    share,
    work,
    pauses,
    turns: () => turns,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('the share of the event loop', () => {
  it('is all of it for a tenant that is alone, a turn for each piece', async () => {
    const { share, work, pauses, turns } = world();
    for (let nth = 0; nth < 10; nth += 1) {
      share.seen('a');
      await work('a', 20);
    }
    expect(pauses).toEqual([]);
    expect(turns()).toBe(10);
  });

  it('is half of it at the most while others ask, until they have not for a while', async () => {
    const { share, work, pauses, pass } = world();
    share.seen('b');
    share.seen('a');
    for (let nth = 0; nth < 4; nth += 1) await work('a', 20);
    expect(pauses).toEqual([20, 20, 20]);
    pass(1_000);
    await work('a', 20);
    await work('a', 20);
    expect(pauses).toHaveLength(3);
  });

  it('is half of it for long pieces too, but one that waited for a store for seconds is not paid back', async () => {
    const { share, work, pauses, pass } = world();
    await work('b', 5);
    await work('a', 200);
    await share.piece('a', async () => {
      pass(10_000);
      share.seen('b');
    });
    await work('b', 5);
    await work('a', 20);
    expect(pauses).toEqual([200, 245]);
  });

  it('is half of it also where others only have work, and no requests', async () => {
    const { work, pauses } = world();
    await work('b', 5);
    for (let nth = 0; nth < 3; nth += 1) await work('a', 20);
    expect(pauses).toEqual([20, 20]);
  });

  it('is given in turn by tenant, however many pieces of one wait', async () => {
    const began: string[] = [];
    const share = createLoopShare({ now: () => 0, pause: async () => {}, nextTurn: async () => {} });
    const piece = (tenantId: string) => share.piece(tenantId, async () => void began.push(tenantId));
    const pieces = [...Array.from({ length: 5 }, () => piece('a')), piece('b'), piece('c'), piece('b')];
    await Promise.all(pieces);
    expect(began).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a', 'a']);
  });

  it('is no less for work that waited long, nor for the other tenant', async () => {
    const { share, work, pauses } = world();
    share.seen('a');
    share.seen('b');
    await work('a', 700);
    await work('b', 10);
    await work('a', 10);
    expect(pauses).toEqual([240]);
  });

  it('costs no rest while another tenant has had more of it', async () => {
    const { work, pauses } = world();
    await work('b', 5);
    await work('a', 100);
    for (let nth = 0; nth < 3; nth += 1) await work('b', 20);
    expect(pauses).toEqual([]);
    await work('a', 10);
    expect(pauses).toEqual([40]);
    for (let nth = 0; nth < 4; nth += 1) await work('b', 20);
    expect(pauses).toEqual([40, 20]);
  });

  it('is counted of the last seconds only', async () => {
    const { work, pauses, pass } = world();
    await work('b', 5);
    await work('a', 200);
    pass(10_000);
    await work('a', 1);
    await work('b', 20);
    await work('b', 20);
    expect(pauses).toEqual([20]);
  });

  it('goes on after a piece that fails', async () => {
    const { share, work } = world();
    await expect(share.piece('a', () => Promise.reject(new Error('planted')))).rejects.toThrow('planted');
    await work('a', 1);
  });
});
