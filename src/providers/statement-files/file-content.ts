import type { SourceFault, StatedBalances } from '../bank-provider.ts';
import type { BookedRows, DayRun } from './booked-rows.ts';
import type { DayOutline } from './day-outlines.ts';
import type { Intraday, StatementAccount, StatementFormat, StatementNote } from './statement.ts';

/** What the account list needs of a statement. */
export type ClosingSummary = {
  readonly account: StatementAccount;
  readonly format: StatementFormat;
  readonly closingDay: string;
  readonly openingDay: string | null;
  /** Whether it states both balances and its rows lead from one to the other. */
  readonly isProven: boolean;
  /** The closing balance as stated; `balance` may be computed from rows. */
  readonly stated: string | null;
  /** Set for an intraday report. `booked`: the sum of its booked rows. */
  readonly intraday: (Intraday & { readonly booked: string }) | null;
  readonly opening: string | null;
  readonly balance: string | null;
  readonly available: string | null;
  readonly lastTransactionDate: string | null;
};

/** What is kept of a file, so that it does not have to be read again. */
export type FileOutline = {
  /** Null for one that could not be read at all. */
  readonly sha256: string | null;
  readonly summaries: readonly ClosingSummary[];
  /** For each statement, in the order of `summaries`. */
  readonly days: readonly (readonly DayOutline[])[];
  readonly rows: number;
  readonly faults: readonly SourceFault[];
  /** Findings that do not fail the sync: a file that is not a statement, a batch whose payments do not add up. */
  readonly notes: readonly SourceFault[];
};

/** A statement of a file, with the account it belongs to. */
export type FiledStatement = {
  /** Its number among the accepted statements of the file, from 0. */
  readonly index: number;
  readonly accountKey: string;
  readonly format: StatementFormat;
  readonly notes: readonly StatementNote[];
  readonly stated: readonly StatedBalances[];
  readonly runs: readonly DayRun[];
  readonly rows: BookedRows;
};

/** The accepted statements of a file. */
export type FileContent = {
  /**
   * The statements of an account, in the order of the file. @throws ProviderError (transient) when they are no longer
   * kept
   */
  readonly statementsOf: (accountKey: string) => Promise<readonly FiledStatement[]>;
};

/**
 * `pending`: the file is being written, and will be read next time. `passing`: the failure was not caused by the file,
 * and a retry may succeed.
 */
export type ReadFile =
  | {
      readonly kind: 'read';
      readonly outline: FileOutline;
      readonly content: FileContent;
      readonly passing: boolean;
    }
  | { readonly kind: 'pending' };
