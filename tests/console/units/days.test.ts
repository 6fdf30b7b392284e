import { describe, expect, it } from 'vitest';
import { addDays, dayIn, daysBetween, periodsWithin } from '../../../console/src/format/days.ts';
import { periodBefore } from '../../../console/src/pages/analytics/period-before.ts';
import { dayMarks } from '../../../console/src/pages/connections/day-states.ts';

describe('days', () => {
  it('are those of the zone, and count over the ends of months and years', () => {
    const late = new Date('2026-02-28T22:30:00Z');
    expect([dayIn('UTC', late), dayIn('Europe/Istanbul', late)]).toEqual(['2026-02-28', '2026-03-01']);
    expect(addDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(addDays('2026-03-01T08:00:00Z', -1)).toBe('2026-02-28');
    expect(daysBetween('2026-02-01', '2026-03-01')).toBe(28);
  });

  it('make the period before as long as the period, and none where an end is open', () => {
    expect(periodBefore({ from: '2026-03-01', to: '2026-04-01' })).toEqual({ from: '2026-01-29', to: '2026-03-01' });
    expect(periodBefore({ from: '2026-03-01' })).toBeNull();
    expect(periodBefore({ from: '2026-03-01', to: '2026-03-01' })).toBeNull();
    expect(periodBefore({ from: 'soon', to: '2026-03-01' })).toBeNull();
  });

  it('fall into days, weeks that begin on Monday, and months, all of a span', () => {
    expect(periodsWithin('2026-02-27', '2026-03-02', 'day')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(periodsWithin('2026-03-01', '2026-03-10', 'week')).toEqual(['2026-02-23', '2026-03-02', '2026-03-09']);
    expect(periodsWithin('2026-03-02', '2026-03-09', 'week')).toEqual(['2026-03-02']);
    expect(periodsWithin('2025-11-30', '2026-02-01', 'month')).toEqual(['2025-11-01', '2025-12-01', '2026-01-01']);
    expect(periodsWithin('2026-03-01', '2026-03-01', 'day')).toEqual([]);
  });

  it('end with today in a strip', () => {
    expect(dayMarks([], '2026-03-01', 3).map(({ day }) => day)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });
});
