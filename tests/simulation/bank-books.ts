import type { ProviderAccount, ProviderTransaction } from '../../src/providers/bank-provider.ts';

const DAY_MS = 86_400_000;

/** A row as the bank keeps it, which is the truth that the service is compared with. */
export type BookRow = {
  /** Null at a bank without ids. */
  readonly id: string | null;
  readonly day: string;
  readonly cents: number;
  readonly incoming: boolean;
  readonly description: string;
  /** The text that the bank states from the second listing on; null: always the same. */
  changedText: string | null;
  withdrawn: boolean;
  /** The bank has it in its balances and never lists it. */
  readonly hidden: boolean;
  timesListed: number;
  readonly bookedMs: number;
  /** When the bank withdrew it, listed it again, withdrew it, and so on. */
  readonly changedMs: number[];
};

export type BookAccount = {
  readonly id: string;
  readonly currency: string;
  readonly openingCents: number;
  readonly rows: BookRow[];
};

/** What a bank has for one login. */
export type Book = { readonly login: string; readonly bankCode: string; readonly accounts: BookAccount[] };

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function daysBefore(ms: number, days: number): string {
  return dayOf(ms - days * DAY_MS);
}

export function decimal(cents: number): string {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.abs(cents);
  return `${sign}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, '0')}`.replace(/\.?0+$/, '');
}

export const DESCRIPTIONS = ['rent', 'salary', 'fee', 'invoice', 'refund'] as const;

function pick<T>(random: () => number, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

/** At a bank without ids of few different values, so that it has equal rows. */
export function addRow(
  random: () => number,
  book: Book,
  account: BookAccount,
  { day, bookedMs, hidden = false }: { readonly day: string; readonly bookedMs: number; readonly hidden?: boolean },
): BookRow {
  const hasIds = book.bankCode === 'ids';
  const row: BookRow = {
    id: hasIds ? `${account.id}-${account.rows.length}` : null,
    day,
    cents: pick(random, hasIds ? [100, 250, 999, 120_000] : [250, 999]),
    incoming: random() < 0.5,
    description: pick(random, hasIds ? DESCRIPTIONS : DESCRIPTIONS.slice(0, 2)),
    changedText: hasIds && random() < 0.1 ? 'stated otherwise' : null,
    withdrawn: false,
    hidden,
    timesListed: 0,
    bookedMs,
    changedMs: [],
  };
  account.rows.push(row);
  return row;
}

export function makeBook(random: () => number, bankCode: string, login: string, nowMs: number): Book {
  const accounts = Array.from({ length: random() < 0.3 ? 2 : 1 }, (_, nth): BookAccount => {
    return { id: `${login}-${nth}`, currency: nth === 0 ? 'EUR' : 'TRY', openingCents: 100_000, rows: [] };
  });
  const book = { login, bankCode, accounts };
  for (const account of accounts) {
    for (let back = 5; back >= 1; back -= 1) {
      const count = Math.floor(random() * 5);
      for (let nth = 0; nth < count; nth += 1) {
        const hidden = bankCode === 'content' && random() < 0.04;
        addRow(random, book, account, { day: daysBefore(nowMs, back), bookedMs: 0, hidden });
      }
    }
  }
  return book;
}

export function signedCents({ incoming, cents }: BookRow): number {
  return incoming ? cents : -cents;
}

export function balanceCents(account: BookAccount, beforeDay = '9999'): number {
  const before = account.rows.filter((row) => row.day < beforeDay && !row.withdrawn);
  return before.reduce((sum, row) => sum + signedCents(row), account.openingCents);
}

export function asProviderAccount(account: BookAccount): ProviderAccount {
  return {
    providerAccountId: account.id,
    currency: account.currency,
    balance: decimal(balanceCents(account)),
    availableBalance: null,
    blockedBalance: null,
    customerNo: null,
    accountNo: account.id,
    iban: null,
    accountType: null,
    accountName: null,
    branchId: null,
    branchName: null,
    openingDate: null,
    lastTransactionDate: null,
  };
}

export function asProviderRow(row: BookRow, currency: string): ProviderTransaction {
  const isChanged = row.changedText !== null && row.timesListed > 1;
  return {
    providerId: row.id,
    discriminator: null,
    transactionDate: `${row.day}T00:00:00.000Z`,
    amount: decimal(row.cents),
    incoming: row.incoming,
    balance: null,
    currency,
    description: isChanged ? row.changedText : row.description,
    nameSurname: null,
    iban: null,
    idNo: '',
    code: null,
    findAI: false,
  };
}
