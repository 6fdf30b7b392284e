import { QUARTER_MS, quarterSlot } from '../projections/analytics/sums.ts';
import { dayAt, dayStart, daysLater } from './calendar.ts';

const DAY_MS = 86_400_000;

/**
 * The local day of a quarter hour of a UTC day. Days are looked up once: a time zone is asked some two times for a UTC
 * day.
 * @param slot the quarter hour's slot, `00` to `95`
 */
export type LocalDays = (utcDay: string, slot: string) => string;

export function openLocalDays(timezone: string): LocalDays {
  const known = new Map<string, readonly { readonly first: string; readonly day: string }[]>();

  /** The local days within the UTC day, the last one first, each with its first slot. */
  function within(utcDay: string): readonly { readonly first: string; readonly day: string }[] {
    const startMs = Date.parse(utcDay);
    const last = dayAt(timezone, startMs + DAY_MS - QUARTER_MS);
    const days = [{ first: quarterSlot(0), day: dayAt(timezone, startMs) }];
    for (let day = days[0]?.day ?? last; day < last; ) {
      const beginsMs = dayStart(timezone, daysLater(day, 1));
      // A day that the time zone skips begins with the one after it.
      day = dayAt(timezone, beginsMs);
      days.unshift({ first: quarterSlot((beginsMs - startMs) / QUARTER_MS), day });
    }
    return days;
  }

  return (utcDay, slot) => {
    let days = known.get(utcDay);
    if (days === undefined) {
      days = within(utcDay);
      known.set(utcDay, days);
    }
    return (days.find(({ first }) => first <= slot) ?? days.at(-1))?.day ?? utcDay;
  };
}
