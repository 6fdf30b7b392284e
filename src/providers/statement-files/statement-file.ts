import { createHash } from 'node:crypto';
import { add, MoneyError } from '../../shared/money.ts';
import type { ProviderAccount, SourceFault } from '../bank-provider.ts';
import { type BookedStatement, bookRows } from './booked-rows.ts';
import { type ByteSource, bytesInMemory, piecesOf } from './byte-source.ts';
import type { FileSettings } from './file-settings.ts';
import type { UnpackedLimits } from './packed-file.ts';
import { readParts } from './read-parts.ts';
import {
  type Intraday,
  type Reading,
  type Statement,
  type StatementAccount,
  StatementFault,
  type StatementFormat,
  type StatementNote,
} from './statement.ts';
import type { ReadingSettings } from './statement-formats.ts';
import { collectStatements, type StatementPart } from './statement-parts.ts';
import { readUnchanged, type StatementFile, unreadable } from './statements-folder.ts';

/** Beyond this no bank's file lies; it bounds what one file can take of memory and time. */
const LARGEST_FILE_BYTES = 64 * 1024 * 1024;

/** A statement of a file, with the account it belongs to. */
export type FiledStatement = BookedStatement & {
  readonly account: StatementAccount;
  readonly format: StatementFormat;
  readonly summary: ClosingSummary;
  readonly notes: readonly StatementNote[];
};

/** What the account list needs of a statement. */
export type ClosingSummary = {
  readonly account: StatementAccount;
  readonly format: StatementFormat;
  readonly closingDay: string;
  readonly openingDay: string | null;
  /** It states both balances, and its rows lead from the one to the other. */
  readonly isProven: boolean;
  /** The closing balance as it is stated; `balance` may be led to by rows. */
  readonly stated: string | null;
  /** Of a report during the day; `booked`: what its booked rows come to. */
  readonly intraday: (Intraday & { readonly booked: string }) | null;
  readonly opening: string | null;
  readonly balance: string | null;
  readonly available: string | null;
  readonly lastTransactionDate: string | null;
};

/**
 * The statements of a file that can be taken, and why others cannot. `sha256`: of the file, null for one that could
 * not be read at all. `pending`: it is being written, and looked at again next time.
 */
export type ReadFile =
  | {
      readonly kind: 'read';
      readonly sha256: string | null;
      readonly statements: readonly FiledStatement[];
      readonly faults: readonly SourceFault[];
    }
  | { readonly kind: 'pending' };

/** Faults kept of one file: of one that is broken throughout the first ones tell enough. */
const MOST_FAULTS = 20;

/** Never throws for what a file holds. */
export async function readStatementFile(file: StatementFile, settings: FileSettings): Promise<ReadFile> {
  let digest: string | null = null;
  const failed = (faults: readonly SourceFault[]): ReadFile => ({
    kind: 'read',
    sha256: digest,
    statements: [],
    faults,
  });
  if (file.size > LARGEST_FILE_BYTES) {
    const mebibytes = LARGEST_FILE_BYTES / 1024 / 1024;
    const message = `the file is larger than ${mebibytes} MiB`;
    return failed([sourceFault(file, new StatementFault(message, null, 'STATEMENT_FILE_TOO_LARGE'))]);
  }
  try {
    const reading = await readUnchanged(file, async (source) => {
      digest = await sha256Of(source);
      return collectParts(readParts(source, settings));
    });
    if (reading === null) return { kind: 'pending' };
    const refused = [...reading.faults];
    const taken: FiledStatement[] = [];
    for (const statement of reading.statements) {
      try {
        taken.push(fileStatement(statement, settings));
      } catch (error) {
        if (error instanceof StatementFault) refused.push(error);
        else if (error instanceof MoneyError)
          refused.push(new StatementFault('the sums exceed 18 digits', statement.place));
        else throw error;
      }
    }
    return { kind: 'read', sha256: digest, statements: taken, faults: sourceFaults(file, refused) };
  } catch (error) {
    if (error instanceof StatementFault) return failed([sourceFault(file, error)]);
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'an unexpected error';
    return failed([unreadable(file.name, `the file cannot be read: ${code}`)]);
  }
}

async function sha256Of(source: ByteSource): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of piecesOf(source)) digest.update(piece);
  return digest.digest('hex');
}

/** With what was read before the reader met something that it cannot read on from. */
async function collectParts(parts: AsyncIterable<StatementPart>): Promise<Reading> {
  let fault: StatementFault | null = null;
  async function* untilFault(): AsyncGenerator<StatementPart> {
    try {
      yield* parts;
    } catch (error) {
      if (!(error instanceof StatementFault)) throw error;
      fault = error;
    }
  }
  const { statements, faults } = await collectStatements(untilFault());
  return { statements, faults: fault === null ? faults : [...faults, fault] };
}

