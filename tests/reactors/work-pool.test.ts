import { expect, it } from 'vitest';
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

it('leaves a tenant half of the places, and serves another at once', async () => {
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

it('takes nothing twice that runs or waits', async () => {
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

it('begins nothing that waits when it stops', async () => {
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

it('finds the work of every tenant, however much one has waiting', async () => {
  const documents = ['a', 'b', 'c'].map((tenantId) => ({ _id: tenantId, tenantId, createdAt: tenantId }));
  const readModels = { of: () => ({ find: async () => documents }) } as unknown as ReadModels;
  const open = [
    ...Array.from({ length: 1_000 }, (_, nth) => ({ tenantId: 'a', nth })),
    ...['b', 'c'].map((tenantId) => ({ tenantId, nth: 0 })),
  ];
  const find = async ({ filter, limit }: { filter: Filter; limit: number }) => {
    const own = filter[0]?.value;
    return open.filter(({ tenantId }) => own === undefined || own === tenantId).slice(0, limit);
  };
  const found = await openWorkByTenant(readModels, find, { lookAt: 200, perTenant: 20 }).look();
  expect([...new Set(found.map(({ tenantId }) => tenantId))]).toEqual(['a', 'b', 'c']);
  expect(found).toHaveLength(22);
});
