import { swiftAmount } from './amount.ts';
import type { SwiftField } from './mt940-fields.ts';
import { StatementFault, tidied } from './statement.ts';

/** A `:61:` line: what moved, and when. */
export type Movement = {
  readonly day: string;
  readonly amount: string;
  readonly incoming: boolean;
  /** Transaction type identification code, as `NTRF`. */
  readonly code: string | null;
  /** The account owner's reference, null for a filler. */
  readonly reference: string | null;
  /** What stands behind the reference's 16 characters: old Dutch files write the counterparty's name there. */
  readonly overlong: string | null;
  /** The lines below. */
  readonly supplement: string | null;
};

/**
 * SWIFT MT940 field 61: value date YYMMDD, entry date MMDD (optional), mark C, D, RC or RD, last letter of the currency (optional), amount,
 * type (a letter and three characters), owner's reference (16x), `//` and the bank's reference, and below it 34 characters of supplement.
 */
const FIELD_61 = /^(\d{6})(\d{4})?\s*(RC|RD|C|D)\s?([A-Z])?\s?(\d+(?:,\d*)?)(?:([A-Z][A-Z0-9]{3})(.*))?$/;
const REFERENCE_LENGTH = 16;
const FILLER = /^(NON ?REF|NOTPROVIDED)?$/i;

/** @throws StatementFault */
export function readMovement(field: SwiftField): Movement {
  const place = `line ${field.line}`;
  const [first = '', ...below] = field.lines;
  const match = FIELD_61.exec(first.trimEnd());
  if (match === null) throw new StatementFault('a movement (:61:) cannot be read', place);
  const [, valueDate = '', entryDate, mark = '', , amount = '', code, rest = ''] = match;
  const [reference = ''] = rest.split('//', 1);
  return {
    day: bookingDay(valueDate, entryDate, place),
    amount: swiftAmount(amount, place),
    // A reversal of a credit takes away, a reversal of a debit gives back.
    incoming: mark === 'C' || mark === 'RD',
    code: code ?? null,
    reference: FILLER.test(reference.slice(0, REFERENCE_LENGTH).trim())
      ? null
      : tidied(reference.slice(0, REFERENCE_LENGTH)),
    overlong: tidied(reference.slice(REFERENCE_LENGTH)),
    supplement: tidied(below.join(' ')),
  };
}

/** `YYYY-MM-DD` of a SWIFT YYMMDD; years 80 to 99 are of the last century. @throws StatementFault */
export function swiftDay(text: string, place: string): string {
  const century = Number(text.slice(0, 2)) >= 80 ? '19' : '20';
  return calendarDay(`${century}${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4, 6)}`, place);
}

/** The entry date has no year: it is the one that lies nearest to the value date. */
function bookingDay(valueDate: string, entryDate: string | undefined, place: string): string {
  const value = swiftDay(valueDate, place);
  if (entryDate === undefined) return value;
  const year = Number(value.slice(0, 4));
  const candidates = [year - 1, year, year + 1]
    .map((candidate) => `${candidate}-${entryDate.slice(0, 2)}-${entryDate.slice(2, 4)}`)
    .filter(isCalendarDay);
  const distance = (day: string): number => Math.abs(Date.parse(day) - Date.parse(value));
  const [nearest] = candidates.sort((a, b) => distance(a) - distance(b));
  if (nearest === undefined) throw new StatementFault('an entry date is no calendar day', place);
  return nearest;
}

function calendarDay(day: string, place: string): string {
  if (!isCalendarDay(day)) throw new StatementFault('a date is no calendar day', place);
  return day;
}

function isCalendarDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
