import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendar, dayAt, daysLater, utcDay } from '../../src/analytics/calendar.ts';
import { openLocalDays } from '../../src/analytics/local-days.ts';
import { openSegments } from '../../src/analytics/segments.ts';
import { QUARTER_MS, quarterSlot } from '../../src/projections/analytics/sums.ts';

const ZONES = [
  'UTC',
  'Europe/Istanbul',
  'America/St_Johns',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Niue',
  'Pacific/Apia',
];
const QUARTERS = Array.from({ length: 96 }, (_, quarter) => quarter);
/** Apia skipped 2011-12-30; Newfoundland changed its clocks at a minute past midnight until 2011. */
const day = fc
  .tuple(fc.constantFrom('2010-10-25', '2011-12-20', '2025-12-20', '2026-03-01', '2026-10-20'), fc.nat(25))
  .map(([first, later]) => daysLater(first, later));
const zone = fc.constantFrom(...ZONES);

describe('the periods of UTC days and months', () => {
  const asked = fc.record({
    from: day,
    days: fc.nat(70),
    interval: fc.constantFrom('day', 'week', 'month'),
    timezone: zone,
    utc: fc.integer({ min: -2, max: 72 }),
  });

  it('a day is one period but for the pieces elsewhere, as each of its quarter hours says', () => {
    fc.assert(
      fc.property(asked, ({ from, days, interval, timezone, utc }) => {
        const periods = calendar({ from, to: daysLater(from, days), interval, timezone });
        const segments = openSegments(periods.periods);
        const utcDayAsked = daysLater(from, utc);
        const { home, elsewhere } = segments.ofDay(utcDayAsked);
        for (const quarter of QUARTERS) {
          const slot = quarterSlot(quarter);
          const piece = elsewhere.find(({ first, end }) => first <= slot && (end === null || slot < end));
          const period = periods.at(Date.parse(utcDayAsked) + quarter * QUARTER_MS);
          expect(piece === undefined ? home : piece.period).toBe(period);
          expect(segments.at(Date.parse(utcDayAsked) + quarter * QUARTER_MS)).toBe(period);
        }
        expect(segments.cutDays.includes(utcDayAsked)).toBe(elsewhere.length > 0);
      }),
      { numRuns: 500 },
    );
  });

  it('a month is one period where all of its quarter hours are', () => {
    fc.assert(
      fc.property(asked, ({ from, days, interval, timezone, utc }) => {
        const periods = calendar({ from, to: daysLater(from, days), interval, timezone });
        const month = daysLater(from, utc).slice(0, 7);
        const within = new Set<string | null>();
        for (let ms = Date.parse(month); utcDay(ms).startsWith(month); ms += QUARTER_MS) within.add(periods.at(ms));
        const [only] = within;
        expect(openSegments(periods.periods).ofMonth(month)).toBe(within.size === 1 ? only : undefined);
      }),
      { numRuns: 60 },
    );
  });

  it('a month is one period but for some days, or is given day by day', () => {
    fc.assert(
      fc.property(asked, ({ from, days, interval, timezone, utc }) => {
        const { periods } = calendar({ from, to: daysLater(from, days), interval, timezone });
        const segments = openSegments(periods);
        const month = daysLater(from, utc).slice(0, 7);
        const cut = segments.cutOfMonth(month);
        const inMonth: string[] = [];
        for (let day = `${month}-01`; day.startsWith(month); day = daysLater(day, 1)) inMonth.push(day);
        const belongs = (name: string | null) => (day: string) => {
          const { home, elsewhere } = segments.ofDay(day);
          return home === name && elsewhere.length === 0;
        };
        if (cut === null) {
          const names = new Set(inMonth.map((day) => segments.ofDay(day).home));
          for (const name of names)
            expect(inMonth.filter(belongs(name)).length).toBeLessThanOrEqual(inMonth.length / 2);
        } else {
          expect(cut.days).toEqual(inMonth.filter((day) => !belongs(cut.home)(day)));
          expect(cut.days.length).toBeLessThan(inMonth.length / 2);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('periods apart from each other leave the time between them in none', () => {
    const startMs = Date.parse('2026-01-05');
    const part = (period: string, first: number, end: number) => {
      return { period, startMs: startMs + first * QUARTER_MS, endMs: startMs + end * QUARTER_MS };
    };
    const { ofDay, at } = openSegments([part('a', 0, 10), part('b', 10, 12), part('c', 80, 96)]);
    expect(ofDay('2026-01-05')).toEqual({
      home: null,
      elsewhere: [
        { first: '00', end: '10', period: 'a' },
        { first: '10', end: '12', period: 'b' },
        { first: '80', end: null, period: 'c' },
      ],
    });
    expect([at(startMs - 1), at(startMs + 12 * QUARTER_MS)]).toEqual([null, null]);
  });
});

describe('the local day of a quarter hour', () => {
  function expectEach(utc: string, timezone: string): void {
    const localDay = openLocalDays(timezone);
    for (const quarter of QUARTERS) {
      const expected = dayAt(timezone, Date.parse(utc) + quarter * QUARTER_MS);
      expect(localDay(utc, quarterSlot(quarter))).toBe(expected);
    }
  }

  it('is that at its start', () => {
    fc.assert(fc.property(day, zone, expectEach), { numRuns: 300 });
  });

  it.each([
    ['America/St_Johns', '2010-11-07', 'clocks went back to the day before'],
    ['Australia/Lord_Howe', '2026-04-04', 'clocks went back by half an hour'],
    ['America/Sao_Paulo', '2017-10-15', 'clocks went from midnight to one'],
    ['Pacific/Apia', '2011-12-30', 'a day was left out'],
  ])('is that at its start in %s on %s, where %s', (timezone, utc) => {
    expectEach(utc, timezone);
  });
});
