const MOST_ROWS = 50_000;

/** An answer is built in memory: one with more rows, or more groups to build rows from, is refused. */
export class TooManyRows extends Error {}

/** @throws TooManyRows */
export function refuseTooManyRows(rows: number): void {
  if (rows > MOST_ROWS) throw new TooManyRows(`more than ${MOST_ROWS} rows`);
}
