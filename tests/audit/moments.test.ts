import { expect, it } from 'vitest';
import { positionAt } from '../../src/audit/moments.ts';
import type { ReadModels } from '../../src/queries/read-models.ts';
import { matches } from '../../src/readstore/matching.ts';
import type { Document, Find } from '../../src/readstore/read-store.ts';

const MINUTE = '2026-03-01T08:00';
type Entry = Document & { readonly tenantId: string; readonly position: string; readonly recordedAt: string };

/** The history of one minute, and how often it was looked at. */
function historyOf(entries: Entry[]): { readModels: ReadModels; looks: () => number } {
  let looks = 0;
  const starts = [{ minute: MINUTE, firstPosition: '1', firstRecordedAt: `${MINUTE}:00.000Z` }];
  const readModels = {
    of: ({ name }: { name: string }) => ({
      find: async ({ filter, sort, limit }: Find) => {
        if (name === 'log-moments') return starts;
        looks += 1;
        const found = entries.filter((entry) => matches(entry, filter));
        return (sort[0]?.direction === 'desc' ? found.toReversed() : found).slice(0, limit);
      },
    }),
  };
  return { readModels: readModels as unknown as ReadModels, looks: () => looks };
}

function entry(position: string, second: string, tenantId = 'one'): Entry {
  const recordedAt = `${MINUTE}:${second}.000Z`;
  return { _id: position, _position: position, tenantId, position, recordedAt };
}

it('a moment is looked up once, as soon as the tenant has an event after it', async () => {
  const entries = [entry('1', '01'), entry('2', '02')];
  const { readModels, looks } = historyOf(entries);
  const at = (second: string, tenantId = 'one') => positionAt(readModels, tenantId, `${MINUTE}:${second}.000Z`);
  expect(await at('02')).toBe('2');
  entries.push(entry('3', '02'), entry('4', '03', 'two'));
  expect(await at('02')).toBe('3');
  entries.push(entry('5', '03'));
  expect(await at('02')).toBe('3');
  const before = looks();
  expect([await at('02'), await at('02')]).toEqual(['3', '3']);
  expect(looks()).toBe(before);
  expect([await at('01'), await at('02', 'two')]).toEqual(['1', '']);
});

it('no more than so many moments are remembered', async () => {
  const { readModels, looks } = historyOf([entry('1', '01'), entry('2', '59')]);
  const at = (nth: number) => positionAt(readModels, 'one', `${MINUTE}:02.${String(nth).padStart(4, '0')}Z`);
  for (let nth = 0; nth <= 1_000; nth += 1) await at(nth);
  const before = looks();
  await at(1_000);
  expect(looks()).toBe(before);
  await at(0);
  expect(looks()).toBeGreaterThan(before);
});
