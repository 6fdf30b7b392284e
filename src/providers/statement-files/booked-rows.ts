import { type Decimal, fromUnits, toUnits } from '../../shared/money.ts';
import { lettersOf } from '../../shared/text-folding.ts';
import { yieldToOthers } from '../../shared/yield-to-others.ts';
import type { ProviderTransaction } from '../bank-provider.ts';
import type { SegmentRow } from './day-segment.ts';
import type { StatementRow } from './statement.ts';

/** A row as the service takes it, with what tells it from others of its day. */
export type BookedRow = Omit<ProviderTransaction, 'group'> &
  Pick<StatementRow, 'day' | 'formerDay' | 'reference' | 'references'> & {
    /** Its number among the rows of its day and kind in the statement, from 0, and how many those are. */
    readonly nth: number;
    readonly alike: number;
  };

/** Rows of a statement that follow each other in booked order, with one booking day and one UTC day. */
export type DayRun = {
  readonly day: string;
  readonly date: string;
  /** The number of the first one in the statement, from 0. */
  readonly first: number;
  readonly count: number;
};

/** A row in its place: what the rows of the statement up to it move, in units, and its number among those alike. */
export type PlacedRow = { readonly row: StatementRow; readonly moved: bigint; readonly nth: number };

/** The rows of a statement in booked order, wherever they are kept. */
export type BookedRows = {
  /** Those from one number to before another. */
  readonly slice: (from: number, to: number) => Promise<readonly BookedRow[]>;
};

/** Rows given at once: about 10 ms. */
const AT_ONCE = 2_000;

/** @param part the rows of a short span, at once */
export function bookedRows(part: (from: number, to: number) => readonly BookedRow[]): BookedRows {
  return {
    async slice(from, to) {
      const rows: BookedRow[] = [];
      for (let at = from; at < to; at += AT_ONCE) {
        if (at > from) await yieldToOthers();
        for (const row of part(at, Math.min(to, at + AT_ONCE))) rows.push(row);
      }
      return rows;
    },
  };
}

/** @param start the balance before the statement's first row, in units; null when it states none */
export function bookedRow(
  { row, moved, nth }: PlacedRow,
  { start, currency, alike }: { readonly start: bigint | null; readonly currency: string; readonly alike: number },
): BookedRow {
  const balance = start === null ? null : fromUnits(start + moved);
  return { ...row, providerId: null, discriminator: null, balance, currency, nth, alike };
}

/** What a row moves, in units. */
export function changeOf({ amount, incoming }: { readonly amount: Decimal; readonly incoming: boolean }): bigint {
  return incoming ? toUnits(amount) : -toUnits(amount);
}

/** Amount and direction. */
export function kindOf({ incoming, amount }: Pick<StatementRow, 'incoming' | 'amount'>): string {
  return `${incoming ? 'C' : 'D'}${amount}`;
}

type Said = Pick<StatementRow, 'description' | 'nameSurname' | 'iban' | 'idNo' | 'code'>;

/** All the bank says of a row. Made where it is needed: it takes as much memory as the row. */
export function textOf({ description, nameSurname, iban, idNo, code }: Said): string {
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
