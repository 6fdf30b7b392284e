export type Series = {
  readonly label: string;
  readonly as: 'bar' | 'line';
  /** Blue and orange stay apart for colour-blind eyes; `text` is for the line over them. */
  readonly tone: 'accent' | 'warn' | 'text' | 'muted';
  /** One for each point; null where nothing is known, which is a gap and not 0. */
  readonly values: readonly (number | null)[];
};

export type ChartData = {
  /** Seconds since 1970 of each point, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
};
