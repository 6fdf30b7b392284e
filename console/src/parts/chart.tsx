import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { localeOf } from '../format/dates.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';
import type { ChartData } from './chart-data.ts';
import type { DrawnPlot } from './chart-plot.ts';
import { brushByTouch } from './chart-touch.ts';
import { Segmented } from './segmented.tsx';
import { SimpleTable } from './simple-table.tsx';
import { type Span, spanAfter } from './span-keys.ts';

type Props = {
  readonly title: string;
  /** What it shows, in a sentence with figures; a screen reader gets this and the table. */
  readonly summary: string;
  readonly data: ChartData;
  /** How the table and the legend write a value. Drawing rounds, this must not: it gets the index, not the number. */
  readonly show: (series: number, point: number) => string;
  readonly showTime: (point: number) => string;
  /** The span a person has drawn with the mouse or a finger, or chosen with the arrows and Enter, as points. */
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
        <Plot data={data} label={summary} showTime={showTime} {...(onSpan === undefined ? {} : { onSpan })} />
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

type PlotProps = Pick<Props, 'data' | 'showTime' | 'onSpan'> & { readonly label: string };

function Plot({ data, label, showTime, onSpan }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnPlot | null>(null);
  const [span, setSpan] = useState<Span | null>(null);
  const onDrawn = useRef(onSpan);
  onDrawn.current = onSpan;
  const [first, last] = span === null ? [0, data.times.length - 1] : [span.from, span.at].toSorted((a, b) => a - b);
  const marked = useRef<readonly [number, number] | null>(null);
  marked.current = span === null ? null : [first ?? 0, last ?? 0];
  const locale = localeOf(language.value);
  const shown = useRef(data);
  shown.current = data;
  const kinds = data.series.map(({ label, tone, as }) => [label, tone, as].join(' ')).join();
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let isGone = false;
    void import('./chart-plot.ts').then(({ drawPlot }) => {
      if (isGone) return;
      drawn.current = drawPlot(element, {
        data: shown.current,
        locale,
        onSpan: (...points) => onDrawn.current?.(...points),
      });
      drawn.current.mark(marked.current);
    });
    return () => {
      isGone = true;
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [kinds, locale]);
  // A chart that is made anew under a finger, or between two looks, is one that flickers.
  useEffect(() => drawn.current?.show(data), [data]);
  // Figures that come in while somebody chooses take nothing away; other points are another chart.
  useEffect(() => setSpan(null), [data.times.join()]);
  // With the words of the span, so that both are never of two different keys.
  useLayoutEffect(() => drawn.current?.mark(marked.current), [span]);
  const canChoose = onSpan !== undefined && data.times.length > 0;
  useEffect(() => {
    const element = box.current;
    if (element === null || !canChoose) return;
    return brushByTouch(element, {
      pointAt: (clientX) => drawn.current?.pointAt(clientX) ?? null,
      onDraw: (from, at) => setSpan({ from, at }),
      onDone: (from, at) => onDrawn.current?.(Math.min(from, at), Math.max(from, at)),
      onCancel: () => setSpan(null),
    });
  }, [canChoose]);
  if (!canChoose) return <div class="plot" ref={box} role="img" aria-label={label} />;
  const press = (event: KeyboardEvent): void => {
    const next = spanAfter(event, span, data.times.length);
    if (next !== null) setSpan(next);
    else if (event.key === 'Enter' && span !== null) onSpan(first ?? 0, last ?? 0);
    else if (event.key === 'Escape' && span !== null) setSpan(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="plot"
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={common().chart.span}
      aria-valuemin={0}
      aria-valuemax={data.times.length - 1}
      aria-valuenow={span?.at ?? data.times.length - 1}
      aria-valuetext={`${showTime(first ?? 0)} – ${showTime(last ?? 0)}`}
      onKeyDown={press}
    />
  );
}
