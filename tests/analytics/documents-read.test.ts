import { describe, expect, it } from 'vitest';
import { askedOf } from '../../src/analytics/parameters.ts';
import { balanceHistory } from '../../src/analytics/queries/balance-history.ts';
import { cashFlow } from '../../src/analytics/queries/cash-flow.ts';
import { lateArrivals } from '../../src/analytics/queries/late-arrivals.ts';
import { topCounterparties } from '../../src/analytics/queries/top-counterparties.ts';
import type { AnalyticsQuery } from '../../src/analytics/query.ts';
import { type AccountDayDocument, accountDays } from '../../src/projections/account-days.ts';
import { arrivals } from '../../src/projections/analytics/arrivals.ts';
import { counterparties } from '../../src/projections/analytics/counterparties.ts';
import { flows } from '../../src/projections/analytics/flows.ts';
import { subAccounts } from '../../src/projections/analytics/sub-accounts.ts';
import type { SumsDocument } from '../../src/projections/analytics/sums.ts';
import { collectionSpec, erased } from '../../src/projections/engine/runnable.ts';
import { foldEvents } from '../../src/projections/fold-event.ts';
import { openReader, type Reader } from '../../src/queries/reader.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { recorded } from '../support/facts.ts';
import { recordedEvent } from '../support/recorded-events.ts';
import { memoryLog } from '../support/small-reactor-services.ts';

const FIRST_MS = Date.parse('2026-01-01');
const DAYS = 90;
const QUARTERS = [0, 20, 60, 85, 95];

type Given = { interval?: 'day' | 'month'; timezone: string };

/** The days and months of the documents that an answer reads, from 90 days with five rows each. */
async function reading(query: AnalyticsQuery, given: Given) {
  const readStore = openEmbeddedReadStore({ file: ':memory:' });
  const events = Array.from({ length: DAYS * QUARTERS.length }, (_, nth) => {
    const quarter = Math.floor(nth / QUARTERS.length) * 96 + (QUARTERS[nth % QUARTERS.length] ?? 0);
    const at = (quarters: number): string => new Date(FIRST_MS + quarters * 900_000).toISOString();
    return recordedEvent(
      'bankTransaction',
      `${nth}`,
      recorded({ transactionDate: at(quarter), fetchedAt: at(quarter + 96) }),
    );
  });
  const summed = [flows, counterparties, arrivals, subAccounts].map((model) => erased(model.projection));
  for (const projection of [...summed, erased(accountDays)]) {
    await readStore.ensureCollection(collectionSpec(projection));
    await readStore.collection(collectionSpec(projection)).putMany([...foldEvents(projection, events).values()]);
  }
  const all = openReader({ of: (model) => readStore.collection(collectionSpec(model)) }, 'tenant', null);
  const read: SumsDocument[] = [];
  const bookingDays: string[] = [];
  const reader: Reader = {
    ...all,
    async page(projection, options) {
      const page = await all.page(projection, options);
      if (projection.name === accountDays.name) bookingDays.push(...page.items.map(dayOf));
      else read.push(...(page.items as unknown as SumsDocument[]));
      return page;
    },
    async *all(projection, options) {
      for await (const document of all.all(projection, options)) {
        if (projection.name === accountDays.name) bookingDays.push(dayOf(document));
        yield document;
      }
    },
  };
  const asked = askedOf(query, { from: '2026-01-01', to: '2026-04-01', ...given }, 0);
  if (asked === null) throw new Error('no such question');
  const position = events.at(-1)?.position ?? '';
  const source = { log: memoryLog(), reader, tenant: reader, position, pace: <T>(part: () => Promise<T>) => part() };
  const { rows } = await query.answer(source, asked);
  await readStore.close();
  const count = rows.reduce((sum, row) => sum + Number(row.count), 0);
  const months = read.filter(({ month }) => month).length;
  return { answer: { count, months, days: read.flatMap(({ day }) => day ?? []) }, bookingDays };
}

async function readBy(query: AnalyticsQuery, given: Given) {
  return (await reading(query, given)).answer;
}

function dayOf(document: object): string {
  return (document as AccountDayDocument).day;
}

describe('what an answer reads', () => {
  it('are months alone where the months asked for are those of UTC', async () => {
    expect(await readBy(cashFlow, { interval: 'month', timezone: 'UTC' })).toEqual({ count: 450, months: 3, days: [] });
  });

  it('are days alone in documents of months where the days asked for are those of UTC', async () => {
    expect(await readBy(cashFlow, { interval: 'day', timezone: 'UTC' })).toEqual({ count: 450, months: 3, days: [] });
  });

  it('are, elsewhere, also the days within which a month begins or ends', async () => {
    const read = await readBy(cashFlow, { interval: 'month', timezone: 'Europe/Istanbul' });
    // Its first of April begins at 21:00 on the last of March, where two rows are later.
    expect(read).toEqual({ count: 448, months: 3, days: ['2026-01-31', '2026-02-28', '2026-03-31'] });
  });

  it('are months of the largest counterparties, whatever the zone', async () => {
    const read = await readBy(topCounterparties, { timezone: 'Europe/Istanbul' });
    expect(read).toEqual({ count: 448, months: 3, days: [] });
  });

  it('are, of balances by month, only booking days around the end of each', async () => {
    const { bookingDays } = await reading(balanceHistory, { interval: 'month', timezone: 'Europe/Istanbul' });
    expect(bookingDays).toEqual([
      ...['2026-01-28', '2026-01-29', '2026-01-30', '2026-01-31', '2026-02-01'],
      ...['2026-02-25', '2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01'],
      ...['2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31'],
    ]);
  });

  it('is one document for each day of rows that arrived late', async () => {
    const read = await readBy(lateArrivals, { timezone: 'UTC' });
    expect(read).toMatchObject({ count: 445, days: [] });
    expect(read.months).toBeLessThanOrEqual(DAYS + 1);
  });
});
