const DAY_MS = 86_400_000;

/** The day that it is in the zone: `YYYY-MM-DD`. */
export function dayIn(timeZone: string, at: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }).format(at);
}

/** Of a day, or of the day in UTC of a moment. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day.slice(0, 10)}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** How many days lie between two days or moments, rounded; NaN where one of them is none. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

/** Seconds since 1970 of the day's start in UTC, for the axis of a chart. */
export function secondsOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1_000;
}

export type Interval = 'day' | 'week' | 'month';

/** The first days of all periods from `from` up to before `to`, as analytics name them: weeks begin on Monday. */
export function periodsWithin(from: string, to: string, interval: Interval): string[] {
  const periods: string[] = [];
  for (let period = periodOf(from, interval); period < to; period = next(period, interval)) periods.push(period);
  return periods;
}

function periodOf(day: string, interval: Interval): string {
  if (interval === 'day') return day;
  if (interval === 'month') return `${day.slice(0, 7)}-01`;
  return addDays(day, -((new Date(secondsOf(day) * 1_000).getUTCDay() + 6) % 7));
}

function next(period: string, interval: Interval): string {
  if (interval === 'month') return periodOf(addDays(period, 31), 'month');
  return addDays(period, interval === 'week' ? 7 : 1);
}
