import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { accountSides, openAccountDaysThen } from '../../src/analytics/account-days-then.ts';
import { daysLater } from '../../src/analytics/calendar.ts';
import { analyticsQueries } from '../../src/analytics/catalogue.ts';
import { askedOf } from '../../src/analytics/parameters.ts';
import type { RecordedEvent } from '../../src/events/event.ts';
import { rowResource } from '../../src/http/resources/analytics.ts';
import type { Append, EventLog } from '../../src/log/log.ts';
import { projections } from '../../src/projections/all.ts';
import { arrivals } from '../../src/projections/analytics/arrivals.ts';
import { automationSums } from '../../src/projections/analytics/automation.ts';
import { counterparties } from '../../src/projections/analytics/counterparties.ts';
import { flows } from '../../src/projections/analytics/flows.ts';
import { references } from '../../src/projections/analytics/references.ts';
import { ruleMatches } from '../../src/projections/analytics/rule-matches.ts';
import { subAccounts } from '../../src/projections/analytics/sub-accounts.ts';
import type { Sums } from '../../src/projections/analytics/sums.ts';
import { syncSums } from '../../src/projections/analytics/syncs.ts';
import { startProjections } from '../../src/projections/engine/projection-runner.ts';
import { openReadModels, type ReadModels } from '../../src/projections/engine/read-models.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { openReader } from '../../src/queries/reader.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { defined } from '../../src/shared/defined.ts';
import { ACCOUNTS, analyticsHistory } from '../support/analytics-history.ts';
import { storeFormerSums } from '../support/former-sums.ts';
import { type NaiveId, type NaiveQuestion, naiveAnalytics } from '../support/naive-analytics.ts';
import { memoryLog } from '../support/small-reactor-services.ts';

const TENANT = 'tenant';
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Niue',
];

const SUMS = [flows, counterparties, references, arrivals, ruleMatches, syncSums, automationSums, subAccounts] as const;

type ReactorServices = {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly events: readonly RecordedEvent[];
};

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** Log and read models of a service to which just this has happened. */
async function worldOf(appends: readonly Append[], options: { former?: boolean } = {}): Promise<ReactorServices> {
  const log = memoryLog();
  const readStore = openEmbeddedReadStore({ file: ':memory:' });
  const used = projections.filter(({ takes }) => takes.some((type) => /^Transaction|^Sync|^Rule/.test(type)));
  for (const projection of used) await readStore.ensureCollection(collectionSpec(projection));
  const clock = { now: () => Date.now() };
  const runner = startProjections({ log, readStore, projections: used, clock, owner: 'test' });
  opened.push(async () => {
    await runner.stop();
    await readStore.close();
    await log.close();
  });
  for (const append of appends) await log.append(append);
  const names = used.map(({ name }) => name);
  expect(await runner.waitFor(names, await log.head(), 100_000)).toBe(true);
  const { events } = await log.readAll({ after: '', limit: 100_000 });
  if (options.former) for (const model of SUMS) await storeFormerSums(readStore, model as unknown as Sums, events);
  const readModels = await openReadModels({ readStore, projections: used });
  return { log, readModels, events: events.filter(({ metadata }) => metadata.tenantId === TENANT) };
}

/** With another tenant's figures before them, of which nothing may show. */
function historyOf(options: { seed: number; rows: number; complete?: boolean }): Append[] {
  const others = analyticsHistory({ seed: options.seed + 1, rows: 10, tenantId: 'another' });
  return [...others, ...analyticsHistory({ ...options, tenantId: TENANT })];
}

const days = fc.integer({ min: 0, max: 70 }).map((nth) => {
  return new Date(Date.parse('2026-02-16') + nth * 86_400_000).toISOString().slice(0, 10);
});

const question: fc.Arbitrary<NaiveQuestion> = fc.record({
  from: days,
  to: days,
  interval: fc.constantFrom('day', 'week', 'month'),
  timezone: fc.constantFrom(...ZONES),
  groupBy: fc.constantFrom('company', 'account', 'subAccount', undefined),
  accountIds: fc.constantFrom(undefined, [ACCOUNTS[0].accountId], [ACCOUNTS[0].accountId, ACCOUNTS[2].accountId]),
  currency: fc.constantFrom(undefined, undefined, 'EUR', 'JPY'),
  limit: fc.constantFrom(undefined, 1, 3),
  byPeriod: fc.boolean(),
});

