const MOST_ROWS = 50_000;

/**
 * An answer is held in memory while it is made: beyond so many rows, or groups that rows are made of, it is refused.
 */
export class TooManyRows extends Error {}

/** @throws TooManyRows */
export function refuseTooManyRows(rows: number): void {
  if (rows > MOST_ROWS) throw new TooManyRows(`more than ${MOST_ROWS} rows`);
}
