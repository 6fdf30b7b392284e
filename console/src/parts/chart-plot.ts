import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartData } from './chart-data.ts';

type Options = {
  readonly data: ChartData;
  readonly locale: string;
  readonly onSpan: (first: number, last: number) => void;
};

export type DrawnPlot = {
  readonly destroy: () => void;
  /** Shows other figures of the same series, and leaves what is marked and whoever is drawing a span alone. */
  readonly show: (data: ChartData) => void;
  /** Shows these points, the first and the last, as a drawn span; null for none. */
  readonly mark: (points: readonly [first: number, last: number] | null) => void;
  /** The point under a place of the screen, the nearest one beside the chart. */
  readonly pointAt: (clientX: number) => number;
};

const BARS_SHARE = 0.7;
const WIDEST_BAR_PX = 32;

/** Draws into the element, from the tokens, and again when its size or the theme changes. */
export function drawPlot(element: HTMLElement, { data: first, locale, onSpan }: Options): DrawnPlot {
  let data = first;
  const halfStep = (): number => {
    const { times } = data;
    return times.length > 1 ? ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1) / 2 : 43_200;
  };
  const make = (): uPlot => {
    const style = getComputedStyle(element);
    const isPaper = matchMedia('print').matches;
    const colour = (token: string): string => style.getPropertyValue(`--${token}`).trim();
    const font = `12px ${style.fontFamily}`;
    const short = new Intl.NumberFormat(locale, { notation: 'compact' });
    const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
    const axis = { stroke: colour('muted'), font, grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
    return new uPlot(
      {
        width: element.clientWidth,
        height: element.clientHeight,
        legend: { show: false },
        // Half a step on either side, where the outer bars would be cut.
        scales: { x: { range: (_, least, most) => [least - halfStep(), most + halfStep()] } },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
        cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false } },
        axes: [
          {
            ...axis,
            size: 28,
            grid: { show: false },
            values: (_, ticks) => ticks.map((tick) => day.format(tick * 1_000)),
          },
          { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => short.format(tick)) },
        ],
        series: [
          {},
          ...data.series.map(({ label, as, tone }) => ({
            label,
            stroke: colour(tone),
            width: as === 'line' ? 2 : 0,
            points: { show: () => as === 'line' && data.times.length < 3 },
            ...(as === 'bar'
              ? {
                  fill: isPaper ? onPaper(tone, colour) : colour(tone),
                  paths: uPlot.paths.bars?.({ size: [BARS_SHARE, WIDEST_BAR_PX] }),
                }
              : {}),
          })),
        ],
        hooks: {
          setSelect: [
            (plot) => {
              const { left, width } = plot.select;
              if (width > 4) onSpan(plot.posToIdx(left), plot.posToIdx(left + width));
            },
          ],
        },
      } as uPlot.Options,
      alignedOf(data),
      element,
    );
  };
  let plot = make();
  let marked: readonly [number, number] | null = null;
  const mark = (points: typeof marked): void => {
    marked = points;
    const { height } = plot.over.getBoundingClientRect();
    const placeOf = (point: number, shift: number): number => plot.valToPos((data.times[point] ?? 0) + shift, 'x');
    const left = points === null ? 0 : placeOf(points[0], -halfStep());
    const width = points === null ? 0 : placeOf(points[1], halfStep()) - left;
    plot.setSelect({ left, width, top: 0, height: points === null ? 0 : height }, false);
  };
  const again = (): void => {
    plot.destroy();
    plot = make();
    mark(marked);
  };
  const measure = new ResizeObserver(() => {
    plot.setSize({ width: element.clientWidth, height: element.clientHeight });
    if (marked !== null) mark(marked);
  });
  measure.observe(element);
  const theme = new MutationObserver(again);
  theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', again);
  const paper = matchMedia('print');
  paper.addEventListener('change', again);
  return {
    mark,
    show: (other) => {
      data = other;
      plot.setData(alignedOf(data));
      mark(marked);
    },
    pointAt: (clientX) => {
      const { left, width } = plot.over.getBoundingClientRect();
      return plot.posToIdx(Math.min(width, Math.max(0, clientX - left)));
    },
    destroy: () => {
      measure.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', again);
      paper.removeEventListener('change', again);
      plot.destroy();
    },
  };
}

function alignedOf({ times, series }: ChartData): uPlot.AlignedData {
  return [times, ...series.map(({ values }) => values)] as uPlot.AlignedData;
}

type Colour = (token: string) => string;

/** On paper, where colours may be greys and the line has to be seen over the bars: grey bars, and striped ones. */
function onPaper(tone: string, colour: Colour): CanvasPattern | string {
  return tone === 'warn' ? stripes(colour('warn')) : colour('line');
}

function stripes(colour: string): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = 6;
  tile.height = 6;
  const pen = tile.getContext('2d');
  if (pen === null) return colour;
  pen.strokeStyle = colour;
  pen.beginPath();
  for (const shift of [-6, 0, 6]) {
    pen.moveTo(shift, 6);
    pen.lineTo(shift + 6, 0);
  }
  pen.stroke();
  return pen.createPattern(tile, 'repeat') ?? colour;
}