/** Only what the query takes; the rest as if it was not asked. */
function takenBy(id: NaiveId, asked: NaiveQuestion): NaiveQuestion {
  const query = analyticsQueries.find((one) => one.id === id);
  const taken = Object.entries(asked).filter(([name]) => query?.takes.includes(name as never));
  const { from, to } = asked;
  const byPeriod = id === 'reference-totals' ? asked.byPeriod : undefined;
  return { from, to, interval: 'day', timezone: 'UTC', ...Object.fromEntries(taken), byPeriod };
}

async function answered({ log, readModels }: ReactorServices, id: NaiveId, asked: NaiveQuestion, position: string) {
  const query = analyticsQueries.find((one) => one.id === id);
  const { byPeriod, interval, ...rest } = asked;
  const given = defined(byPeriod === false ? rest : { ...rest, interval });
  const complete = query === undefined ? null : askedOf(query, given, 0);
  if (query === undefined || complete === null) throw new Error(`no such question: ${id}`);
  const reader = openReader(readModels, TENANT, null);
  const { rows } = await query.answer({ log, reader, tenant: reader, position, pace: (read) => read() }, complete);
  return rows.map((row) => rowResource(row, query.columns(complete.groupBy, complete.byPeriod)));
}

const ids = analyticsQueries.map(({ id }) => id as NaiveId).filter((id) => id !== 'balance-history');

