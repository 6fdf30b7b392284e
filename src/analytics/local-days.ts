import { QUARTER_MS, quarterSlot } from '../projections/analytics/sums.ts';
import { dayAt, dayStart, daysLater } from './calendar.ts';

const DAY_MS = 86_400_000;
const QUARTERS_OF_A_DAY = 96;

/** The local day at the start of a quarter hour of a UTC day. @param slot the quarter hour, `00` to `95` */
export type LocalDays = (utcDay: string, slot: string) => string;

type Run = { readonly first: string; readonly day: string };

/** Asks a time zone once for a UTC day, and once for each of its quarter hours where clocks change. */
export function openLocalDays(timezone: string): LocalDays {
  const known = new Map<string, readonly Run[]>();

  /** The local days within the UTC day, the last one first, each with its first slot. */
  function runsOf(utcDay: string): readonly Run[] {
    const startMs = Date.parse(utcDay);
    const first = dayAt(timezone, startMs);
    const [next, after] = [daysLater(first, 1), daysLater(first, 2)];
    const [firstMs, nextMs, afterMs] = [first, next, after].map((day) => dayStart(timezone, day)) as [
      number,
      number,
      number,
    ];
    const runs = [{ first: quarterSlot(0), day: first }];
    if (nextMs - firstMs === DAY_MS && afterMs - nextMs === DAY_MS) {
      if (nextMs < startMs + DAY_MS) runs.unshift({ first: quarterSlot((nextMs - startMs) / QUARTER_MS), day: next });
      return runs;
    }
    for (let quarter = 1; quarter < QUARTERS_OF_A_DAY; quarter += 1) {
      const day = dayAt(timezone, startMs + quarter * QUARTER_MS);
      if (day !== runs[0]?.day) runs.unshift({ first: quarterSlot(quarter), day });
    }
    return runs;
  }

  return (utcDay, slot) => {
    let runs = known.get(utcDay);
    if (runs === undefined) {
      runs = runsOf(utcDay);
      known.set(utcDay, runs);
    }
    return runs.find(({ first }) => first <= slot)?.day ?? utcDay;
  };
}
