import { swiftAmount } from './amount.ts';
import type { SwiftField } from './mt940-fields.ts';
import { StatementFault, type StatementNote, tidied } from './statement.ts';

/** A `:61:` line: what moved, and when. */
export type Movement = {
  /** The value date; one that no calendar has (30 February) as the day it overflows to. */
  readonly valueDay: string;
  /** Null when the bank states no entry date. */
  readonly entryDay: string | null;
  readonly amount: string;
  readonly incoming: boolean;
  /** Transaction type identification code, as `NTRF`. */
  readonly code: string | null;
  /** The account owner's reference, null for a filler. */
  readonly reference: string | null;
  /**
   * The whole field of the owner's reference, for banks that write an account there, which may be longer than the
   * field.
   */
  readonly written: string;
  /** What follows the reference's 16 characters: old Dutch files write the counterparty's name there. */
  readonly overlong: string | null;
  /** The bank's reference, after `//`; null for a filler. */
  readonly bankReference: string | null;
  /** The text of the lines below. */
  readonly supplement: string | null;
  readonly notes: readonly StatementNote[];
};

/**
 * SWIFT MT940 field 61: value date YYMMDD, entry date MMDD (optional), mark C, D, RC or RD, last letter of the
 * currency (optional), amount, type (a letter and three characters, which ING, Triodos and Sberbank pad with spaces),
 * owner's reference (16x), `//` and the bank's reference, and below it 34 characters of supplement.
 */
const FIELD_61 =
  /^(\d{6})(\d{4})?\s*(RC|RD|C|D)\s?([A-Z])?\s?(\d+(?:[,.]\d*)?)(?:([A-Z](?:[A-Z0-9]{3}|[A-Z0-9]{2} |[A-Z0-9] {2}| {3}))(.*))?$/;
const REFERENCE_LENGTH = 16;
const FILLER = /^(NON ?REF|NOTPROVIDED|EREF|KREF\+?|MREF\+?)?$/i;

/** @throws StatementFault */
export function readMovement(field: SwiftField): Movement {
  const place = `line ${field.line}`;
  const [first = '', ...below] = field.lines;
  const match = FIELD_61.exec(first.trimEnd()) ?? FIELD_61.exec(first);
  if (match === null) throw new StatementFault('a movement (:61:) cannot be read', place);
  const [, valueDate = '', entryDate, mark = '', , amount = '', code, rest = ''] = match;
  const [reference = '', ...behind] = rest.split('//');
  const notes: StatementNote[] = [];
  const lenient = (message: string): void => {
    notes.push({ code: 'STATEMENT_READ_LENIENTLY', message, place });
  };
  if (code?.includes(' ')) lenient('the type of a movement (:61:) is padded with spaces');
  const days = knownBookingDays(valueDate, entryDate, place);
  if (!days.valueIsDay) lenient('the value date of a movement (:61:) is no calendar day; its entry date was taken');
  if (amount.includes('.')) lenient('an amount (:61:) has a decimal point in place of the comma');
  const bankReference = behind.join('//').trim();
  return {
    valueDay: days.valueDay,
    entryDay: days.entryDay,
    amount: swiftAmount(amount, place),
    // A reversal of a credit decreases the balance, a reversal of a debit increases it.
    incoming: mark === 'C' || mark === 'RD',
    code: tidied(code),
    reference: FILLER.test(reference.slice(0, REFERENCE_LENGTH).trim())
      ? null
      : tidied(reference.slice(0, REFERENCE_LENGTH)),
    written: reference.trim(),
    overlong: tidied(reference.slice(REFERENCE_LENGTH)),
    bankReference: FILLER.test(bankReference) ? null : tidied(bankReference),
    supplement: tidied(below.join(' ')),
    notes,
  };
}

/** `YYYY-MM-DD` from a SWIFT YYMMDD; years 80 to 99 are 1980 to 1999. @throws StatementFault */
export function swiftDay(text: string, place: string): string {
  const day = writtenDay(text);
  if (!isCalendarDay(day)) throw new StatementFault('a date is no calendar day', place);
  return day;
}

function writtenDay(text: string): string {
  const century = Number(text.slice(0, 2)) >= 80 ? '19' : '20';
  return `${century}${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4, 6)}`;
}

type BookingDays = { readonly valueDay: string; readonly entryDay: string | null; readonly valueIsDay: boolean };

/** Most movements have the same dates as the previous one. */
let lastDays: { readonly dates: string; readonly days: BookingDays } | null = null;

function knownBookingDays(valueDate: string, entryDate: string | undefined, place: string): BookingDays {
  const dates = `${valueDate} ${entryDate}`;
  if (lastDays?.dates !== dates) lastDays = { dates, days: bookingDays(valueDate, entryDate, place) };
  return lastDays.days;
}

/**
 * The entry date has no year: the date nearest to the value date is taken. Banks that count 30 days per month date
 * interest to 30 February, which is accepted beside a valid entry date.
 */
function bookingDays(valueDate: string, entryDate: string | undefined, place: string): BookingDays {
  if (entryDate === undefined) return { valueDay: swiftDay(valueDate, place), entryDay: null, valueIsDay: true };
  const written = writtenDay(valueDate);
  const [year = 0, month = 0, dayOfMonth = 0] = written.split('-').map(Number);
  if (month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > 31)
    throw new StatementFault('a date is no calendar day', place);
  const valueMs = Date.UTC(year, month - 1, dayOfMonth);
  const candidates = [year - 1, year, year + 1]
    .map((candidate) => `${candidate}-${entryDate.slice(0, 2)}-${entryDate.slice(2, 4)}`)
    .filter(isCalendarDay);
  const distance = (day: string): number => Math.abs(Date.parse(day) - valueMs);
  const [nearest] = candidates.sort((a, b) => distance(a) - distance(b));
  if (nearest === undefined) throw new StatementFault('an entry date is no calendar day', place);
  const valueDay = new Date(valueMs).toISOString().slice(0, 10);
  return { valueDay, entryDay: nearest, valueIsDay: valueDay === written };
}

function isCalendarDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
