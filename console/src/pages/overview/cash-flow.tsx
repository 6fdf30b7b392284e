import { useMemo } from 'preact/hooks';
import type { AnalyticsResult } from '../../../../sdk/src/index.ts';
import { day, oneOf, text } from '../../address.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { formatDay, formatLongDay } from '../../format/dates.ts';
import { addDays, dayIn, type Interval, periodsWithin, secondsOf } from '../../format/days.ts';
import { add } from '../../format/decimal.ts';
import { formatMoney } from '../../format/money.ts';
import { asOf, atMoment } from '../../frame/as-of-moment.ts';
import { Button } from '../../parts/button.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { timeZone } from '../../session/session.ts';
import { useAddress } from '../../use-address.ts';
import { language } from '../../words/language.ts';
import { rowsOf } from './rows-of.ts';
import { type SectionProps, useSettled } from './section.ts';
import { pageWords } from './words.ts';

const INTERVALS = ['day', 'week', 'month'] as const;
const SPANS = ['30', '90', '365'] as const;
const SCHEMA = { interval: oneOf(INTERVALS), currency: text, span: oneOf(SPANS), from: day, to: day };

type Flow = { readonly period: string; readonly currency: string; readonly amounts: readonly [string, string, string] };

/** Bars in and out with the line of the net; a span that is drawn over the chart, and the rows behind it. */
export function CashFlow({ turn, onSettled }: SectionProps) {
  const w = pageWords();
  const address = useAddress(SCHEMA);
  const { interval = 'day', span = '30' } = address.values;
  const now = asOf.value === null ? new Date() : new Date(asOf.value);
  const end = addDays(dayIn(timeZone.value, now), 1);
  const { from = addDays(end, -Number(span)), to = end } = address.values;
  const query = { from, to, interval, timezone: timeZone.value, ...atMoment() };
  const found = useLoad(
    `flow ${JSON.stringify(query)}`,
    async (signal) => flowsOf(await api().getAnalyticsResults('cash-flow', query, { signal })),
    turn,
  );
  const isPart = address.values.from !== undefined || address.values.to !== undefined;
  useSettled(found, onSettled);
  return (
    <section class="card stack flow">
      <div class="row between">
        <h2>{w.cashFlow}</h2>
        <div class="row">
          <Segmented
            label={w.span}
            value={isPart ? '' : span}
            choices={SPANS.map((value) => ({ value, label: w.spans[value] }))}
            onChange={(value) =>
              address.set({ span: SPANS.find((one) => one === value), from: undefined, to: undefined })
            }
          />
          <Segmented
            label={w.interval}
            value={interval}
            choices={INTERVALS.map((value) => ({ value, label: w.intervals[value] }))}
            onChange={(value) => address.set({ interval: INTERVALS.find((one) => one === value) })}
          />
        </div>
      </div>
      <Loaded of={found} what={w.cashFlowFailed} skeleton={<Skeleton as="chart" lines={1} />}>
        {(flows) => {
          const currencies = [...new Set(flows.map(({ currency }) => currency))];
          const currency = currencies.find((one) => one === address.values.currency) ?? currencies[0];
          if (currency === undefined) return <Empty>{w.noFlow}</Empty>;
          return (
            <>
              {currencies.length > 1 && (
                <Segmented
                  label={w.currency}
                  value={currency}
                  choices={currencies.map((value) => ({ value, label: value }))}
                  onChange={(value) => address.set({ currency: value })}
                />
              )}
              <FlowChart
                flows={flows}
                currency={currency}
                interval={interval}
                from={from}
                to={to}
                onSpan={(first, last) => address.set({ from: first, to: last })}
              />
              <div class="row between">
                <p class="small muted">{w.spanHint}</p>
                <div class="row">
                  {isPart && (
                    <Button onClick={() => address.set({ from: undefined, to: undefined })}>{w.wholeSpan}</Button>
                  )}
                  <a href={rowsOf({ currency, from, to })}>{w.showRows}</a>
                </div>
              </div>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

type ChartProps = {
  /** Of every currency. */
  readonly flows: readonly Flow[];
  readonly currency: string;
  readonly interval: Interval;
  readonly from: string;
  readonly to: string;
  readonly onSpan: (first: string, last: string) => void;
};

function FlowChart({ flows: all, currency, interval, from, to, onSpan }: ChartProps) {
  const w = pageWords();
  const flows = useMemo(() => {
    const found = new Map(all.filter((flow) => flow.currency === currency).map((flow) => [flow.period, flow]));
    // Where nothing moved there is no row, and the line would lead past it.
    const none = (period: string): Flow => ({ period, currency, amounts: ['0', '0', '0'] });
    return periodsWithin(from, to, interval).map((period) => found.get(period) ?? none(period));
  }, [all, currency, interval, from, to]);
  const data = useMemo(() => {
    const values = (at: 0 | 1 | 2, sign: 1 | -1) => flows.map(({ amounts }) => sign * Number(amounts[at]));
    return {
      times: flows.map(({ period }) => secondsOf(period)),
      series: [
        { label: w.in, as: 'bar', tone: 'accent', values: values(0, 1) },
        { label: w.out, as: 'bar', tone: 'warn', values: values(1, -1) },
        { label: w.net, as: 'line', tone: 'text', values: values(2, 1) },
      ],
    } as const;
  }, [flows, w]);
  const net = flows.reduce((sum, { amounts }) => add(sum, amounts[2]), '0');
  const money = (amount: string): string => formatMoney(language.value, amount, currency, true);
  const summary = w.summary(
    money(net),
    formatLongDay(language.value, from),
    formatLongDay(language.value, addDays(to, -1)),
  );
  return (
    <Chart
      title={w.cashFlow}
      summary={summary}
      data={data}
      show={(series, point) => {
        const amount = flows[point]?.amounts[series as 0 | 1 | 2] ?? '0';
        return money(series === 1 ? `-${amount}` : amount);
      }}
      showTime={(point) => formatDay(language.value, flows[point]?.period ?? '')}
      onSpan={(first, last) => {
        const [start, end] = [flows[first]?.period, flows[last + 1]?.period ?? to];
        if (start !== undefined && start < end) onSpan(start, end);
      }}
    />
  );
}

function flowsOf(result: unknown): Flow[] {
  return (result as AnalyticsResult).rows.map(({ period, currency, inflow, outflow, net }) => ({
    period: String(period),
    currency: String(currency),
    amounts: [String(inflow), String(outflow), String(net)],
  }));
}
