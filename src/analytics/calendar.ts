import { createFormats } from '../shared/time-zone.ts';

export const INTERVALS = ['day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
/** No local day starts further than this from the UTC day of the same date. */
const FURTHEST_QUARTERS = 16 * 4;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

const formatOf = createFormats({ year: 'numeric', month: '2-digit', day: '2-digit' });

/** The local day at the instant. */
export function dayAt(timezone: string, epochMs: number): string {
  if (timezone === 'UTC') return utcDay(epochMs);
  const parts = new Map(
    formatOf(timezone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, value]),
  );
  return `${(parts.get('year') ?? '').padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
}

export function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, DAY_LENGTH);
}

/** The UTC day of an instant. @param instant ISO 8601 UTC */
export function dayOf(instant: string): string {
  return instant.slice(0, DAY_LENGTH);
}

export function daysLater(day: string, days: number): string {
  return utcDay(Date.parse(day) + days * DAY_MS);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

/** The start of a day never changes, and looking up a time zone is most of what an answer costs. */
const starts = new Map<string, number>();
const MOST_STARTS = 20_000;

/** The instant at which the day begins: its first quarter hour or, where a clock change skips that, the one after. */
export function dayStart(timezone: string, day: string): number {
  if (timezone === 'UTC') return Date.parse(day);
  const key = `${timezone} ${day}`;
  let start = starts.get(key);
  if (start === undefined) {
    if (starts.size >= MOST_STARTS) starts.clear();
    start = soughtStart(timezone, Date.parse(day), day);
    starts.set(key, start);
  }
  return start;
}

function soughtStart(timezone: string, utc: number, day: string): number {
  let [before, at] = [-FURTHEST_QUARTERS, FURTHEST_QUARTERS];
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2);
    if (dayAt(timezone, utc + middle * QUARTER_MS) >= day) at = middle;
    else before = middle;
  }
  return utc + at * QUARTER_MS;
}

/** The first day of the interval that the day is in; weeks begin on Monday (ISO 8601). */
export function periodOf(day: string, interval: Interval): string {
  if (interval === 'day') return day;
  if (interval === 'month') return `${day.slice(0, 7)}-01`;
  return daysLater(day, -((new Date(day).getUTCDay() + 6) % 7));
}

function nextPeriod(period: string, interval: Interval): string {
  if (interval === 'day') return daysLater(period, 1);
  return interval === 'week' ? daysLater(period, 7) : periodOf(daysLater(period, 31), 'month');
}

export type Period = { readonly period: string; readonly startMs: number; readonly endMs: number };

/** The days of a time zone in a half-open range, split into intervals; the first and the last may be partial. */
export type Calendar = {
  readonly periods: readonly Period[];
  /** The first and last UTC month that it overlaps, `YYYY-MM`. */
  readonly months: { readonly first: string; readonly last: string };
  /** The period that contains an instant; null outside. */
  readonly at: (epochMs: number) => string | null;
};

type Days = { readonly from: string; readonly to: string; readonly interval: Interval; readonly timezone: string };

const calendars = new Map<string, Calendar>();
const MOST_CALENDARS = 100;

/** Recent ones are cached: a dashboard asks many questions about the same days. */
export function calendar(asked: Days): Calendar {
  const key = [asked.from, asked.to, asked.interval, asked.timezone].join(' ');
  let known = calendars.get(key);
  if (known === undefined) {
    if (calendars.size >= MOST_CALENDARS) calendars.clear();
    known = cutCalendar(asked);
    calendars.set(key, known);
  }
  return known;
}

function cutCalendar({ from, to, interval, timezone }: Days): Calendar {
  const periods: Period[] = [];
  let startMs = dayStart(timezone, from);
  for (let period = periodOf(from, interval); period < to; period = nextPeriod(period, interval)) {
    const next = nextPeriod(period, interval);
    const endMs = dayStart(timezone, next < to ? next : to);
    // A day that a time zone skips has no time in it.
    if (endMs > startMs) periods.push({ period, startMs, endMs });
    startMs = endMs;
  }
  const [first, last] = [periods[0], periods.at(-1)];
  const monthOf = (epochMs: number): string => utcDay(epochMs).slice(0, 7);
  return {
    periods,
    months: { first: monthOf(first?.startMs ?? 0), last: monthOf((last?.endMs ?? 1) - 1) },
    at(epochMs) {
      if (first === undefined || last === undefined) return null;
      if (epochMs < first.startMs || epochMs >= last.endMs) return null;
      let [low, high] = [0, periods.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((periods[middle] as Period).startMs <= epochMs) low = middle;
        else high = middle - 1;
      }
      return (periods[low] as Period).period;
    },
  };
}
