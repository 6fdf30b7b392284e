import { type Decimal, fromUnits, toUnits } from '../../shared/money.ts';
import { lettersOf } from '../../shared/text-folding.ts';
import { yieldToOthers } from '../../shared/yield-to-others.ts';
import type { ProviderTransaction } from '../bank-provider.ts';
import type { SegmentRow } from './day-segment.ts';
import type { StatementRow } from './statement.ts';

/** A row as the service imports it, with what distinguishes it from others of its day. */
export type BookedRow = Omit<ProviderTransaction, 'group'> &
  Pick<StatementRow, 'day' | 'formerDay' | 'reference' | 'references'> & {
    /** Its number among the rows of its day and kind in the statement, from 0, and how many those are. */
    readonly nth: number;
    readonly alike: number;
  };

/** Consecutive rows of a statement in booked order, with the same booking day and the same UTC day. */
export type DayRun = {
  readonly day: string;
  readonly date: string;
  /** The number of its first row in the statement, from 0. */
  readonly first: number;
  readonly count: number;
};

/**
 * A row with its position. `moved`: the sum of the rows of the statement up to and including it, in units; `nth`: its
 * number among the rows of its kind on its day, from 0.
 */
export type PlacedRow = { readonly row: StatementRow; readonly moved: bigint; readonly nth: number };

/** The rows of a statement in booked order, wherever they are stored. */
export type BookedRows = {
  /** The rows with the numbers from `from` up to, but not including, `to`. */
  readonly slice: (from: number, to: number) => Promise<readonly BookedRow[]>;
};

/** Rows read before other work gets its turn: about 10 ms. */
const AT_ONCE = 2_000;

/** @param part reads the rows of a short span synchronously */
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

/** The signed amount of a row, in units. */
export function changeOf({ amount, incoming }: { readonly amount: Decimal; readonly incoming: boolean }): bigint {
  return incoming ? toUnits(amount) : -toUnits(amount);
}

/** Amount and direction. */
export function kindOf({ incoming, amount }: Pick<StatementRow, 'incoming' | 'amount'>): string {
  return `${incoming ? 'C' : 'D'}${amount}`;
}

type Said = Pick<StatementRow, 'description' | 'nameSurname' | 'iban' | 'idNo' | 'code'>;

/** All the text that the bank gives for a row. Built only where it is needed: it takes as much memory as the row. */
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
