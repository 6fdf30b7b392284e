import { type Decimal, fromUnits, toUnits } from '../../shared/money.ts';
import { type BookedRow, changeOf, segmentRow, textOf } from './booked-rows.ts';
import type { DaySegment } from './day-segment.ts';
import type { StatementRow } from './statement.ts';

/** A summary of one statement's rows of a day, small enough to be kept for every file. */
export type DayOutline = {
  readonly day: string;
  readonly rows: number;
  /** The balances before and after its rows; null when the statement states none. */
  readonly start: Decimal | null;
  readonly end: Decimal | null;
  /** Equal for two statements when the nth row of each kind is the same in both. */
  readonly digest: string;
  /** Equal for two statements with as many rows of each kind. */
  readonly kinds: number;
  /** Whether the statement also covers earlier days (`beginsDay`) or later ones (`endsDay`). */
  readonly beginsDay: boolean;
  readonly endsDay: boolean;
};

/** Sums over a day's rows, updated row by row in booked order. */
export type DaySum = {
  readonly day: string;
  rows: number;
  /** The sum of the rows of the statement before the day, and up to its end, in units. */
  readonly before: bigint;
  after: bigint;
  /** A hash of the kinds of its rows, whatever their order. */
  kinds: number;
  /** A hash of the kinds and texts of its rows, in their order. */
  texts: number;
  /** Whether any two of its rows are of one kind. */
  hasTwins: boolean;
};

export function openDaySum(day: string, before: bigint): DaySum {
  return { day, rows: 0, before, after: before, kinds: 0, texts: 0, hasTwins: false };
}

export function addToDay(sum: DaySum, row: StatementRow, kind: string): void {
  sum.rows += 1;
  sum.after += changeOf(row);
  sum.kinds = (sum.kinds + hashOf(kind, 0)) % 0x1_0000_0000;
  sum.texts = hashOf(`${kind} ${row.reference} ${textOf(row)}`, sum.texts);
}

/** What an outline takes from the statement: its first and last days, and the balance before its first row in units. */
export type StatementFrame = {
  readonly format: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly start: bigint | null;
};

export function outlineOf(sum: DaySum, { format, firstDay, lastDay, start }: StatementFrame): DayOutline {
  const { day, rows, before, after, kinds, texts, hasTwins } = sum;
  const balance = (moved: bigint): Decimal | null => (start === null ? null : fromUnits(start + moved));
  // If several rows are of the same kind, or no balance says where they begin, their texts and order matter too.
  const said = start !== null && !hasTwins ? '' : `${format} ${texts}`;
  return {
    day,
    rows,
    start: balance(before),
    end: balance(after),
    kinds,
    digest: [balance(before) ?? '', rows, kinds, said].join(' '),
    beginsDay: firstDay < day,
    endsDay: lastDay > day,
  };
}

/** FNV-1a, 32 bits. */
function hashOf(text: string, seed: number): number {
  let hash = seed ^ 0x811c_9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  return hash >>> 0;
}

/**
 * @param booked the rows of a day
 * @param ends whether any statement with these rows of the day covers earlier or later days
 */
export function segmentOf(
  id: string,
  format: string,
  booked: readonly BookedRow[],
  ends: Pick<DayOutline, 'beginsDay' | 'endsDay'>,
): DaySegment {
  const rows = booked.map(segmentRow);
  const [first] = rows;
  const after = booked[0]?.balance ?? null;
  const start = first === undefined || after === null ? null : toUnits(after) - first.change;
  return { id, format, start, beginsDay: ends.beginsDay, endsDay: ends.endsDay, rows };
}
