import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendar, dayAt, dayStart, periodOf } from '../../src/analytics/calendar.ts';

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

describe('the days of a time zone', () => {
  it.each([
    ['UTC', '2026-03-29', '2026-03-29T00:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['America/New_York', '2026-11-02', '2026-11-02T05:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-06', '2026-04-05T13:30:00.000Z'],
    // Clocks went from midnight to one: the day began at one.
    ['America/Sao_Paulo', '2017-10-15', '2017-10-15T03:00:00.000Z'],
    // The island left this day out, so that nothing is in it.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
  ])('in %s %s begins at %s', (timezone, day, start) => {
    expect(iso(dayStart(timezone, day))).toBe(start);
  });

  it('hold every instant in the period of its own day, and nothing else', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom('day', 'week', 'month'),
        fc.date({ min: new Date('2025-12-20'), max: new Date('2026-05-01'), noInvalidDate: true }),
        (timezone, interval, date) => {
          const [from, to] = ['2026-01-02', '2026-04-20'];
          const day = dayAt(timezone, date.getTime());
          const within = day >= from && day < to;
          const quarter = date.getTime() - (date.getTime() % 900_000);
          const { at } = calendar({ from, to, interval, timezone });
          expect(at(quarter)).toBe(within ? periodOf(day, interval) : null);
        },
      ),
    );
  });

  it('make periods that are named by their first day and cut short at both ends', () => {
    const { periods } = calendar({ from: '2025-12-31', to: '2026-01-06', interval: 'week', timezone: 'UTC' });
    expect(
      periods.map(({ period, startMs, endMs }) => [period, iso(startMs).slice(0, 10), iso(endMs).slice(0, 10)]),
    ).toEqual([
      ['2025-12-29', '2025-12-31', '2026-01-05'],
      ['2026-01-05', '2026-01-05', '2026-01-06'],
    ]);
    expect(calendar({ from: '2026-01-01', to: '2026-01-01', interval: 'day', timezone: 'UTC' }).periods).toEqual([]);
    const gone = calendar({ from: '2011-12-29', to: '2012-01-01', interval: 'day', timezone: 'Pacific/Apia' });
    expect(gone.periods.map(({ period }) => period)).toEqual(['2011-12-29', '2011-12-31']);
  });
});
