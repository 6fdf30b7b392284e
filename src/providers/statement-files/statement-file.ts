import { sha256 } from '../../shared/hash.ts';
import { MoneyError } from '../../shared/money.ts';
import type { ProviderAccount, SourceFault } from '../bank-provider.ts';
import { type BookedStatement, bookRows } from './booked-rows.ts';
import { readCamt053 } from './camt053.ts';
import { readMt940 } from './mt940.ts';
import { looksLikeSwift } from './mt940-fields.ts';
import { type Statement, type StatementAccount, StatementFault } from './statement.ts';
import { readWhole, type StatementFile, unreadable } from './statements-folder.ts';
import { decodeSwift, decodeXml } from './text-decoding.ts';

/** Beyond this no bank's file lies; it bounds what one file can take of memory and time. */
const LARGEST_FILE_BYTES = 64 * 1024 * 1024;

/** A statement of a file, with the account it belongs to. */
export type FiledStatement = BookedStatement & { readonly account: StatementAccount; readonly summary: ClosingSummary };

/** What the account list needs of a statement. */
export type ClosingSummary = {
  readonly account: StatementAccount;
  readonly closingDay: string;
  readonly opening: string | null;
  readonly balance: string;
  readonly available: string | null;
  readonly lastTransactionDate: string | null;
};

/** Everything of a file or nothing. `sha256`: of the file, null for one that could not be read at all. `pending`: it is being written, and looked at again next time. */
export type ReadFile =
  | { readonly kind: 'statements'; readonly sha256: string; readonly statements: readonly FiledStatement[] }
  | { readonly kind: 'fault'; readonly sha256: string | null; readonly fault: SourceFault }
  | { readonly kind: 'pending' };

/** Never throws for what a file holds. */
export async function readStatementFile(file: StatementFile): Promise<ReadFile> {
  let digest: string | null = null;
  if (file.size > LARGEST_FILE_BYTES) {
    const mebibytes = LARGEST_FILE_BYTES / 1024 / 1024;
    return fault(
      file,
      digest,
      new StatementFault(`the file is larger than ${mebibytes} MiB`, null, 'STATEMENT_FILE_TOO_LARGE'),
    );
  }
  try {
    const bytes = await readWhole(file);
    if (bytes === null) return { kind: 'pending' };
    digest = sha256(bytes);
    const statements = (await readStatements(bytes)).map(fileStatement);
    return { kind: 'statements', sha256: digest, statements };
  } catch (error) {
    if (error instanceof StatementFault) return fault(file, digest, error);
    if (error instanceof MoneyError) return fault(file, digest, new StatementFault('the sums exceed 18 digits', null));
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'an unexpected error';
    return { kind: 'fault', sha256: digest, fault: unreadable(file.name, `the file cannot be read: ${code}`) };
  }
}

/** @throws StatementFault */
export async function readStatements(bytes: Uint8Array): Promise<Statement[]> {
  if (bytes.length === 0) throw new StatementFault('the file is empty', null, 'STATEMENT_FORMAT_UNKNOWN');
  const head = Buffer.from(bytes.subarray(0, 1024))
    .toString('latin1')
    .replace(/\0|^(ï»¿|ÿþ|þÿ)/g, '')
    .trimStart();
  if (head.startsWith('<')) return readCamt053(decodeXml(bytes));
  const text = decodeSwift(bytes);
  if (looksLikeSwift(text)) return readMt940(text);
  throw new StatementFault('the file is neither camt.053 nor MT940', null, 'STATEMENT_FORMAT_UNKNOWN');
}

function fileStatement(statement: Statement): FiledStatement {
  const booked = bookRows(statement);
  const { account, closing, opening, available } = statement;
  const lastTransactionDate = booked.rows.at(-1)?.transactionDate ?? null;
  return {
    ...booked,
    account,
    summary: {
      account,
      closingDay: closing?.day ?? lastTransactionDate?.slice(0, 10) ?? opening?.day ?? '',
      opening: opening?.amount ?? null,
      balance: booked.balance ?? opening?.amount ?? '0',
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

/** Of two statements of a day the one that goes on from the other is the later; else the one that stands later in the folder. */
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

function fault(file: StatementFile, digest: string | null, { code, message, place }: StatementFault): ReadFile {
  return { kind: 'fault', sha256: digest, fault: { code, message, source: file.name, place } };
}
