import { type Decimal, fromUnits, subtract, toUnits } from '../../shared/money.ts';
import type { StatedBalances } from '../bank-provider.ts';
import { type DayRun, kindOf, type PlacedRow } from './booked-rows.ts';
import { addToDay, type DayOutline, type DaySum, openDaySum, outlineOf } from './day-outlines.ts';
import { type Statement, StatementFault, type StatementRow } from './statement.ts';

/** What is computed from a statement besides its rows. */
export type Booked = {
  /** The sum of the rows. */
  readonly net: Decimal;
  /** The balance before the first row, stated or computed from the closing one. */
  readonly start: Decimal | null;
  /** The closing balance, stated or computed from the rows. */
  readonly balance: Decimal | null;
  /**
   * One for each day with rows and for the day of the closing balance; empty unless the statement states both balances.
   */
  readonly stated: readonly StatedBalances[];
  readonly days: readonly DayOutline[];
  readonly runs: readonly DayRun[];
  readonly rowCount: number;
  readonly lastTransactionDate: string | null;
};

/** Counts the rows of a statement by their kind, a day at a time. */
export type KindCounts = {
  /** Counts a row of this kind, and returns how many the day had before it. */
  readonly take: (kind: string) => number;
  /** Ends the day, and returns whether it had two rows of the same kind. */
  readonly endDay: (day: string) => boolean;
};

/** The most days of one statement: no account has centuries of history. */
export const MOST_DAYS = 50_000;

/**
 * Books the rows of a statement in the order of their days, those of a day in the order of the file, so that each day
 * begins and ends at one balance, whatever order the bank uses. Keeps data for each day, but none for a row.
 */
export type Booking = {
  /** False for a row that belongs before the last one: the rows must then be sorted first. */
  readonly isInOrder: (row: StatementRow) => boolean;
  /** @throws StatementFault for more days than a statement may have */
  readonly add: (row: StatementRow) => PlacedRow;
  /**
   * The running balance starts from the opening balance, or is computed backwards from the closing one if only that is
   * stated.
   */
  readonly close: (statement: Omit<Statement, 'rows'>) => Booked;
};

type StatedDay = { readonly day: string; readonly opening: bigint; closing: bigint };

export function openBooking(kinds: KindCounts): Booking {
  const days: DaySum[] = [];
  const runs: { day: string; date: string; first: number; count: number }[] = [];
  const statedDays: StatedDay[] = [];
  let last: StatementRow | null = null;
  let moved = 0n;
  let rowCount = 0;

  function dayOf({ day }: StatementRow): DaySum {
    const open = days.at(-1);
    if (open?.day === day) return open;
    endDay();
    if (days.length === MOST_DAYS) {
      throw new StatementFault(`the statement has more than ${MOST_DAYS} days`, null, 'STATEMENT_FILE_TOO_LARGE');
    }
    const next = openDaySum(day, moved);
    days.push(next);
    return next;
  }

  function endDay(): void {
    const open = days.at(-1);
    if (open !== undefined) open.hasTwins = kinds.endDay(open.day);
  }

  function addToRun({ day }: StatementRow, date: string): void {
    const run = runs.at(-1);
    if (run?.day === day && run.date === date) run.count += 1;
    else runs.push({ day, date, first: rowCount, count: 1 });
  }

  /** Updates the balances before and after each day, which a statement of many days implies. */
  function addToStated(date: string, before: bigint): void {
    const open = statedDays.at(-1);
    if (open !== undefined && open.day >= date) open.closing = moved;
    else statedDays.push({ day: date, opening: before, closing: moved });
  }

  return {
    isInOrder: (row) =>
      last === null || last.day < row.day || (last.day === row.day && last.transactionDate <= row.transactionDate),
    add(row) {
      const kind = kindOf(row);
      const sum = dayOf(row);
      const before = moved;
      const date = row.transactionDate.slice(0, 10);
      addToDay(sum, row, kind);
      moved = sum.after;
      addToRun(row, date);
      addToStated(date, before);
      rowCount += 1;
      last = row;
      return { row, moved, nth: kinds.take(kind) };
    },
    close(statement) {
      endDay();
      const { opening, closing, format } = statement;
      const net = fromUnits(moved);
      const start = opening?.amount ?? (closing === null ? null : subtract(closing.amount, net));
      const startUnits = start === null ? null : toUnits(start);
      const led = startUnits === null ? null : fromUnits(startUnits + moved);
      const [first, end] = [days[0]?.day, days.at(-1)?.day];
      const frame = {
        format,
        start: startUnits,
        firstDay: earlier(first, opening?.day),
        lastDay: later(end, closing?.day),
      };
      return {
        net,
        start,
        balance: closing?.amount ?? led,
        stated: statedBalances(statement, statedDays, moved),
        days: days.map((sum) => outlineOf(sum, frame)),
        runs,
        rowCount,
        lastTransactionDate: last?.transactionDate ?? null,
      };
    },
  };
}

function earlier(one = '9999', other = '9999'): string {
  return one < other ? one : other;
}

function later(one = '', other = ''): string {
  return one > other ? one : other;
}

/** The last day ends at the stated closing balance, even if the rows do not lead to it. */
function statedBalances(
  { opening, closing }: Pick<Statement, 'opening' | 'closing'>,
  days: readonly StatedDay[],
  moved: bigint,
): StatedBalances[] {
  if (opening === null || closing === null) return [];
  const last = days.at(-1);
  const isOver = last !== undefined && last.day >= closing.day;
  const all = isOver ? days : [...days, { day: closing.day, opening: moved, closing: moved }];
  const start = toUnits(opening.amount);
  return all.map((one, index) => ({
    fromDay: one.day,
    toDay: one.day,
    opening: fromUnits(start + one.opening),
    closing: index === all.length - 1 ? closing.amount : fromUnits(start + one.closing),
    net: fromUnits(one.closing - one.opening),
  }));
}

/** For a statement whose rows fit into memory. `alike`: how many rows of a kind a day has. */
export function countKinds(): KindCounts & { readonly alike: (day: string, kind: string) => number } {
  let ofDay = new Map<string, number>();
  const counts = new Map<string, number>();
  return {
    take(kind) {
      const before = ofDay.get(kind) ?? 0;
      ofDay.set(kind, before + 1);
      return before;
    },
    endDay(day) {
      let hasTwins = false;
      for (const [kind, count] of ofDay) {
        if (count > 1) counts.set(`${day} ${kind}`, count);
        hasTwins ||= count > 1;
      }
      ofDay = new Map();
      return hasTwins;
    },
    alike: (day, kind) => counts.get(`${day} ${kind}`) ?? 1,
  };
}
