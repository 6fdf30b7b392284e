import { type Decimal, toUnits } from '../../shared/money.ts';
import { type BookedRow, type BookedStatement, kindOf, segmentRow, textOf } from './booked-rows.ts';
import type { DaySegment } from './day-segment.ts';
import type { StatementFormat } from './statement.ts';

/** One statement's rows of a day in so few words that they can be kept of every file. */
export type DayOutline = {
  readonly day: string;
  /** The balances before and after its rows; null when the statement states none. */
  readonly start: Decimal | null;
  readonly end: Decimal | null;
  /** Equal for two statements when the nth row of each kind is the same in both. */
  readonly digest: string;
  /** The statement tells of days before as well, or of days behind. */
  readonly beginsDay: boolean;
  readonly endsDay: boolean;
};

/** Of a statement that is in the order of its days. */
type FiledRows = BookedStatement & { readonly format: StatementFormat };

export function outlineDays(statement: FiledRows): DayOutline[] {
  const { rows, start, format } = statement;
  const outlines: DayOutline[] = [];
  for (const { day, from, to } of daysOf(rows)) {
    const before = from === 0 ? start : (rows[from - 1]?.balance ?? null);
    const ofDay = rows.slice(from, to);
    const kinds = new Set(ofDay.map(kindOf));
    let sum = 0;
    for (const row of ofDay) sum = (sum + hashOf(kindOf(row), 0)) % 0x1_0000_0000;
    const alike = before !== null && kinds.size === ofDay.length;
    // Where rows are of one kind, or no balance says where they begin, their texts and order matter too.
    const texts = alike
      ? ''
      : `${format} ${ofDay.reduce((hash, row) => hashOf(`${kindOf(row)} ${row.reference} ${textOf(row)}`, hash), 0)}`;
    const digest = [before ?? '', ofDay.length, sum, texts].join(' ');
    const end = rows[to - 1]?.balance ?? null;
    outlines.push({
      day,
      start: before,
      end,
      digest,
      beginsDay: beginsDay(statement, day),
      endsDay: endsDay(statement, day),
    });
  }
  return outlines;
}

function daysOf(rows: readonly BookedRow[]): { day: string; from: number; to: number }[] {
  const days: { day: string; from: number; to: number }[] = [];
  for (const [index, { day }] of rows.entries()) {
    const last = days.at(-1);
    if (last?.day === day) last.to = index + 1;
    else days.push({ day, from: index, to: index + 1 });
  }
  return days;
}

function beginsDay({ rows, openingDay }: BookedStatement, day: string): boolean {
  return (rows[0]?.day ?? day) < day || (openingDay ?? day) < day;
}

function endsDay({ rows, closingDay }: BookedStatement, day: string): boolean {
  return (rows.at(-1)?.day ?? day) > day || (closingDay ?? day) > day;
}

/** FNV-1a, 32 bits. */
function hashOf(text: string, seed: number): number {
  let hash = seed ^ 0x811c_9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  return hash >>> 0;
}

/** @param ends whether any statement with these rows of the day tells of days before, or behind */
export function segmentOf(
  id: string,
  statement: FiledRows,
  day: string,
  ends: Pick<DayOutline, 'beginsDay' | 'endsDay'>,
): DaySegment {
  const booked = statement.rows.filter((row) => row.day === day);
  const rows = booked.map(segmentRow);
  const [first] = rows;
  const after = booked[0]?.balance ?? null;
  return {
    id,
    format: statement.format,
    start: first === undefined || after === null ? null : toUnits(after) - first.change,
    ...ends,
    rows,
  };
}