describe('every answer of analytics', () => {
  it('is, at any position, what all events up to there come to one by one', async () => {
    for (const seed of [1, 2, 3]) {
      const services = await worldOf(historyOf({ seed, rows: 150 }));
      const positions = services.events.map(({ position }) => position);
      await fc.assert(
        fc.asyncProperty(question, fc.nat(positions.length - 1), fc.constantFrom(...ids), async (any, nth, id) => {
          const asked = takenBy(id, any.from <= any.to ? any : { ...any, from: any.to, to: any.from });
          const position = nth % 3 === 0 ? (positions.at(-1) ?? '') : (positions[nth] ?? '');
          const upTo = services.events.filter((event) => event.position <= position);
          expect(await answered(services, id, asked, position)).toEqual(naiveAnalytics(upTo)[id](asked));
        }),
        { numRuns: 150, seed },
      );
    }
  });

  it('is the same from sums of the former version, which are read until the present one is built', async () => {
    const services = await worldOf(historyOf({ seed: 7, rows: 150 }), { former: true });
    const positions = services.events.map(({ position }) => position);
    await fc.assert(
      fc.asyncProperty(question, fc.nat(positions.length - 1), fc.constantFrom(...ids), async (any, nth, id) => {
        const asked = takenBy(id, any.from <= any.to ? any : { ...any, from: any.to, to: any.from });
        const position = nth % 3 === 0 ? (positions.at(-1) ?? '') : (positions[nth] ?? '');
        const upTo = services.events.filter((event) => event.position <= position);
        expect(await answered(services, id, asked, position)).toEqual(naiveAnalytics(upTo)[id](asked));
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  it('includes what was attached while it was being answered', async () => {
    const services = await worldOf(historyOf({ seed: 3, rows: 150 }));
    const positions = services.events.map(({ position }) => position);
    const asked = { from: '2026-02-16', to: '2026-04-27', interval: 'day', timezone: 'UTC' } as const;
    for (let nth = 50; nth < positions.length - 10; nth += 25) {
      const position = positions[nth] ?? '';
      let looks = 0;
      // The log goes on between the first look at its end and the next.
      const head = async (): Promise<string> => (looks++ === 0 ? (positions[nth + 1] ?? '') : services.log.head());
      const { log } = services;
      const bound = { readAll: log.readAll.bind(log), subscribe: log.subscribe.bind(log) };
      const growing = { ...services, log: { ...log, ...bound, head } };
      const upTo = services.events.filter((event) => event.position <= position);
      const rows = await answered(growing, 'rule-performance', asked, position);
      expect(rows).toEqual(naiveAnalytics(upTo)['rule-performance'](asked));
    }
  });

  it('has the balance of the last row before the end of each period, in every time zone', async () => {
    const services = await worldOf(historyOf({ seed: 4, rows: 200, complete: true }));
    const arrived = services.events.at(-1)?.position ?? '';
    await fc.assert(
      fc.asyncProperty(question, async (any) => {
        const asked = takenBy('balance-history', any.from <= any.to ? any : { ...any, from: any.to, to: any.from });
        const naive = naiveAnalytics(services.events)['balance-history'](asked);
        expect(await answered(services, 'balance-history', asked, arrived)).toEqual(naive);
      }),
      { numRuns: 80, seed: 4 },
    );
  });

  it('is, at any position, what a service that had recorded no more would have answered', async () => {
    const appends = historyOf({ seed: 5, rows: 200 });
    const later = await worldOf(appends);
    for (const share of [0.3, 0.5, 0.8, 0.95]) {
      const then = await worldOf(appends.slice(0, Math.floor(appends.length * share)));
      const position = then.events.at(-1)?.position ?? '';
      for (const { id } of analyticsQueries) {
        for (const timezone of ['UTC', 'Australia/Lord_Howe']) {
          const any = { from: '2026-02-18', to: '2026-04-10', interval: 'week', timezone } as const;
          const asked = takenBy(id as NaiveId, any);
          const said = await answered(then, id as NaiveId, asked, position);
          expect(await answered(later, id as NaiveId, asked, position), id).toEqual(said);
          expect(said.length, id).toBeGreaterThan(0);
        }
      }
    }
  });

  it('has by month the balances that it has by day on the last day of each, at any position', async () => {
    const services = await worldOf(historyOf({ seed: 8, rows: 300 }));
    const ends = new Set(['2026-02-28', '2026-03-31', '2026-04-19']);
    for (const share of [0.4, 0.8, 1]) {
      const position = services.events[Math.ceil(services.events.length * share) - 1]?.position ?? '';
      for (const timezone of ZONES) {
        const common = { from: '2026-02-01', to: '2026-04-20', timezone } as const;
        const byDay = await answered(services, 'balance-history', { ...common, interval: 'day' }, position);
        const byMonth = await answered(services, 'balance-history', { ...common, interval: 'month' }, position);
        const lastDays = byDay.filter(({ period }) => ends.has(String(period)));
        expect(lastDays.length).toBeGreaterThan(5);
        expect(byMonth).toEqual(lastDays.map((row) => ({ ...row, period: `${String(row.period).slice(0, 7)}-01` })));
      }
    }
  });

  it('looks at the same booking days around one day as around a range of that day, at any position', async () => {
    // So many that days beside each other have rows, some of which came after the position.
    const services = await worldOf(historyOf({ seed: 9, rows: 900 }));
    const positions = services.events.map(({ position }) => position);
    const reader = openReader(services.readModels, TENANT, null);
    await fc.assert(
      fc.asyncProperty(days, fc.nat(positions.length - 1), async (day, nth) => {
        const pace = <T>(read: () => Promise<T>): Promise<T> => read();
        const source = { log: services.log, reader, tenant: reader, position: positions[nth] ?? '', pace };
        const then = openAccountDaysThen(source);
        for (const side of await accountSides(source, { accountIds: null, bankCodes: null, currency: null })) {
          expect(await then.near(side, day)).toEqual(await then.around(side, day, daysLater(day, 1)));
        }
      }),
      { numRuns: 300, seed: 9 },
    );
  });

  it('has the same balance whatever day the request begins at, with gaps or without', async () => {
    const services = await worldOf(historyOf({ seed: 6, rows: 300 }));
    const position = services.events.at(-1)?.position ?? '';
    const common = { to: '2026-04-20', interval: 'day', timezone: 'Europe/Berlin' } as const;
    const whole = await answered(services, 'balance-history', { ...common, from: '2026-02-01' }, position);
    const gaps = { ...common, timezone: 'UTC' };
    const wholeGaps = await answered(services, 'completeness-gaps', { ...gaps, from: '2026-02-01' }, position);
    expect(wholeGaps.length).toBeGreaterThan(5);
    for (const from of ['2026-03-01', '2026-03-11', '2026-03-30', '2026-04-12']) {
      const some = await answered(services, 'balance-history', { ...common, from }, position);
      expect(some).toEqual(whole.filter(({ period }) => String(period) >= from));
      const someGaps = await answered(services, 'completeness-gaps', { ...gaps, from }, position);
      expect(someGaps).toEqual(wholeGaps.filter(({ day }) => String(day) >= from));
    }
  });
});
