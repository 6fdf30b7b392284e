import { add, type Decimal, signed, subtract } from '../../shared/money.ts';
import type { ProviderTransaction, StatedBalances } from '../bank-provider.ts';
import type { Statement, StatementRow } from './statement.ts';

/** A statement's rows as the service takes them, and what it states about them. */
export type BookedStatement = {
  readonly identity: string;
  readonly rows: readonly ProviderTransaction[];
  readonly stated: StatedBalances | null;
  /** The closing balance, stated or led to by the rows. */
  readonly balance: Decimal | null;
};

/**
 * Rows in the order of their days, those of a day as the file has them, so that each day ends on one balance whatever order the bank
 * prints. The balance runs from the opening one (or back from the closing one when that alone is stated); it also tells equal rows apart.
 */
export function bookRows({ account, opening, closing, identity, rows }: Statement): BookedStatement {
  const ordered = rows.toSorted((a, b) =>
    a.transactionDate < b.transactionDate ? -1 : a.transactionDate > b.transactionDate ? 1 : 0,
  );
  const netOf = (): Decimal => ordered.reduce((sum, row) => add(sum, signed(row.amount, row.incoming)), '0');
  const start = opening?.amount ?? (closing === null ? null : subtract(closing.amount, netOf()));
  const shared = sharedReferences(ordered);
  let balance = start;
  const booked = ordered.map((row): ProviderTransaction => {
    balance = balance === null ? null : add(balance, signed(row.amount, row.incoming));
    const { reference, formerDay: _, ...stated } = row;
    const unique = reference !== null && !shared.has(referenceKey(row));
    return {
      ...stated,
      providerId: unique ? `${account.key}/${referenceKey(row)}` : null,
      discriminator: unique ? null : balance,
      balance,
      currency: account.currency,
    };
  });
  const firstDay = ordered[0]?.transactionDate.slice(0, 10);
  const lastDay = ordered.at(-1)?.transactionDate.slice(0, 10);
  const stated =
    opening === null || closing === null
      ? null
      : {
          fromDay: earlier(firstDay, closing.day),
          toDay: later(lastDay, closing.day),
          opening: opening.amount,
          closing: closing.amount,
          net: subtract(balance ?? opening.amount, opening.amount),
        };
  return { identity, rows: booked, stated, balance: closing?.amount ?? balance };
}

/**
 * The day is part of a reference: banks count anew, and a daily and a monthly statement must give an entry the same id. So an entry is known
 * by its reference only when no other entry of its day has it.
 */
function referenceKey({ transactionDate, reference }: StatementRow): string {
  return `${transactionDate.slice(0, 10)}/${reference}`;
}

function sharedReferences(rows: readonly StatementRow[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const row of rows) {
    if (row.reference === null) continue;
    const key = referenceKey(row);
    if (seen.has(key)) shared.add(key);
    seen.add(key);
  }
  return shared;
}

function earlier(day: string | undefined, than: string): string {
  return day !== undefined && day < than ? day : than;
}

function later(day: string | undefined, than: string): string {
  return day !== undefined && day > than ? day : than;
}
