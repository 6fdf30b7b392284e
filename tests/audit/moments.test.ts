import { expect, it } from 'vitest';
import { positionAt } from '../../src/audit/moments.ts';
import type { RecordedEvent } from '../../src/events/event.ts';
import { history } from '../../src/projections/history.ts';
import type { ReadModels } from '../../src/queries/read-models.ts';
import { matches } from '../../src/readstore/matching.ts';
import type { Find } from '../../src/readstore/read-store.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

const MINUTE = '2026-03-01T08:00';
const position = (n: number): string => String(n).padStart(16, '0');

/** The history of one minute, and how often it was looked at. */
function historyOf(events: RecordedEvent[]): { readModels: ReadModels; looks: () => number } {
  let looks = 0;
  const starts = [{ minute: MINUTE, firstPosition: position(1), firstRecordedAt: `${MINUTE}:00.000Z` }];
  const blocks = {
    find: async ({ filter, sort, limit }: Find) => {
      looks += 1;
      const found = [...foldOne(history, events).values()].filter((block) => matches(block, filter));
      return (sort[0]?.direction === 'desc' ? found.toReversed() : found).slice(0, limit);
    },
  };
  const readModels = {
    of: () => ({ find: async () => starts }),
    readable: async () => ({ version: history.version, collection: blocks }),
  };
  return { readModels: readModels as unknown as ReadModels, looks: () => looks };
}

function entry(n: number, second: string, tenantId = 'one'): RecordedEvent {
  const event = recordedEvent('session', 'session', { type: 'SessionEnded', data: {} }, tenantId);
  return { ...event, position: position(n), recordedAt: `${MINUTE}:${second}.000Z` };
}

it('a moment is looked up once, as soon as the tenant has an event after it', async () => {
  const entries = [entry(1, '01'), entry(2, '02')];
  const { readModels, looks } = historyOf(entries);
  const at = (second: string, tenantId = 'one') => positionAt(readModels, tenantId, `${MINUTE}:${second}.000Z`);
  expect(await at('02')).toBe(position(2));
  entries.push(entry(3, '02'), entry(4, '03', 'two'));
  expect(await at('02')).toBe(position(3));
  entries.push(entry(5, '03'));
  expect(await at('02')).toBe(position(3));
  const before = looks();
  expect([await at('02'), await at('02')]).toEqual([position(3), position(3)]);
  expect(looks()).toBe(before);
  expect([await at('01'), await at('02', 'two')]).toEqual([position(1), '']);
});

it('no more than so many moments are remembered', async () => {
  const { readModels, looks } = historyOf([entry(1, '01'), entry(2, '59')]);
  const at = (nth: number) => positionAt(readModels, 'one', `${MINUTE}:02.${String(nth).padStart(4, '0')}Z`);
  for (let nth = 0; nth <= 1_000; nth += 1) await at(nth);
  const before = looks();
  await at(1_000);
  expect(looks()).toBe(before);
  await at(0);
  expect(looks()).toBeGreaterThan(before);
});
