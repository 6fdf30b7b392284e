export type Aim =
  /** Baseline's time over ours: 1 is as fast as the baseline. */
  | { readonly kind: 'speed'; readonly atLeast: number }
  /** Our time over the baseline's: 1 is as fast as the baseline. */
  | { readonly kind: 'cost'; readonly atMost: number }
  | { readonly kind: 'below'; readonly limit: number; readonly unit: string };

export type Measured = {
  /** One of each round, in the sense of the row's aim; the only one of a row that is measured once. */
  readonly values: readonly number[];
  /** Absolute figures, for people. */
  readonly details: readonly string[];
};

export type Setting = {
  /** A size that only shows that the row works. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Tells how far a long row is. */
  readonly say: (line: string) => void;
};

/** One line of the table in docs/performance.md. `name` is what is typed to run it alone. */
export type Row = {
  readonly name: string;
  readonly title: string;
  /** What runs beside it, in the same run. */
  readonly baseline: string;
  readonly aim: Aim;
  readonly measure: (setting: Setting) => Promise<Measured>;
};
