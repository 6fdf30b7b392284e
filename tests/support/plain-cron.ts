import type { ScheduleTiming } from '../../src/events/schedule.ts';

const MINUTE_MS = 60_000;
const QUARTER = 15;
const DAY = 24 * 60;

/** The local time of a zone in each minute of a range, in minutes of a calendar without clock changes. */
export type WalkedZone = { readonly timezone: string; readonly fromMs: number; readonly walls: Int32Array };

/** Minute by minute; the zone's offset is read each quarter hour, since offsets change at no other time. */
export function walkZone(timezone: string, from: string, to: string): WalkedZone {
  const fromMs = Date.parse(from);
  const walls = new Int32Array((Date.parse(to) - fromMs) / MINUTE_MS);
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  for (let minute = 0; minute < walls.length; minute += QUARTER) {
    const shown = format.format(fromMs + minute * MINUTE_MS).replace(' ', 'T');
    const wall = Date.parse(`${shown}Z`) / MINUTE_MS;
    for (let nth = 0; nth < QUARTER; nth += 1) walls[minute + nth] = wall + nth;
  }
  return { timezone, fromMs, walls };
}

export type CronFields = {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[] | null;
  readonly months: readonly number[] | null;
  readonly weekdays: readonly number[] | null;
};

/** Which minutes of a day, and which days, a line names. */
function plainly(fields: CronFields) {
  const minutesOfDay = new Uint8Array(DAY);
  for (const hour of fields.hours) for (const minute of fields.minutes) minutesOfDay[hour * 60 + minute] = 1;
  const isDay = (day: number): boolean => {
    const date = new Date(day * DAY * MINUTE_MS);
    if (fields.months !== null && !fields.months.includes(date.getUTCMonth() + 1)) return false;
    const { daysOfMonth, weekdays } = fields;
    const byMonth = daysOfMonth?.includes(date.getUTCDate()) ?? null;
    const byWeek = weekdays?.includes(date.getUTCDay()) ?? null;
    // As in cron: where both name days, a day that either of them names.
    return byMonth === null || byWeek === null ? (byMonth ?? byWeek ?? true) : byMonth || byWeek;
  };
  return { minutesOfDay, isDay };
}

/**
 * All turns in the range, found minute by minute. A line for every hour has a turn in each minute that shows one of its
 * times. Any other line has one in each minute that first shows one, or first shows a time later than one that was
 * skipped.
 */
export function plainTurns({ fromMs, walls }: WalkedZone, fields: CronFields): number[] {
  const { minutesOfDay, isDay } = plainly(fields);
  const everyHour = fields.hours.length === 24;
  const firstDay = Math.floor((walls[0] ?? 0) / DAY) - 1;
  const days = Uint8Array.from({ length: walls.length / DAY + 3 }, (_, nth) => Number(isDay(firstDay + nth)));
  const turns: number[] = [];
  let latest = (walls[0] ?? 0) - 1;
  for (let minute = 0; minute < walls.length; minute += 1) {
    const wall = walls[minute] as number;
    let named = false;
    for (let passed = everyHour ? wall : latest + 1; passed <= wall && !named; passed += 1) {
      const day = (passed / DAY) | 0;
      named = days[day - firstDay] === 1 && minutesOfDay[passed - day * DAY] === 1;
    }
    if (wall > latest) latest = wall;
    if (named) turns.push(fromMs + minute * MINUTE_MS);
  }
  return turns;
}

/** The minutes around which the clocks change. */
export function changesOf({ fromMs, walls }: WalkedZone): number[] {
  const changes: number[] = [];
  for (let minute = 1; minute < walls.length; minute += 1) {
    if ((walls[minute] ?? 0) - (walls[minute - 1] ?? 0) !== 1) changes.push(fromMs + minute * MINUTE_MS);
  }
  return changes;
}

export function timingOf(cron: string, timezone: string): ScheduleTiming {
  return { cron, everyMinutes: null, timezone, anchorAt: '2026-01-01T00:00:00.000Z' };
}
