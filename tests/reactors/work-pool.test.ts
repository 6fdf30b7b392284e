import { describe, expect, it } from 'vitest';
import type { ReadModels } from '../../src/queries/read-models.ts';
import { openWorkByTenant } from '../../src/queries/work-by-tenant.ts';
import { createWorkPool, type OfferedWork } from '../../src/reactors/work-pool.ts';
import type { Filter } from '../../src/readstore/read-store.ts';

const logger = { info: () => {}, warn: () => {}, error: () => {} };
const turns = async (): Promise<void> => {
  for (let nth = 0; nth < 10; nth += 1) await Promise.resolve();
};

/** Work that lasts until it is let go. */
function lasting(tenantId: string, key: string, begun: string[]): OfferedWork & { readonly end: () => void } {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    tenantId,
    key,
    end: () => end(),
    async work() {
      begun.push(key);
      await ended;
      return true;
    },
  };
}

it('gives a tenant half of the places, and serves another at once', async () => {
  const begun: string[] = [];
  const pool = createWorkPool({ size: 4, logger, onDone: () => {} });
  const busy = Array.from({ length: 40 }, (_, nth) => lasting('a', `a${nth}`, begun));
  for (const one of busy) pool.offer(one);
  await turns();
  expect(begun).toEqual(['a0', 'a1']);
  const other = lasting('b', 'b0', begun);
  pool.offer(other);
  await turns();
  expect(begun).toEqual(['a0', 'a1', 'b0']);
  for (const one of [...busy, other]) one.end();
  await pool.stop();
});

it('does not take work twice while it runs or waits', async () => {
  const begun: string[] = [];
  const pool = createWorkPool({ size: 2, logger, onDone: () => {} });
  const [one, two] = [lasting('a', 'one', begun), lasting('a', 'two', begun)];
  for (const offered of [one, two, one, two]) pool.offer(offered);
  await turns();
  one.end();
  await turns();
  two.end();
  await pool.stop();
  expect(begun).toEqual(['one', 'two']);
});

it('does not begin waiting work when it stops', async () => {
  const begun: string[] = [];
  const pool = createWorkPool({ size: 2, logger, onDone: () => {} });
  const [one, two] = [lasting('a', 'one', begun), lasting('a', 'two', begun)];
  pool.offer(one);
  pool.offer(two);
  await turns();
  const stopped = pool.stop();
  one.end();
  await stopped;
  expect(begun).toEqual(['one']);
});

describe('due work', () => {
  /** Of these tenants, which are there in this order. */
  function openOf(tenants: readonly string[], open: readonly (readonly [tenantId: string, count: number])[]) {
    const documents = tenants.map((tenantId) => ({ _id: tenantId, tenantId, createdAt: tenantId }));
    const find = async ({ after, limit }: { after?: readonly string[]; limit: number }) =>
      documents.filter(({ createdAt }) => createdAt > (after?.[0] ?? '')).slice(0, limit);
    const readModels = { of: () => ({ find }) } as unknown as ReadModels;
    const all = open.flatMap(([tenantId, count]) =>
      Array.from({ length: count }, (_, nth) => ({ _id: `${tenantId}${nth}`, _position: '1', tenantId })),
    );
    const findDue = async ({ filter, limit }: { filter: Filter; limit: number }) => {
      const own = filter[0]?.value;
      return all.filter(({ tenantId }) => own === undefined || own === tenantId).slice(0, limit);
    };
    const work = openWorkByTenant(readModels, findDue, { lookAt: 10, perTenant: 4 });
    return async () => {
      const counts: Record<string, number> = {};
      for (const { tenantId } of await work.look()) counts[tenantId] = (counts[tenantId] ?? 0) + 1;
      return counts;
    };
  }

  it('is all there is while that is little', async () => {
    expect(await openOf(['a', 'b'], [['a', 6]])()).toEqual({ a: 6 });
  });

  it('is found of every tenant, however much one has waiting, and filled up with the longest waiting', async () => {
    expect(
      await openOf(
        ['a', 'b', 'c'],
        [
          ['a', 1_000],
          ['b', 1],
          ['c', 1],
        ],
      )(),
    ).toEqual({ a: 8, b: 1, c: 1 });
    expect(await openOf(['a'], [['a', 1_000]])()).toEqual({ a: 10 });
  });

  it('is taken from the tenants in turn when it is too much for one search', async () => {
    const tenants = ['a', 'b', 'c', 'd', 'e'];
    const look = openOf(
      tenants,
      tenants.map((tenantId) => [tenantId, 100] as const),
    );
    expect(await look()).toEqual({ a: 4, b: 4, c: 4 });
    expect(await look()).toEqual({ d: 4, e: 4, a: 2 });
  });
});