function sourceFaults(file: StatementFile, faults: readonly StatementFault[]): SourceFault[] {
  const named = faults.slice(0, MOST_FAULTS).map((fault) => sourceFault(file, fault));
  const more = faults.length - named.length;
  if (more === 0) return named;
  return [
    ...named,
    sourceFault(file, new StatementFault(`${more} more statements of the file cannot be imported`, null)),
  ];
}

/** @throws StatementFault where nothing more can be read */
export function readStatements(
  bytes: Uint8Array,
  settings: Partial<ReadingSettings> = {},
  limits?: UnpackedLimits,
): Promise<Reading> {
  return collectStatements(readParts(bytesInMemory(bytes), { charset: null, csv: null, ...settings }, limits));
}

/**
 * @throws StatementFault for a statement whose rows do not lead from its opening to its closing balance, unless that
 * is to be noted only
 */
function fileStatement(statement: Statement, { balances }: FileSettings): FiledStatement {
  const booked = bookRows(statement);
  const difference = balanceDifference(statement, booked);
  if (difference !== null && balances === 'strict') {
    throw new StatementFault(difference, statement.place, 'STATEMENT_BALANCES_DIFFER');
  }
  const { account, format, closing, opening, available } = statement;
  const lastTransactionDate = booked.rows.at(-1)?.transactionDate ?? null;
  return {
    ...booked,
    account,
    format,
    notes:
      difference === null
        ? statement.notes
        : [...statement.notes, { code: 'STATEMENT_BALANCES_DIFFER', message: difference, place: statement.place }],
    summary: {
      account,
      format,
      closingDay: closing?.day ?? lastTransactionDate?.slice(0, 10) ?? opening?.day ?? '',
      openingDay: opening?.day ?? null,
      isProven: opening !== null && closing !== null && difference === null,
      stated: closing?.amount ?? null,
      intraday: statement.intraday === undefined ? null : { ...statement.intraday, booked: booked.net },
      opening: opening?.amount ?? null,
      balance: booked.balance ?? opening?.amount ?? null,
      available,
      lastTransactionDate,
    },
  };
}

/** Accounts in the order of their keys, each as its latest statement leaves it. */
export function accountsOf(summaries: readonly ClosingSummary[]): ProviderAccount[] {
  const latest = new Map<string, ClosingSummary>();
  const lastDates = new Map<string, string>();
  for (const summary of summaries) {
    const { key } = summary.account;
    const known = latest.get(key);
    if (known === undefined || isLater(summary, known)) latest.set(key, summary);
    const date = summary.lastTransactionDate ?? '';
    if (date > (lastDates.get(key) ?? '')) lastDates.set(key, date);
  }
  return [...latest.keys()].sort().flatMap((key) => {
    const summary = latest.get(key);
    return summary === undefined ? [] : [toAccount(summary, lastDates.get(key) ?? null)];
  });
}

/**
 * Of two statements of a day the one that goes on from the other is the later; else the one that stands later in the
 * folder.
 */
function isLater(next: ClosingSummary, than: ClosingSummary): boolean {
  if (next.closingDay !== than.closingDay) return next.closingDay > than.closingDay;
  return next.opening === than.balance || than.opening !== next.balance;
}

function toAccount(
  { account, balance, available }: ClosingSummary,
  lastTransactionDate: string | null,
): ProviderAccount {
  const { key, currency, iban, accountNo, accountName, accountType, branchId, branchName } = account;
  return {
    providerAccountId: key,
    currency,
    balance,
    availableBalance: available,
    blockedBalance: null,
    customerNo: null,
    accountNo,
    iban,
    accountType,
    accountName,
    branchId,
    branchName,
    openingDate: null,
    lastTransactionDate,
  };
}

function sourceFault(file: StatementFile, { code, message, place }: StatementFault): SourceFault {
  return { code, message, source: file.name, place };
}

/**
 * A statement proves itself: its opening balance and its rows lead to its closing balance. What is not so is said,
 * null when it is.
 */
function balanceDifference({ opening, closing }: Statement, { net }: BookedStatement): string | null {
  if (opening === null || closing === null) return null;
  const expected = add(opening.amount, net);
  if (expected === closing.amount) return null;
  return `the rows lead from the opening balance ${opening.amount} to ${expected}, but the closing balance is ${closing.amount}`;
}
