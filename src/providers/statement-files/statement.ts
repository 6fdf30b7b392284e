import type { Decimal } from '../../shared/money.ts';
import type { RowReferences } from '../bank-provider.ts';

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
  /** The bank's reference of the entry, even if several entries share it; null when it is missing or a filler. */
  readonly reference: string | null;
  readonly transactionDate: string;
  /** The booking day as the bank states it, in whatever time zone. */
  readonly day: string;
  /** The day under which an earlier version of this service booked the row; null if it is the same one. */
  readonly formerDay: string | null;
  readonly amount: Decimal;
  readonly incoming: boolean;
  readonly description: string | null;
  readonly nameSurname: string | null;
  readonly iban: string | null;
  readonly idNo: string;
  readonly code: string | null;
  readonly findAI: boolean;
  readonly references: RowReferences;
};

export type StatementFormat = 'camt.052' | 'camt.053' | 'camt.054' | 'MT940' | 'MT942' | 'OFX' | 'BAI2' | 'CSV';

/** One statement of one account in one currency, as read; rows in the order of the file. */
export type Statement = {
  readonly identity: string;
  readonly format: StatementFormat;
  readonly account: StatementAccount;
  readonly opening: StatementBalance | null;
  readonly closing: StatementBalance | null;
  readonly available: Decimal | null;
  readonly rows: readonly StatementRow[];
  /** Set for an intraday report, whose rows are those booked so far. */
  readonly intraday?: Intraday;
  /** The line or element at which the statement closes. */
  readonly place: string;
  /** What was read although the bank did not write it as the format requires. */
  readonly notes: readonly StatementNote[];
};

export type Intraday = {
  /** When the report was made, as the bank states it (`YYYY-MM-DD`, with or without a time); later ones sort later. */
  readonly asOf: string;
  /** The signed sum of its rows that are not booked. */
  readonly pending: Decimal;
};

/** Something worth knowing about a statement that was imported nevertheless. */
export type StatementNote = {
  readonly code: 'STATEMENT_READ_LENIENTLY' | 'STATEMENT_BALANCES_DIFFER';
  readonly message: string;
  readonly place: string | null;
};

/** The statements of a file that can be read, and a fault for each that cannot. */
export type Reading = { readonly statements: readonly Statement[]; readonly faults: readonly StatementFault[] };

/**
 * A file, or one statement of it, cannot be imported. `place` names the line or element. `ofWholeFile`: nothing more of
 * the file can be read, including other files packed in it.
 */
export class StatementFault extends Error {
  readonly code:
    | 'STATEMENT_FILE_INVALID'
    | 'STATEMENT_FORMAT_UNKNOWN'
    | 'STATEMENT_FILE_TOO_LARGE'
    | 'STATEMENT_BALANCES_DIFFER'
    | 'STATEMENT_DETAILS_DIFFER';
  readonly place: string | null;
  readonly ofWholeFile: boolean;
  constructor(
    message: string,
    place: string | null,
    code: StatementFault['code'] = 'STATEMENT_FILE_INVALID',
    ofWholeFile = false,
  ) {
    super(message);
    this.ofWholeFile = ofWholeFile;
    this.name = 'StatementFault';
    this.code = code;
    this.place = place;
  }
}

/** Whether a fault is only noted and does not fail the sync: no booked row is missing because of it. */
export function isNoted({ code }: { readonly code: string }): boolean {
  return code === 'STATEMENT_FORMAT_UNKNOWN' || code === 'STATEMENT_DETAILS_DIFFER';
}

/** The longest texts kept of a row. A batch entry may list thousands of payments: too much text for the event log. */
const LONGEST = { description: 8_000, name: 500 } as const;

/** White space other than single blanks: a search costs less than a replacement that changes nothing. */
const UNTIDY = /\s\s|[^\S ]/u;

/** The text with white space collapsed, cut to the longest length kept; null when nothing is left. */
export function tidied(text: string | null | undefined, kind: keyof typeof LONGEST = 'name'): string | null {
  const given = text ?? '';
  const folded = (UNTIDY.test(given) ? given.replace(/\s+/gu, ' ') : given).trim();
  if (folded === '') return null;
  return folded.length <= LONGEST[kind] ? folded : `${folded.slice(0, LONGEST[kind] - 1)}…`;
}
