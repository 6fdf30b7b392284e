import { createFormats } from './time-zone.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

const formatOf = createFormats({
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** The local time at the instant, as the epoch milliseconds at which UTC clocks show the same. */
function askedWall(timezone: string, epochMs: number): number {
  const parts = new Map<string, number>();
  for (const { type, value } of formatOf(timezone).formatToParts(epochMs)) parts.set(type, Number(value));
  const part = (type: string): number => parts.get(type) ?? 0;
  const day = Date.UTC(part('year'), part('month') - 1, part('day'));
  return day + part('hour') * 60 * MINUTE_MS + part('minute') * MINUTE_MS + part('second') * 1_000;
}

function askedOffset(timezone: string, minute: number): number {
  return askedWall(timezone, minute * MINUTE_MS) - minute * MINUTE_MS;
}

/** A week, in which clocks change once at the most; `change` is the first minute with the offset `after`. */
type Week = { readonly before: number; readonly change: number; readonly after: number };

/** The offsets of a past or future week are fixed, and looking one up takes longer than all the rest. */
const weeks = new Map<string, Week>();
const MOST_WEEKS = 10_000;

function weekOf(timezone: string, epochMs: number): Week {
  const nth = Math.floor(epochMs / WEEK_MS);
  const key = `${nth} ${timezone}`;
  let week = weeks.get(key);
  if (week === undefined) {
    if (weeks.size >= MOST_WEEKS) weeks.clear();
    week = soughtWeek(timezone, (nth * WEEK_MS) / MINUTE_MS, ((nth + 1) * WEEK_MS) / MINUTE_MS);
    weeks.set(key, week);
  }
  return week;
}

function soughtWeek(timezone: string, first: number, end: number): Week {
  const [before, after] = [askedOffset(timezone, first), askedOffset(timezone, end)];
  let [same, other] = [first, end];
  while (before !== after && other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (askedOffset(timezone, middle) === before) same = middle;
    else other = middle;
  }
  return { before, change: other * MINUTE_MS, after };
}

function offsetAt(timezone: string, epochMs: number): number {
  const { before, change, after } = weekOf(timezone, epochMs);
  return epochMs < change ? before : after;
}

/**
 * Local time in a time zone, as the epoch milliseconds at which UTC clocks show the same, so that local times can be
 * compared and added to.
 */
export function wallAt(timezone: string, epochMs: number): number {
  return epochMs + offsetAt(timezone, epochMs);
}

/**
 * The first instant with another offset from UTC than at `fromMs`, if there is one up to `toMs`, which is no more than
 * a week later.
 */
export function changeBetween(timezone: string, fromMs: number, toMs: number): number | null {
  const before = offsetAt(timezone, fromMs);
  for (const week of [weekOf(timezone, fromMs), weekOf(timezone, toMs)]) {
    if (week.before !== week.after && week.before === before && week.change > fromMs && week.change <= toMs) {
      return week.change;
    }
  }
  return null;
}

/**
 * The instant of the local time, the first one where it occurs twice. `isShown` is false for a local time that a clock
 * change skips; the instant is then that of the change.
 */
export function instantOfWall(timezone: string, wallMs: number): { readonly atMs: number; readonly isShown: boolean } {
  // No offset is larger than a day, and no zone changes its clocks twice within these two.
  const [before, after] = [wallMs - DAY_MS, wallMs + DAY_MS];
  const early = wallMs - offsetAt(timezone, before);
  const change = changeBetween(timezone, before, after);
  // By the clocks as they were before the change it is shown at `early`, if they had not changed by then.
  if (change === null || early < change) return { atMs: early, isShown: true };
  const late = wallMs - offsetAt(timezone, after);
  return late >= change ? { atMs: late, isShown: true } : { atMs: change, isShown: false };
}
