import { useMemo } from 'preact/hooks';
import { add } from '../../format/decimal.ts';
import { formatMoney } from '../../format/money.ts';
import { Chart } from '../../parts/chart.tsx';
import { Code } from '../../parts/code.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Day, Moment } from '../../parts/moment.tsx';
import { Money, Totals } from '../../parts/money.tsx';
import { Progress } from '../../parts/progress.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { language } from '../../words/language.ts';
import { Specimen } from './specimen.tsx';

const DAY_S = 86_400;
const FIRST = Date.UTC(2026, 8, 1) / 1_000;
const AMOUNTS: readonly (readonly [string, string])[] = [
  ['-1204.1', 'EUR'],
  ['12400', 'TRY'],
  ['5300', 'JPY'],
  ['-0.125', 'KWD'],
  ['9007199254740993.01', 'USD'],
];

export function Figures() {
  const now = useMemo(() => new Date().toISOString(), []);
  const data = useMemo(() => {
    const points = Array.from({ length: 14 }, (_, index) => index);
    const inflow = points.map((index) => 900 + ((index * 377) % 700));
    const outflow = points.map((index) => (index === 9 ? null : -400 - ((index * 211) % 600)));
    return {
      times: points.map((index) => FIRST + index * DAY_S),
      series: [
        { label: 'In', as: 'bar', tone: 'accent', values: inflow },
        { label: 'Out', as: 'bar', tone: 'warn', values: outflow },
        { label: 'Net', as: 'line', tone: 'text', values: points.map((at) => (inflow[at] ?? 0) + (outflow[at] ?? 0)) },
      ],
    } as const;
  }, []);
  return (
    <div class="specimens">
      <Specimen name="Money">
        {AMOUNTS.map(([amount, currency]) => (
          <p class="end" key={currency}>
            <Money amount={amount} currency={currency} as="flow" />
          </p>
        ))}
        <p class="end">
          <Money amount={null} currency="EUR" />
        </p>
        <p>
          <Money amount={add('9310.55', '0.1')} currency="EUR" large />
        </p>
        <p class="row">
          <Totals totals={AMOUNTS.map(([amount, currency]) => ({ amount, currency }))} />
        </p>
      </Specimen>
      <Specimen name="Day, moment">
        <p>
          Booked on <Day on="2026-09-03" />, fetched <Moment at={now} fresh />, sealed <Moment at={now} exact />, never{' '}
          <Moment at={null} />
        </p>
      </Specimen>
      <Specimen name="Chart">
        <Chart
          title="Cash flow"
          summary="Net +8,113.00 EUR in two weeks."
          data={data}
          show={(series, point) => formatMoney(language.value, data.series[series]?.values[point] ?? 0, 'EUR')}
          showTime={(point) => String(point + 1)}
        />
      </Specimen>
      <Specimen name="Time line">
        <Timeline
          entries={[
            { id: '1', at: now, title: 'The bank reported the transaction.', by: 'sync' },
            { id: '2', at: now, title: 'The rule “Taxes” attached erp:ledger-account:360.', by: 'automation' },
          ]}
        />
      </Specimen>
      <Specimen name="State, progress, copy, code, facts">
        <div class="row">
          <StateWord tone="good">Healthy</StateWord>
          <StateWord tone="warn">Degraded</StateWord>
          <StateWord tone="bad">Failing</StateWord>
          <StateWord tone="none">Never</StateWord>
        </div>
        <Progress label="Preview" done={4_200} of={10_000} />
        <Progress label="Counting" done={0} of={null} />
        <p>
          <Copy text="019ab2c3-5d1e-7f00-8a11-22b33c44d55e" />
        </p>
        <Code title="The event" value={{ eventType: 'TransactionRecorded', data: { amount: '12.50' } }} />
        <Facts
          rows={[
            ['IBAN', 'DE02 1203 0000 0000 2020 51'],
            ['Code', 'MAAS'],
          ]}
        />
      </Specimen>
    </div>
  );
}
