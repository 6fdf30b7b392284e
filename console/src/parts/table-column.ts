import type { ComponentChildren } from 'preact';

export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  /** A track of the grid: `120px`, `minmax(0, 2fr)`. */
  readonly width: string;
  readonly end?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  /** Where it stands in a row of two lines, on a narrow screen; without, it is left out there. */
  readonly narrow?: 'lead' | 'figure' | 'second' | 'note';
};
