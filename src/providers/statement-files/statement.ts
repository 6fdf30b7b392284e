import type { Decimal } from '../../shared/money.ts';

/** The account a statement is about, in one currency. */
export type StatementAccount = {
  /** IBAN, or the account number as the bank writes it, then `/` and the currency: the same in every statement. */
  readonly key: string;
  readonly iban: string | null;
  readonly accountNo: string | null;
  readonly currency: string;
  readonly accountName: string | null;
  readonly accountType: string | null;
  /** BIC of the bank. */
  readonly branchId: string | null;
  readonly branchName: string | null;
};

/** Signed: a debit balance is negative. */
export type StatementBalance = { readonly amount: Decimal; readonly day: string };

/** One booked entry. */
export type StatementRow = {
  /** The bank's reference of the entry; null when it is missing, a filler, or shared by several entries of its day. */
  readonly reference: string | null;
  readonly transactionDate: string;
  readonly amount: Decimal;
  readonly incoming: boolean;
  readonly description: string | null;
  readonly nameSurname: string | null;
  readonly iban: string | null;
  readonly idNo: string;
  readonly code: string | null;
  readonly findAI: boolean;
};

/** One statement of one account in one currency, as read; rows in the order of the file. */
export type Statement = {
  readonly identity: string;
  readonly account: StatementAccount;
  readonly opening: StatementBalance | null;
  readonly closing: StatementBalance | null;
  readonly available: Decimal | null;
  readonly rows: readonly StatementRow[];
};

/** A file cannot be taken as it is; nothing of it comes in. `place` names the line or element. */
export class StatementFault extends Error {
  readonly code: 'STATEMENT_FILE_INVALID' | 'STATEMENT_FORMAT_UNKNOWN' | 'STATEMENT_FILE_TOO_LARGE';
  readonly place: string | null;
  constructor(message: string, place: string | null, code: StatementFault['code'] = 'STATEMENT_FILE_INVALID') {
    super(message);
    this.name = 'StatementFault';
    this.code = code;
    this.place = place;
  }
}

/** Longest texts kept of a row. A batch entry may list thousands of payments; the event log does not hold a book. */
const LONGEST = { description: 8_000, name: 500 } as const;

/** White space folded, cut to what is kept, null when nothing is left. */
export function tidied(text: string | null | undefined, kind: keyof typeof LONGEST = 'name'): string | null {
  const folded = (text ?? '').replace(/\s+/gu, ' ').trim();
  if (folded === '') return null;
  return folded.length <= LONGEST[kind] ? folded : `${folded.slice(0, LONGEST[kind] - 1)}…`;
}
