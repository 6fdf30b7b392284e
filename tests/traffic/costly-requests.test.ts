import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCostlyRequests, TenantBusy } from '../../src/traffic/costly-requests.ts';

/** Each piece of work begins in a turn of the event loop of its own. */
const turns = async (): Promise<void> => {
  for (let nth = 0; nth < 10; nth += 1) await nextTurn();
};

describe('costly requests', () => {
  it('run two of one tenant at once and refuse what is too much, while another tenant is served', async () => {
    const costly = createCostlyRequests({ requests: 5, exports: 1 });
    const running: { tenant: string; end: () => void }[] = [];
    const begin = (tenant: string): Promise<void> =>
      costly.admit(tenant, () => new Promise<void>((resolve) => running.push({ tenant, end: resolve })));
    const asked = Array.from({ length: 5 }, () => begin('a'));
    await turns();
    expect(running).toHaveLength(2);
    await expect(begin('a')).rejects.toBeInstanceOf(TenantBusy);
    const other = begin('b');
    await turns();
    expect(running.map(({ tenant }) => tenant)).toEqual(['a', 'a', 'b']);
    for (let ended = 0; ended < 6; ended += 1) {
      // A tenant beside another one rests between two pieces.
      await expect.poll(() => running.length).toBeGreaterThan(ended);
      running[ended]?.end();
    }
    await Promise.all([...asked, other]);
    await costly.admit('a', async () => undefined);
  });

  it('are counted off when they fail', async () => {
    const costly = createCostlyRequests({ requests: 1, exports: 1 });
    await expect(costly.admit('a', () => Promise.reject(new Error('planted')))).rejects.toThrow('planted');
    expect(await costly.admit('a', async () => 'done')).toBe('done');
  });
});

describe('exports', () => {
  it('count until they end, however often that is said', () => {
    const costly = createCostlyRequests({ requests: 1, exports: 2 });
    const end = costly.beginExport('a');
    costly.beginExport('a');
    expect(() => costly.beginExport('a')).toThrow(TenantBusy);
    costly.beginExport('b');
    end();
    end();
    costly.beginExport('a');
    expect(() => costly.beginExport('a')).toThrow(TenantBusy);
  });
});

describe('parts of exports that another thread makes', () => {
  it('are two of one tenant at once, and those of another tenant come before its further ones', async () => {
    const costly = createCostlyRequests({ requests: 1, exports: 1 });
    const running: { tenant: string; end: () => void }[] = [];
    const begin = (tenant: string): Promise<void> =>
      costly.aside(tenant, () => new Promise<void>((resolve) => running.push({ tenant, end: resolve })));
    const asked = Array.from({ length: 6 }, () => begin('a'));
    await turns();
    expect(running).toHaveLength(2);
    asked.push(begin('b'), begin('b'), begin('c'));
    await turns();
    expect(running.map(({ tenant }) => tenant)).toEqual(['a', 'a', 'b', 'b']);
    for (const one of running.slice(0, 2)) one.end();
    await turns();
    // Of five that wait, four of them longer than that of the third tenant.
    expect(running.slice(4).map(({ tenant }) => tenant)).toEqual(['a', 'c']);
    for (let ended = 2; ended < 9; ended += 1) {
      await expect.poll(() => running.length).toBeGreaterThan(ended);
      running[ended]?.end();
    }
    await Promise.all(asked);
  });

  it('take no place of costly requests, and leave the queue when their client leaves', async () => {
    const costly = createCostlyRequests({ requests: 5, exports: 1 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const parts = [1, 2].map(() => costly.aside('a', () => promise));
    const left = new AbortController();
    const third = costly.aside('a', () => promise, left.signal);
    left.abort();
    await expect(third).rejects.toBe(left.signal.reason);
    expect(await costly.admit('a', async () => 'admitted')).toBe('admitted');
    resolve();
    await Promise.all(parts);
  });
});
