import type { EventData } from '../../events/registry.ts';

const DAY_MS = 86_400_000;
const FIRST_SYNC_DAYS = 90;
const OVERLAP_DAYS = 7;
/** The day up to which a sub-account is covered is exclusive: it was not over when the bank was asked. */
const UNFINISHED_DAYS = 1;
/** Where a bank without windows starts: it is asked for everything. */
const BEGINNING = '1970-01-01';

type Plan = Pick<EventData<'SyncPlanned'>, 'windows' | 'coverage'>;

/** UTC day `days` after (or before) the given one. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/**
 * What a sync asks for. For each sub-account: as the request says, else from 7 full days before the last one covered
 * without a gap, else the first 90 days; up to and with today. Cut into windows the bank allows, oldest first. Days are
 * UTC and half open.
 * @param covered up to which day (exclusive) each sub-account is complete
 */
export function planSync(options: {
  readonly subAccountKeys: readonly string[];
  readonly covered: Readonly<Record<string, string>>;
  readonly from: string | null;
  readonly to: string | null;
  readonly windowDays: number | null;
  readonly today: string;
}): Plan {
  const tomorrow = addDays(options.today, 1);
  // Nothing is booked after today, so a later end would only add empty windows.
  const toDay = options.to === null || options.to > tomorrow ? tomorrow : options.to;
  const windows: Plan['windows'] = [];
  const coverage: Plan['coverage'] = [];
  for (const subAccountKey of options.subAccountKeys) {
    const fromDay = options.from ?? usualStart(options.covered[subAccountKey], options);
    coverage.push({ subAccountKey, fromDay, toDay, toNow: toDay >= tomorrow });
    let start = fromDay;
    while (start < toDay) {
      const end = options.windowDays === null ? toDay : addDays(start, options.windowDays);
      const windowEnd = end < toDay ? end : toDay;
      windows.push({ subAccountKey, fromDay: start, toDay: windowEnd });
      start = windowEnd;
    }
  }
  return { windows, coverage };
}

function usualStart(covered: string | undefined, plan: { windowDays: number | null; today: string }): string {
  if (plan.windowDays === null) return BEGINNING;
  return covered === undefined
    ? addDays(plan.today, 1 - FIRST_SYNC_DAYS)
    : addDays(covered, -OVERLAP_DAYS - UNFINISHED_DAYS);
}
