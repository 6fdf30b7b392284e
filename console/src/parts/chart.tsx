import { useEffect, useRef, useState } from 'preact/hooks';
import { localeOf } from '../format/dates.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';
import type { ChartData } from './chart-data.ts';
import { Segmented } from './segmented.tsx';
import { SimpleTable } from './simple-table.tsx';

type Props = {
  readonly title: string;
  /** What it shows, in a sentence with figures; a screen reader gets this and the table. */
  readonly summary: string;
  readonly data: ChartData;
  /** How the table and the legend write a value. Drawing rounds, this must not: it gets the index, not the number. */
  readonly show: (series: number, point: number) => string;
  readonly showTime: (point: number) => string;
  /** The span a person has drawn with the mouse, as points. */
  readonly onSpan?: (first: number, last: number) => void;
};

/** A chart with its summary sentence, and the same as a table. uPlot comes when the first one is shown. */
export function Chart({ title, summary, data, show, showTime, onSpan }: Props) {
  const w = common().chart;
  const [view, setView] = useState('chart');
  const choices = [
    { value: 'chart', label: w.chart },
    { value: 'table', label: w.table },
  ];
  return (
    <figure class="chart">
      <figcaption class="row between">
        <span>{summary}</span>
        <Segmented label={title} value={view} choices={choices} onChange={setView} />
      </figcaption>
      {view === 'chart' ? (
        <Plot data={data} label={summary} {...(onSpan === undefined ? {} : { onSpan })} />
      ) : (
        <SimpleTable
          caption={title}
          columns={[
            { key: 'time', title: w.day, cell: (point: number) => showTime(point) },
            ...data.series.map((series, index) => ({
              key: series.label,
              title: series.label,
              end: true,
              cell: (point: number) => <span class="digits">{show(index, point)}</span>,
            })),
          ]}
          rows={data.times.map((_, point) => point)}
          keyOf={String}
        />
      )}
      <ul class="legend small" aria-hidden="true">
        {data.series.map(({ label, tone, as }) => (
          <li key={label} class={`${tone} ${as}`}>
            {label}
          </li>
        ))}
      </ul>
    </figure>
  );
}

type PlotProps = { readonly data: ChartData; readonly label: string; onSpan?: (first: number, last: number) => void };

function Plot({ data, label, onSpan }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const span = useRef(onSpan);
  span.current = onSpan;
  const locale = localeOf(language.value);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let drawn: { destroy: () => void } | null = null;
    let isGone = false;
    void import('./chart-plot.ts').then(({ drawPlot }) => {
      if (!isGone) drawn = drawPlot(element, { data, locale, onSpan: (...points) => span.current?.(...points) });
    });
    return () => {
      isGone = true;
      drawn?.destroy();
    };
  }, [data, locale]);
  return <div class="plot" ref={box} role="img" aria-label={label} />;
}
