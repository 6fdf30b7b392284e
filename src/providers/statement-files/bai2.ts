import { type Decimal, fromUnits, MoneyError, toUnits } from '../../shared/money.ts';
import { scaledAmount } from './amount.ts';
import { type Bai2Record, bai2Records } from './bai2-records.ts';
import { referencesOf } from './row-references.ts';
import { statedAccount } from './stated-account.ts';
import { type Statement, type StatementBalance, StatementFault, type StatementRow, tidied } from './statement.ts';
import type { StatementPart } from './statement-parts.ts';

/** ISO 4217 currencies whose amounts do not have two decimals. */
const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    [
      'BIF',
      'CLP',
      'DJF',
      'GNF',
      'ISK',
      'JPY',
      'KMF',
      'KRW',
      'PYG',
      'RWF',
      'UGX',
      'VND',
      'VUV',
      'XAF',
      'XOF',
      'XPF',
    ].map((currency) => [currency, 0]),
  ),
  ...Object.fromEntries(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((currency) => [currency, 3])),
};
/** Type codes of an account's balances: opening and closing ledger; closing, current and opening available. */
const [OPENING, CLOSING] = ['010', '015'];
const AVAILABLE = ['045', '060', '040'];
/** As-of-date modifier of a same-day report, whose rows are not final. */
const SAME_DAY = '3';

type Group = { readonly day: string; readonly time: string; readonly currency: string; readonly sameDay: boolean };

type Account = {
  readonly place: string;
  readonly statement: Omit<Statement, 'rows'>;
  readonly decimals: number;
  /** The sum of all amounts, to compare with the control total. */
  total: bigint;
  pending: bigint;
  /** When a same-day report was made; null for a final one. */
  readonly asOf: string | null;
  fault: StatementFault | null;
};

/**
 * Reads BAI2: a statement for each account (03) of a group (02), booked on the group's as-of date. It is verified by
 * its ledger balances (010, 015) if it states both, otherwise by its control total (49). The rows of a same-day report
 * (modifier 3) are pending: the final report lists them again.
 */
export async function* readBai2(text: AsyncIterable<string>): AsyncGenerator<StatementPart> {
  let group: Group | null = null;
  let account: Account | null = null;
  let count = 0;
  let ended = false;
  try {
    for await (const record of bai2Records(text)) {
      const place = `line ${record.line}`;
      if (record.code === '02') group = groupOf(record);
      else if (record.code === '03') {
        if (account !== null) throw new StatementFault('an account has no end (49)', account.place);
        if (group === null) throw new StatementFault('an account (03) is in no group (02)', place);
        count += 1;
        account = accountOf(record, group);
      } else if (record.code === '16') {
        if (account === null || group === null)
          throw new StatementFault('a movement (16) belongs to no account (03)', place);
        const row = takeRow(account, record, group);
        if (row !== null) yield { kind: 'row', row };
      } else if (record.code === '49' && account !== null) {
        yield close(account, record);
        account = null;
      } else if (record.code === '99') ended = true;
    }
    if (account !== null || !ended) {
      throw new StatementFault('the file ends before its last record (99)', account?.place ?? null);
    }
    if (count === 0) throw new StatementFault('the file holds no account (03)', null);
  } catch (error) {
    if (!(error instanceof StatementFault)) throw error;
    yield { kind: 'fault', fault: error };
  }
}

function groupOf({ text, line }: Bai2Record): Group {
  const [, , , date = '', time = '', currency = '', modifier = ''] = text.split(',', 7).map((field) => field.trim());
  const place = `line ${line}`;
  return {
    day: bai2Day(date, place),
    time,
    currency: currency === '' ? 'USD' : currency,
    sameDay: modifier === SAME_DAY,
  };
}

function accountOf({ text, line }: Bai2Record, group: Group): Account {
  const place = `line ${line}`;
  const fields = text.split(',').map((field) => field.trim());
  const [number = '', currency = ''] = fields;
  const account = statedAccount(number, currency === '' ? group.currency : currency, place);
  const decimals = DECIMALS[account.currency] ?? 2;
  const stated = new Map<string, Decimal>();
  let total = 0n;
  for (let at = 2; at < fields.length; ) {
    const [type = '', amount = ''] = fields.slice(at, at + 2);
    at += 3 + fundsFields(fields, at + 3);
    if (amount === '') continue;
    const read = scaledAmount(amount, decimals, place);
    total += toUnits(read);
    if (!stated.has(type)) stated.set(type, read);
  }
  const balance = (type: string): StatementBalance | null => {
    const amount = stated.get(type);
    return amount === undefined ? null : { amount, day: group.day };
  };
  const available = AVAILABLE.flatMap((type) => stated.get(type) ?? [])[0] ?? null;
  return {
    place,
    decimals,
    total,
    pending: 0n,
    asOf: group.sameDay ? `${group.day}T${group.time.padEnd(4, '0')}` : null,
    fault: null,
    statement: {
      identity: '',
      format: 'BAI2',
      account,
      opening: group.sameDay ? null : balance(OPENING),
      closing: group.sameDay ? null : balance(CLOSING),
      available,
      place,
      notes: [],
    },
  };
}

