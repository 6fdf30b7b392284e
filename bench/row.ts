export type Aim =
  /** The time of the baseline divided by ours: 1 is as fast as the baseline. */
  | { readonly kind: 'speed'; readonly atLeast: number }
  /** Our time divided by that of the baseline: 1 is as fast as the baseline. */
  | { readonly kind: 'cost'; readonly atMost: number }
  | { readonly kind: 'below'; readonly limit: number; readonly unit: string }
  | { readonly kind: 'above'; readonly limit: number; readonly unit: string };

export type Measured = {
  /** One ratio per round, in the sense of the aim of the row; a single one for a row that is measured once. */
  readonly values: readonly number[];
  /** How many of what the row counts are done in a second, printed also as a part of the calibration. */
  readonly perSecond?: number;
  /** Absolute figures, to be printed. */
  readonly details: readonly string[];
};

export type Setting = {
  /** A size that only shows that the row works. */
  readonly quick: boolean;
  readonly rounds: number;
  /** Prints the progress of a long row. */
  readonly say: (line: string) => void;
};

/** One row of the table in docs/performance.md. `name` selects it on the command line. */
export type Row = {
  readonly name: string;
  readonly title: string;
  /** What it is compared with, in the same run. */
  readonly baseline: string;
  readonly aim: Aim;
  readonly measure: (setting: Setting) => Promise<Measured>;
};
