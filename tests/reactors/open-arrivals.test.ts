import { expect, it } from 'vitest';
import { openArrivalsOf } from '../../src/reactors/syncs/open-arrivals.ts';
import { AT, HASH } from '../support/facts.ts';
import { setClock, smallWorld } from '../support/small-reactor-services.ts';

const NO_RULES = { inForce: () => ({ rules: [], digest: HASH, matching: () => [] }) };

/** Of so many pages, which were evaluated; the log takes what is evaluated where `isTaken`. */
async function pagesOfOneSync() {
  const { services, stop } = await smallWorld(setClock(AT));
  const openArrivals = openArrivalsOf(
    services,
    { ruleBook: { open: async () => NO_RULES }, knownTo: () => '1' },
    { tenantId: 'tenant', companyId: 'company', syncId: 'sync' },
  );
  await stop();
  return async (count: number, isTaken: boolean): Promise<boolean[]> => {
    const evaluated: boolean[] = [];
    for (let page = 0; page < count; page += 1) {
      const arrivals = await openArrivals();
      arrivals?.settle(isTaken);
      evaluated.push(arrivals !== null);
    }
    return evaluated;
  };
}

const times = (evaluated: readonly boolean[]): number => evaluated.filter(Boolean).length;

it('evaluates few pages of a sync in vain, however often rules change meanwhile', async () => {
  const pages = await pagesOfOneSync();
  expect((await pages(12, false)).flatMap((isEvaluated, page) => (isEvaluated ? [page] : []))).toEqual([0, 2, 5, 10]);
  expect(times(await pages(1_000, false))).toBeLessThan(40);
});

it('evaluates every page again soon after rules have come to rest', async () => {
  const pages = await pagesOfOneSync();
  await pages(1_000, false);
  const [first, ...later] = [await pages(33, true), await pages(100, true)].flat().slice(32);
  expect(first).toBe(true);
  expect(times(later)).toBe(100);
  // One change by itself costs one page, as at the beginning.
  expect(await pages(1, false)).toEqual([true]);
  expect(await pages(2, true)).toEqual([false, true]);
});
