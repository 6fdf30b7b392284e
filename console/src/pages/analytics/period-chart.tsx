import { useState } from 'preact/hooks';
import type { AnalyticsResult } from '../../../../sdk/src/index.ts';
import { formatDay } from '../../format/dates.ts';
import { type Interval, periodsWithin, secondsOf } from '../../format/days.ts';
import { type Amount, add } from '../../format/decimal.ts';
import { formatMoney } from '../../format/money.ts';
import { Chart } from '../../parts/chart.tsx';
import type { Series } from '../../parts/chart-data.ts';
import { readable } from '../../parts/schema-fields.ts';
import { Segmented } from '../../parts/segmented.tsx';
import { language } from '../../words/language.ts';
import { analyticsWords } from './words.ts';

const TONES = ['accent', 'warn', 'text', 'muted'] as const;

/** Amounts by period in one currency at a time; nothing where the answer has several rows for a period. */
export function PeriodChart({ result: { parameters, columns, rows } }: { readonly result: AnalyticsResult }) {
  const w = analyticsWords();
  const currencies = [...new Set(rows.map((row) => String(row.currency ?? '')))].filter((one) => one !== '');
  const [chosen, setChosen] = useState<string | null>(null);
  const currency = currencies.find((one) => one === chosen) ?? currencies[0];
  const amounts = columns.filter(({ unit }) => unit === 'currency').slice(0, TONES.length);
  const found = rows.filter((row) => row.currency === currency);
  const periods = new Set(found.map(({ period }) => period));
  if (currency === undefined || amounts.length === 0 || periods.has(undefined)) return null;
  if (periods.size !== found.length || found.length < 2) return null;
  const isSummed = !amounts.some(({ name }) => name === 'closingBalance');
  const shown = isSummed ? withEmptyPeriods(found, parameters, amounts) : found;
  const value = (column: number, point: number): Amount | null => shown[point]?.[amounts[column]?.name ?? ''] ?? null;
  const money = (amount: Amount | null): string =>
    amount === null ? '—' : formatMoney(language.value, amount, currency);
  const titleOf = (name: string): string => w.columns[name] ?? readable(name);
  const series = amounts.map(
    ({ name }, column): Series => ({
      label: titleOf(name),
      as: name === 'net' || name === 'closingBalance' ? 'line' : 'bar',
      tone: TONES[column] ?? 'muted',
      values: shown.map((_, point) => {
        const amount = value(column, point);
        return amount === null ? null : Number(amount) * (name === 'outflow' ? -1 : 1);
      }),
    }),
  );
  const sums = amounts.map(({ name }, column) => {
    const sum = shown.reduce<Amount>((total, _, point) => add(total, value(column, point) ?? '0'), '0');
    return `${titleOf(name)} ${money(sum)}`;
  });
  return (
    <div class="stack">
      {currencies.length > 1 && (
        <Segmented
          label={w.parameters.currency ?? ''}
          value={currency}
          choices={currencies.map((one) => ({ value: one, label: one }))}
          onChange={setChosen}
        />
      )}
      <Chart
        title={w.chartOf(currency)}
        summary={isSummed ? sums.join(', ') : w.chartOf(currency)}
        data={{ times: shown.map(({ period }) => secondsOf(String(period))), series }}
        show={(column, point) => money(value(column, point))}
        showTime={(point) => formatDay(language.value, String(shown[point]?.period))}
      />
    </div>
  );
}

type Row = AnalyticsResult['rows'][number];

/** Sums have no row for a period in which nothing moved, and a line would lead past it. */
function withEmptyPeriods(
  rows: readonly Row[],
  { from, to, interval }: AnalyticsResult['parameters'],
  amounts: AnalyticsResult['columns'],
): readonly Row[] {
  if (typeof from !== 'string' || typeof to !== 'string' || typeof interval !== 'string') return rows;
  const found = new Map(rows.map((row) => [row.period, row]));
  const nothing = Object.fromEntries(amounts.map(({ name }) => [name, 0]));
  return periodsWithin(from, to, interval as Interval).map((period) => found.get(period) ?? { ...nothing, period });
}