/** How many fields the funds type at `at` takes, itself included. */
function fundsFields(fields: readonly string[], at: number): number {
  const type = (fields[at] ?? '').trim().toUpperCase();
  if (type === 'V') return 3;
  if (type === 'S') return 4;
  if (type === 'D') return 2 + 2 * Math.min(Number(/^\d{1,4}$/.exec(fields[at + 1] ?? '')?.[0] ?? 0), fields.length);
  return 1;
}

/** Null for a row that is not booked, and for one that cannot be read, which refuses the statement. */
function takeRow(account: Account, record: Bai2Record, group: Group): StatementRow | null {
  try {
    const { row, change } = rowOf(record, account, group);
    account.total += change < 0n ? -change : change;
    if (row === null) return null;
    if (!group.sameDay) return row;
    account.pending += change;
  } catch (error) {
    if (!(error instanceof StatementFault)) throw error;
    account.fault ??= error;
  }
  return null;
}

const NO_REFERENCES = { endToEndId: null, mandateId: null, creditorId: null };

/** `row` is null for a type code without an amount (890). */
function rowOf(
  { text, line }: Bai2Record,
  { decimals }: Account,
  { day }: Group,
): { row: StatementRow | null; change: bigint } {
  const place = `line ${line}`;
  const fields = text.split(',');
  const [type = '', amount = ''] = fields.map((field) => field.trim());
  const incoming = isCredit(type, place);
  if (incoming === null) return { row: null, change: 0n };
  const read = scaledAmount(amount, decimals, place);
  if (read.startsWith('-')) throw new StatementFault('a movement (16) has a sign besides its type', place);
  const at = 2 + fundsFields(fields, 2);
  const [bankReference, customerReference] = [tidied(fields[at]), tidied(fields[at + 1])];
  const units = toUnits(read);
  return {
    change: incoming ? units : -units,
    row: {
      reference: bankReference !== null && /^0*$/.test(bankReference) ? null : bankReference,
      transactionDate: `${day}T00:00:00.000Z`,
      day,
      formerDay: null,
      amount: read,
      incoming,
      description: tidied(
        fields
          .slice(at + 2)
          .join(',')
          .replace(/^,+/, ''),
        'description',
      ),
      nameSurname: null,
      iban: null,
      idNo: '',
      code: type,
      findAI: false,
      references: referencesOf({ ...NO_REFERENCES, customerReference, bankReference }),
    },
  };
}

/**
 * Whether a type code is a credit, by the ranges in the BAI2 manual; null for information without an amount.
 * @throws StatementFault
 */
function isCredit(type: string, place: string): boolean | null {
  const code = /^\d{3}$/.test(type) ? Number(type) : 0;
  if (code === 890) return null;
  if ((code >= 100 && code <= 399) || (code >= 920 && code <= 959) || code === 721 || code === 722) return true;
  if ((code >= 400 && code <= 699) || (code >= 960 && code <= 999)) return false;
  throw new StatementFault('a movement (16) has a type that is neither a credit nor a debit', place);
}

function close(account: Account, { text, line }: Bai2Record): StatementPart {
  const { statement, fault, decimals, pending } = account;
  const place = `line ${line}`;
  try {
    if (fault !== null) throw fault;
    const isProven = statement.opening !== null && statement.closing !== null;
    const [written = ''] = text.split(',', 1);
    if (!isProven) {
      const control = toUnits(scaledAmount(written, decimals, place));
      if (control !== account.total) {
        const [found, expected] = [fromUnits(account.total), fromUnits(control)];
        const message = `the amounts come to ${found}, but the control total (49) is ${expected}`;
        throw new StatementFault(message, place, 'STATEMENT_BALANCES_DIFFER');
      }
    }
    if (account.asOf === null) return { kind: 'statement', statement: { ...statement, place } };
    const intraday = { asOf: account.asOf, pending: fromUnits(pending) };
    return { kind: 'statement', statement: { ...statement, place, intraday } };
  } catch (error) {
    if (error instanceof StatementFault) return { kind: 'fault', fault: error };
    if (error instanceof MoneyError)
      return { kind: 'fault', fault: new StatementFault('the sums exceed 18 digits', place) };
    throw error;
  }
}

/** `YYYY-MM-DD` from a BAI2 date (YYMMDD), or from eight digits, which some banks write. @throws StatementFault */
function bai2Day(text: string, place: string): string {
  const [, year = '', month, day] = /^(\d{2}|\d{4})(\d{2})(\d{2})$/.exec(text.trim()) ?? [];
  const written = `${year.length === 2 ? '20' : ''}${year}-${month}-${day}`;
  const ms = Date.parse(`${written}T00:00:00Z`);
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(written)) {
    throw new StatementFault('a date is no calendar day', place);
  }
  return written;
}
