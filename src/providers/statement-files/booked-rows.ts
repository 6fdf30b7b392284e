import { type Decimal, fromUnits, subtract, toUnits } from '../../shared/money.ts';
import { lettersOf } from '../../shared/text-folding.ts';
import type { ProviderTransaction, StatedBalances } from '../bank-provider.ts';
import type { SegmentRow } from './day-segment.ts';
import type { Statement, StatementRow } from './statement.ts';

/** A row as the service takes it, with what tells it from others of its day. */
export type BookedRow = Omit<ProviderTransaction, 'group'> &
  Pick<StatementRow, 'day' | 'formerDay' | 'reference' | 'references'>;

/** A statement's rows as the service takes them, and what it states about them. */
export type BookedStatement = {
  readonly identity: string;
  readonly rows: readonly BookedRow[];
  /** What the rows come to. */
  readonly net: Decimal;
  /** For each day with rows, and for that of the closing balance; none unless the statement states both balances. */
  readonly stated: readonly StatedBalances[];
  readonly openingDay: string | null;
  readonly closingDay: string | null;
  /** The balance before the first row, stated or led to by the closing one. */
  readonly start: Decimal | null;
  /** The closing balance, stated or led to by the rows. */
  readonly balance: Decimal | null;
};

/**
 * Rows in the order of their days, those of a day as the file has them, so that each day begins and ends on one
 * balance whatever order the bank prints. The balance runs from the opening one, or back from the closing one when
 * that alone is stated.
 */
export function bookRows(statement: Statement): BookedStatement {
  const { account, opening, closing, identity, rows } = statement;
  const ordered = rows.toSorted(
    (a, b) => compareText(a.day, b.day) || compareText(a.transactionDate, b.transactionDate),
  );
  const units = ordered.reduce((sum, row) => sum + changeOf(row), 0n);
  const net = fromUnits(units);
  const start = opening?.amount ?? (closing === null ? null : subtract(closing.amount, net));
  let reached = start === null ? null : toUnits(start);
  let balance = start;
  const booked = ordered.map((row): BookedRow => {
    reached = reached === null ? null : reached + changeOf(row);
    balance = reached === null ? null : fromUnits(reached);
    return {
      ...row,
      providerId: null,
      discriminator: null,
      balance,
      currency: account.currency,
    };
  });
  const stated = statedDays(statement, booked);
  const [openingDay, closingDay] = [opening?.day ?? null, closing?.day ?? null];
  return { identity, rows: booked, net, stated, openingDay, closingDay, start, balance: closing?.amount ?? balance };
}

/** What a row moves, in units. */
function changeOf({ amount, incoming }: Pick<BookedRow, 'amount' | 'incoming'>): bigint {
  return incoming ? toUnits(amount) : -toUnits(amount);
}

/** Amount and direction. */
export function kindOf({ incoming, amount }: Pick<BookedRow, 'incoming' | 'amount'>): string {
  return `${incoming ? 'C' : 'D'}${amount}`;
}

/** All the bank says of a row. Made where it is needed: it takes as much memory as the row. */
export function textOf({ description, nameSurname, iban, idNo, code }: BookedRow): string {
  return [description, nameSurname, iban, idNo, code].join('\u0000');
}

export function segmentRow(row: BookedRow): SegmentRow {
  return {
    kind: kindOf(row),
    change: changeOf(row),
    reference: row.reference,
    text: textOf(row),
    words: lettersOf(row.description),
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Where the balances before and after each day are, which a statement of many days says of every one. The last one
 * ends where the statement says, also where its rows do not lead there.
 */
function statedDays({ opening, closing }: Statement, rows: readonly BookedRow[]): StatedBalances[] {
  if (opening === null || closing === null) return [];
  const days: { day: string; opening: Decimal; closing: Decimal }[] = [];
  let before = opening.amount;
  for (const { transactionDate, balance } of rows) {
    const day = transactionDate.slice(0, 10);
    const after = balance ?? before;
    const last = days.at(-1);
    if (last !== undefined && last.day >= day) last.closing = after;
    else days.push({ day, opening: before, closing: after });
    before = after;
  }
  const last = days.at(-1);
  if (last === undefined || last.day < closing.day) days.push({ day: closing.day, opening: before, closing: before });
  return days.map(({ day, opening: from, closing: to }, index) => ({
    fromDay: day,
    toDay: day,
    opening: from,
    closing: index === days.length - 1 ? closing.amount : to,
    net: subtract(to, from),
  }));
}
