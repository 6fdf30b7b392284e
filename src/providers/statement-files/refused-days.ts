import type { DayOutline } from './day-outlines.ts';

/**
 * The most rows compared for a day, over all the different ways in which statements list it: comparing takes memory and
 * time for each pair of rows.
 */
export const MOST_COMPARED_ROWS = 20_000;

/**
 * Why no row of a day is imported. `too-many`: its statements differ, and have more rows than can be compared.
 * `contradicting`: two of them lead from one balance to another by different rows, such as a batch and its payments, so
 * that importing both would count the money twice.
 */
export type RefusedDay = 'too-many' | 'contradicting';

/** @param outlines the different ways in which statements list the day */
export function refusalOf(outlines: readonly DayOutline[]): RefusedDay | null {
  if (isContradicting(outlines)) return 'contradicting';
  const rows = outlines.reduce((sum, one) => sum + one.rows, 0);
  return rows > MOST_COMPARED_ROWS && !haveSameRows(outlines) ? 'too-many' : null;
}

/** Whether the statements differ only in texts or order: the nth row of a kind is then the same in each. */
function haveSameRows(outlines: readonly DayOutline[]): boolean {
  const [first, ...others] = outlines;
  if (first === undefined || first.start === null) return false;
  return others.every(
    ({ start, rows, kinds }) => start === first.start && rows === first.rows && kinds === first.kinds,
  );
}

function isContradicting(outlines: readonly DayOutline[]): boolean {
  const ways = new Map<string, DayOutline>();
  for (const one of outlines) {
    if (one.start === null) continue;
    const key = `${one.start} ${one.end}`;
    const other = ways.get(key) ?? one;
    ways.set(key, other);
    const isSame = other.rows === one.rows && other.kinds === one.kinds;
    if (!isSame && !isReached(outlines, one.end, one.start)) return true;
  }
  return false;
}

/**
 * Whether statements of the day lead from one balance to another: if they do, the account may have had that balance
 * twice.
 */
function isReached(outlines: readonly DayOutline[], from: string | null, to: string): boolean {
  const reached = new Set([from]);
  for (const balance of reached) {
    for (const { start, end } of outlines) if (start === balance) reached.add(end);
  }
  return reached.has(to);
}
