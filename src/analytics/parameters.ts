import { type Calendar, calendar, dayAt, daysBetween, daysLater, INTERVALS, type Interval } from './calendar.ts';
import { type AnalyticsQuery, type Asked, GROUPINGS, type Parameters } from './query.ts';

export const MOST_DAYS = 3_660;
export const MOST_ROWS_OF_A_TOP_LIST = 1_000;
const DEFAULT_DAYS = 30;
const DEFAULT_LIMIT = 10;

/** JSON Schema of each parameter. */
export const parameterSchemas: Readonly<Record<keyof Parameters, object>> = {
  from: { type: 'string', format: 'date', description: 'First day; by default 30 days before `to`.' },
  to: { type: 'string', format: 'date', description: 'Day after the last one; by default tomorrow.' },
  interval: { type: 'string', enum: INTERVALS, default: 'day' },
  timezone: { type: 'string', default: 'UTC', description: 'IANA name of the time zone of the days.' },
  accountIds: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 100 },
  bankCodes: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 100 },
  currency: { type: 'string' },
  groupBy: { type: 'string', enum: GROUPINGS },
  limit: { type: 'integer', minimum: 1, maximum: MOST_ROWS_OF_A_TOP_LIST, default: DEFAULT_LIMIT },
  asOf: { type: 'string', format: 'date-time', description: 'Answer as of this moment.' },
};

export type Given = { readonly [Name in keyof Parameters]?: Parameters[Name] };

/** Null for an invalid range: `from` after `to`, or more than ten years apart. */
export function askedOf(query: AnalyticsQuery, given: Given, nowMs: number): Asked | null {
  const timezone = given.timezone ?? 'UTC';
  const interval: Interval = given.interval ?? 'day';
  const to = given.to ?? daysLater(dayAt(timezone, given.asOf == null ? nowMs : Date.parse(given.asOf)), 1);
  const from = given.from ?? daysLater(to, -DEFAULT_DAYS);
  if (from > to || daysBetween(from, to) > MOST_DAYS) return null;
  const parameters: Parameters = {
    from,
    to,
    interval,
    timezone,
    accountIds: given.accountIds ?? null,
    bankCodes: given.bankCodes ?? null,
    currency: given.currency ?? null,
    groupBy: given.groupBy ?? null,
    limit: given.limit ?? DEFAULT_LIMIT,
    asOf: given.asOf ?? null,
  };
  let cut: Calendar | undefined;
  return {
    ...parameters,
    byPeriod: given.interval !== undefined,
    // Computed on first use: not every query uses days.
    get calendar() {
      cut ??= calendar({ from, to, interval: query.takes.includes('interval') ? interval : 'month', timezone });
      return cut;
    },
  };
}
