import type { AnalyticsColumn, AnalyticsResult } from '../../../../sdk/src/index.ts';
import { Day, Moment } from '../../parts/moment.tsx';
import { Money } from '../../parts/money.tsx';
import { readable } from '../../parts/schema-fields.ts';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { language } from '../../words/language.ts';
import { PeriodChart } from './period-chart.tsx';
import { analyticsWords } from './words.ts';

type Row = AnalyticsResult['rows'][number];
type Props = { readonly title: string; readonly result: AnalyticsResult; readonly withChart: boolean };

/** A chart where the answer is a series of money, the rows, and the totals for each currency. */
export function Answer({ title, result, withChart }: Props) {
  const w = analyticsWords();
  const { columns, rows, totals } = result;
  if (rows.length === 0) return <p class="muted">{w.none}</p>;
  const totalColumns = columns.filter(({ name }) => totals.some((total) => total[name] !== undefined));
  return (
    <div class="stack wide">
      {withChart && <PeriodChart result={result} />}
      <Rows title={title} columns={columns} rows={rows} />
      {totals.length > 0 && (
        <section class="stack">
          <h3>{w.totals}</h3>
          <Rows title={`${title}: ${w.totals}`} columns={totalColumns} rows={totals} />
        </section>
      )}
    </div>
  );
}

type RowsProps = {
  readonly title: string;
  readonly columns: readonly AnalyticsColumn[];
  readonly rows: readonly Row[];
};

function Rows({ title, columns, rows }: RowsProps) {
  return (
    <SimpleTable
      caption={title}
      rows={rows}
      keyOf={(_, index) => String(index)}
      columns={columns.map((column) => ({
        key: column.name,
        title: analyticsWords().columns[column.name] ?? readable(column.name),
        end: column.type === 'number' || column.type === 'integer',
        cell: (row: Row) => <Cell column={column} row={row} />,
      }))}
    />
  );
}

function Cell({ column: { name, type, unit }, row }: { readonly column: AnalyticsColumn; readonly row: Row }) {
  const value = row[name];
  if (unit === 'currency') return <Money amount={value ?? null} currency={String(row.currency ?? '')} />;
  if (value === undefined || value === null || value === '') return <span class="muted">—</span>;
  if (type === 'date') return <Day on={String(value)} />;
  if (type === 'date-time') return <Moment at={String(value)} />;
  if (typeof value === 'number')
    return <span class="digits">{new Intl.NumberFormat(language.value).format(value)}</span>;
  return <span class="value">{value}</span>;
}
