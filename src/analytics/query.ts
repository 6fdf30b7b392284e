import type { Projection } from '../projections/projection.ts';
import type { Condition, Filter } from '../readstore/read-store.ts';
import type { Decimal } from '../shared/money.ts';
import type { Calendar, Interval, Period } from './calendar.ts';
import type { Source } from './source.ts';

export const GROUPINGS = ['company', 'account', 'subAccount'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** `money` is exact decimal text here, in the currency of its row. */
export type ColumnType = 'string' | 'date' | 'date-time' | 'integer' | 'money';

export type Column = { readonly name: string; readonly type: ColumnType; readonly unit: string | null };

export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell | Decimal>>;

/** What to answer for; a null member does not filter. */
export type Parameters = {
  readonly from: string;
  readonly to: string;
  readonly interval: Interval;
  readonly timezone: string;
  readonly accountIds: readonly string[] | null;
  readonly bankCodes: readonly string[] | null;
  readonly currency: string | null;
  readonly groupBy: Grouping | null;
  readonly limit: number;
  /** ISO 8601 UTC with milliseconds; null for now. */
  readonly asOf: string | null;
};

export type Asked = Parameters & {
  readonly calendar: Calendar;
  /** Whether an interval was asked for. */
  readonly byPeriod: boolean;
};

/** The parameters that every question takes unless it says why not. */
export const COMMON_PARAMETERS = [
  'from',
  'to',
  'interval',
  'timezone',
  'accountIds',
  'bankCodes',
  'currency',
  'groupBy',
  'asOf',
] as const satisfies readonly (keyof Parameters)[];

export type Figured = { readonly rows: readonly Row[]; readonly totals: readonly Row[] };

/** A question of the catalogue. Its rows come in a total order, so that the same position gives the same bytes. */
export type AnalyticsQuery = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly takes: readonly (keyof Parameters)[];
  /** Why it does not take the other common parameters, in the words of the refusal. */
  readonly lacks: Readonly<Partial<Record<keyof Parameters, string>>>;
  readonly columns: (groupBy: Grouping | null, byPeriod: boolean) => readonly Column[];
  readonly chart: 'bar' | 'stacked-bar' | 'line' | 'table';
  readonly reads: readonly Pick<Projection, 'name'>[];
  readonly answer: (source: Source, asked: Asked) => Promise<Figured>;
};

export const column = {
  text: (name: string): Column => ({ name, type: 'string', unit: null }),
  day: (name: string): Column => ({ name, type: 'date', unit: null }),
  moment: (name: string): Column => ({ name, type: 'date-time', unit: null }),
  count: (name: string, unit: string): Column => ({ name, type: 'integer', unit }),
  /** In the currency of the row. */
  money: (name: string): Column => ({ name, type: 'money', unit: 'currency' }),
};

/** The periods and accounts asked for. */
export function periodsAsked(asked: Asked): { readonly filter: Filter; readonly periods: readonly Period[] } {
  return { filter: narrowed(asked), periods: asked.calendar.periods };
}

/** The same with the days asked for as one period. */
export function wholeRange(asked: Asked): { readonly filter: Filter; readonly periods: readonly Period[] } {
  const { periods } = asked.calendar;
  const [startMs = 0, endMs = 0] = [periods[0]?.startMs, periods.at(-1)?.endMs];
  return { filter: narrowed(asked), periods: [{ period: asked.from, startMs, endMs }] };
}

/** The documents of the asked months and accounts. */
export function sumsFilter({ calendar, accountIds, bankCodes, currency }: Asked): Filter {
  const { first, last } = calendar.months;
  return [
    { field: 'month', op: 'gte', value: first },
    { field: 'month', op: 'lte', value: last },
    ...narrowed({ accountIds, bankCodes, currency }),
  ];
}

export function narrowed(by: Pick<Parameters, 'accountIds' | 'bankCodes' | 'currency'>): Filter {
  const conditions: Condition[] = [];
  if (by.accountIds !== null) conditions.push({ field: 'accountId', op: 'in', value: by.accountIds });
  if (by.bankCodes !== null) conditions.push({ field: 'bankCode', op: 'in', value: by.bankCodes });
  if (by.currency !== null) conditions.push({ field: 'currency', op: 'eq', value: by.currency });
  return conditions;
}
