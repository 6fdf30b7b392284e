import { QUARTER_MS, quarterSlot } from '../projections/analytics/sums.ts';
import { type Period, utcDay } from './calendar.ts';

const DAY_MS = 86_400_000;
const QUARTERS_OF_A_DAY = 96;

/** A stretch of slots of a UTC day: from `first` to before `end`, both as slots are named. */
export type Piece = { readonly first: string; readonly end: string | null; readonly period: string | null };

/**
 * How a UTC day is distributed over periods: to `home` as a whole, except for pieces that belong elsewhere. Home is the
 * period of the longest piece, so that few slots have to be looked at.
 */
export type DayCut = { readonly home: string | null; readonly elsewhere: readonly Piece[] };

/** A UTC month as one period, but for some of its days, which {@link Segments.ofDay} distributes. */
export type MonthCut = { readonly home: string | null; readonly days: readonly string[] };

/** Periods laid over UTC days and months; what is in no period is in null. */
export type Segments = {
  /** The period that contains all of a UTC month; undefined where there are several, or part of it is in none. */
  readonly ofMonth: (month: string) => string | null | undefined;
  /** Null where no period contains more than half of the month's days. */
  readonly cutOfMonth: (month: string) => MonthCut | null;
  readonly ofDay: (day: string) => DayCut;
  /** The period of an instant. */
  readonly at: (epochMs: number) => string | null;
  /** From where to where there are periods, infinite for one without an end; undefined where there are none. */
  readonly firstMs: number | undefined;
  /** The last moment. */
  readonly lastMs: number | undefined;
  /** The UTC days within which a period begins or ends, in order. */
  readonly cutDays: readonly string[];
};

/** @param periods in the order of time, not overlapping; each begins and ends with a quarter hour, or never */
export function openSegments(periods: readonly Period[]): Segments {
  const starts: number[] = [-Infinity];
  const names: (string | null)[] = [null];
  const asked = periods.filter(({ startMs, endMs }) => endMs > startMs);
  for (const { period, startMs, endMs } of asked) {
    // Where the one before ends, this one begins.
    if (starts.at(-1) === startMs) names[names.length - 1] = period;
    else push(startMs, period);
    if (endMs < Infinity) push(endMs, null);
  }

  function push(startMs: number, name: string | null): void {
    starts.push(startMs);
    names.push(name);
  }

  function placeAt(epochMs: number): number {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] as number) <= epochMs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function cut(day: string): DayCut {
    const startMs = Date.parse(day);
    const quarterAt = (place: number): number => ((starts[place] ?? Infinity) - startMs) / QUARTER_MS;
    const pieces: (Piece & { readonly quarters: number })[] = [];
    for (let place = placeAt(startMs); quarterAt(place) < QUARTERS_OF_A_DAY; place += 1) {
      const first = Math.max(0, quarterAt(place));
      const end = Math.min(QUARTERS_OF_A_DAY, quarterAt(place + 1));
      const until = end === QUARTERS_OF_A_DAY ? null : quarterSlot(end);
      pieces.push({ first: quarterSlot(first), end: until, period: names[place] ?? null, quarters: end - first });
    }
    const longest = Math.max(...pieces.map(({ quarters }) => quarters));
    const home = pieces.find(({ quarters }) => quarters === longest);
    const elsewhere = pieces.filter((piece) => piece !== home);
    return {
      home: home?.period ?? null,
      elsewhere: elsewhere.map(({ first, end, period }) => ({ first, end, period })),
    };
  }

  const days = new Map<string, DayCut>();
  function ofDay(day: string): DayCut {
    let known = days.get(day);
    if (known === undefined) {
      known = cut(day);
      days.set(day, known);
    }
    return known;
  }

  function cutMonth(month: string): MonthCut | null {
    const daysOfMonth: string[] = [];
    for (let ms = Date.parse(month); utcDay(ms).startsWith(month); ms += DAY_MS) daysOfMonth.push(utcDay(ms));
    const whole = daysOfMonth.filter((day) => ofDay(day).elsewhere.length === 0);
    const byHome = Map.groupBy(whole, (day) => ofDay(day).home);
    for (const [home, { length }] of byHome) {
      if (length <= daysOfMonth.length / 2) continue;
      const others = daysOfMonth.filter((day) => ofDay(day).home !== home || ofDay(day).elsewhere.length > 0);
      return { home, days: others };
    }
    return null;
  }

  const months = new Map<string, MonthCut | null>();
  const [first, last] = [asked[0], asked.at(-1)];
  return {
    firstMs: first?.startMs,
    lastMs: last && last.endMs - 1,
    ofMonth(month) {
      const first = placeAt(Date.parse(month));
      const next = Date.parse(`${month}-28`) + 4 * DAY_MS;
      const last = placeAt(Date.parse(utcDay(next).slice(0, 7)) - 1);
      return first === last ? (names[first] ?? null) : undefined;
    },
    cutOfMonth(month) {
      let known = months.get(month);
      if (known === undefined) {
        known = cutMonth(month);
        months.set(month, known);
      }
      return known;
    },
    ofDay,
    at: (epochMs) => names[placeAt(epochMs)] ?? null,
    cutDays: [...new Set(starts.filter((ms) => Number.isFinite(ms) && ms % DAY_MS !== 0).map((ms) => utcDay(ms)))],
  };
}
