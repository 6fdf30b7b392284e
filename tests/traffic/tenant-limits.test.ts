import { describe, expect, it } from 'vitest';
import { createTenantLimits, LIMITED, type Limited, TenantLimitReached } from '../../src/traffic/tenant-limits.ts';
import { setClock } from '../support/small-reactor-services.ts';

/** Things that become visible only on demand. */
function things(limit: number) {
  const clock = setClock('2026-01-05T10:00:00.000Z');
  const visible = new Map<string, number>();
  let counts = 0;
  const count = async (tenantId: string): Promise<number> => {
    counts += 1;
    return visible.get(tenantId) ?? 0;
  };
  const all = Object.fromEntries(LIMITED.map((what) => [what, { limit, count }])) as Record<
    Limited,
    { limit: number; count: typeof count }
  >;
  const limits = createTenantLimits(all, clock);
  return {
    clock,
    visible,
    counts: () => counts,
    add: (tenantId: string, work = async () => undefined) => limits.add(tenantId, 'users', 1, work),
  };
}

describe('what a tenant may only have so much of', () => {
  it('is counted once while there is room, and refused only on a fresh count', async () => {
    const { add, visible, counts } = things(3);
    for (let nth = 1; nth <= 3; nth += 1) {
      await add('a');
      visible.set('a', nth);
    }
    expect(counts()).toBe(1);
    await expect(add('a')).rejects.toBeInstanceOf(TenantLimitReached);
    expect(counts()).toBe(2);
    await add('b');
    visible.set('a', 2);
    await add('a');
  });

  it('counts what is under way, also what begins together', async () => {
    const { add } = things(3);
    let end = (): void => {};
    const ended = new Promise<undefined>((resolve) => {
      end = () => resolve(undefined);
    });
    const outcomes = Promise.allSettled(Array.from({ length: 10 }, () => add('a', () => ended)));
    for (let nth = 0; nth < 50; nth += 1) await Promise.resolve();
    end();
    expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('counts what is still under way when it counts anew', async () => {
    const { add, clock, visible } = things(3);
    let end = (): void => {};
    const ended = new Promise<undefined>((resolve) => {
      end = () => resolve(undefined);
    });
    const slow = [add('a', () => ended), add('a', () => ended)];
    for (let nth = 0; nth < 20; nth += 1) await Promise.resolve();
    clock.pass(10_001);
    await add('a');
    visible.set('a', 1);
    await expect(add('a', () => ended)).rejects.toBeInstanceOf(TenantLimitReached);
    end();
    await Promise.all(slow);
  });

  it('is counted again after a while, since others add as well', async () => {
    const { add, visible, clock } = things(3);
    await add('a');
    visible.set('a', 3);
    await add('a');
    clock.pass(10_001);
    await expect(add('a')).rejects.toMatchObject({ what: 'users', limit: 3 });
  });
});
