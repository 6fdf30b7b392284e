import { z } from 'zod';
import {
  type BankProvider,
  type PageRequest,
  ProviderError,
  type ProviderPage,
  type ProviderSession,
} from '../../src/providers/bank-provider.ts';
import { declareCredentials } from '../../src/providers/credentials.ts';
import { asProviderAccount, asProviderRow, type Book, type BookAccount, balanceCents, decimal } from './bank-books.ts';
import { activeActor } from './scheduler.ts';

/** What strikes calls of a bank, each as a probability per call. */
export type BankFaults = {
  readonly transient: number;
  readonly rateLimited: number;
  readonly permanent: number;
  readonly unforeseen: number;
  /** No answer until the caller gives up. */
  readonly silent: number;
  /** The same rows again on the next page; of a bank with ids. */
  readonly repeatedPage: number;
  readonly reordered: number;
};

export const NO_BANK_FAULTS: BankFaults = {
  transient: 0,
  rateLimited: 0,
  permanent: 0,
  unforeseen: 0,
  silent: 0,
  repeatedPage: 0,
  reordered: 0,
};

const PAGE_SIZE = 4;
const WINDOW_DAYS = 40;
const SLOWEST_MS = 400;
const credentials = declareCredentials({
  login: z.string().meta({ description: 'Whose accounts.' }),
  pin: z.string().meta({ description: 'Any.', writeOnly: true }),
});

/**
 * A bank over books that the simulation changes. `ids`: its rows have ids, it withdraws rows and lists them again, and
 * states no balances. `content`: its rows have none, several may be equal, and it states the balances of past days.
 */
export function createSimulatedBank(options: {
  readonly bankCode: 'ids' | 'content';
  readonly books: ReadonlyMap<string, Book>;
  readonly random: () => number;
  readonly faults: () => BankFaults;
  readonly onFault: (kind: string, call: string) => void;
  /** The first day that is not over, of which the bank states no balance. */
  readonly today: () => string;
}): BankProvider {
  const { bankCode, books, random, faults, onFault, today } = options;

  async function admitted(session: ProviderSession, call: string): Promise<Book> {
    session.countRequest();
    const now = activeActor();
    if (now === undefined) throw new Error('a simulated bank is called from outside of its simulation');
    await now.scheduler.pause(random() * SLOWEST_MS, now.actor);
    const { transient, rateLimited, permanent, unforeseen, silent } = faults();
    const fail = (kind: string): void => onFault(`bank: ${kind}`, call);
    let drawn = random();
    const strikes = (probability: number): boolean => {
      drawn -= probability;
      return drawn < 0;
    };
    const exchange = { method: 'GET', url: 'https://bank.example/', request: { headers: {}, body: null } } as const;
    session.exchanged({ ...exchange, response: null });
    if (strikes(transient)) {
      fail('transient error');
      throw new ProviderError('transient', 'BANK_AWAY', 'the bank is away');
    }
    if (strikes(rateLimited)) {
      fail('rate limit');
      throw new ProviderError('rate-limited', 'BANK_BUSY', 'too many requests', 2_000);
    }
    if (strikes(permanent)) {
      fail('permanent error');
      throw new ProviderError('permanent', 'BANK_REFUSES', 'not today');
    }
    if (strikes(unforeseen)) {
      fail('unforeseen error');
      throw new TypeError('an error that no provider should throw');
    }
    if (strikes(silent)) {
      fail('no answer');
      await new Promise(() => {});
    }
    const book = books.get(String(session.credentials.login));
    if (book === undefined) throw new ProviderError('permanent', 'BANK_LOGIN_UNKNOWN', 'no such login');
    return book;
  }

  function pageOf(account: BookAccount, { fromDay, toDay, cursor }: PageRequest): ProviderPage {
    const all = account.rows.filter((row) => row.day >= fromDay && row.day < toDay && !row.hidden);
    const withdrawn = all.flatMap((row) => (row.withdrawn && row.timesListed > 0 ? [row.id ?? ''] : []));
    // Rows stay at their places while they are withdrawn, so that no page misses one.
    const [start, repeated] = cursor === null ? [0, false] : [Number.parseInt(cursor, 10), cursor.endsWith('again')];
    const slice = all.slice(start, start + PAGE_SIZE);
    const listed = slice.filter((row) => !row.withdrawn);
    for (const row of listed) row.timesListed += 1;
    const rows = listed.map((row) => asProviderRow(row, account.currency));
    if (rows.length > 1 && random() < faults().reordered) {
      onFault('bank: reordered', account.id);
      rows.reverse();
    }
    const end = start + PAGE_SIZE;
    const isLast = end >= all.length;
    const again = bankCode === 'ids' && !repeated && rows.length > 0 && random() < faults().repeatedPage;
    if (again) onFault('bank: repeated page', account.id);
    const nextCursor = again ? `${start} again` : isLast ? null : String(end);
    return {
      listings: [{ listing: account.id, rows }],
      withdrawn: cursor === null ? withdrawn : [],
      statedBalances: bankCode === 'content' && isLast ? statedBalances(account, fromDay, toDay) : [],
      faults: [],
      nextCursor,
    };
  }

  function statedBalances(account: BookAccount, fromDay: string, toDay: string): ProviderPage['statedBalances'] {
    const days = new Set(account.rows.map((row) => row.day).filter((day) => day >= fromDay && day < toDay));
    return [...days]
      .filter((day) => day < today())
      .sort()
      .map((day) => {
        const opening = balanceCents(account, day);
        const closing = balanceCents(account, `${day}~`);
        const stated = { opening: decimal(opening), closing: decimal(closing), net: decimal(closing - opening) };
        return { fromDay: day, toDay: day, ...stated };
      });
  }

  return {
    description: {
      bankCode,
      name: `Simulated bank: ${bankCode}`,
      country: null,
      environments: ['demo'],
      credentials: { demo: credentials },
      limits: { windowDays: WINDOW_DAYS, pageSize: PAGE_SIZE, syncsPerDay: null },
    },
    async discoverAccounts(session) {
      const book = await admitted(session, 'accounts');
      return { accounts: book.accounts.map(asProviderAccount), faults: [] };
    },
    async fetchPage(session, request) {
      const book = await admitted(session, 'page');
      const account = book.accounts.find(({ id }) => id === request.account.providerAccountId);
      if (account === undefined) throw new ProviderError('permanent', 'BANK_ACCOUNT_UNKNOWN', 'no such account');
      return pageOf(account, request);
    },
  };
}
