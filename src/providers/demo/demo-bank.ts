import {
  type BankProvider,
  type PageRequest,
  type ProviderAccount,
  ProviderError,
  type ProviderPage,
  type ProviderSession,
  type ProviderTransaction,
} from '../bank-provider.ts';
import { type DemoAccount, type DemoAccounts, demoAccounts, OPENING_DAY } from './demo-accounts.ts';
import { DEMO_CREDENTIALS, type DemoCredentials, demoCredentials } from './demo-credentials.ts';
import { accountsUrl, pageUrl, stated } from './demo-exchange.ts';
import { type Asked, applies, openFaultCounters } from './fault-counters.ts';
import { type DataStep, isFailure } from './fault-script.ts';
import { dayNumber, openLedger } from './ledger.ts';
import { decimalOfHundredths } from './numbers.ts';
import { cursorOf, type PageStart, pageStart } from './page-cursor.ts';
import { alterPage, type PageRows, repeatable } from './page-faults.ts';

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 30;
const PAGE_SIZE = 500;

/**
 * A bank whose statements are generated: a pure function of the seed, the account and the day, up to the present moment
 * of the session. Rows come in ascending order of time, rows with the same time in the order they were booked; no row
 * ever appears before one that was returned earlier. Each account has one listing: the ordinal of an equal row without
 * an id counts within the day of the account.
 */
export function createDemoBank(): BankProvider {
  const ledger = openLedger();
  const counters = openFaultCounters();

  /** Throws if the script makes this request fail; returns the steps that change its data. */
  function admit(session: ProviderSession, { script }: DemoCredentials, asked: Asked): DataStep[] {
    if (session.signal.aborted) {
      throw new ProviderError('transient', 'PROVIDER_REQUEST_ABORTED', 'the request was aborted');
    }
    const connection = `${session.tenantId}/${session.connectionId}`;
    const request = counters.next(connection, script, asked);
    const steps: DataStep[] = [];
    for (const step of script.steps) {
      if (isFailure(step)) counters.fail(connection, script, step, asked, request);
      else if (applies(step.at, asked) && (step.at.request ?? request) === request) steps.push(step);
    }
    return steps;
  }

  function describe(account: DemoAccount, nowMs: number): ProviderAccount {
    const today = Math.floor(nowMs / DAY_MS);
    const last = visible(ledger.rowsOf(account, today), nowMs).at(-1);
    const before = last === undefined ? ledger.rowsOf(account, today - 1).at(-1) : last;
    const balance = last?.balance ?? decimalOfHundredths(ledger.closingOf(account, today - 1));
    return {
      providerAccountId: account.id,
      currency: account.currency,
      balance,
      availableBalance: balance,
      blockedBalance: '0',
      customerNo: account.customerNo,
      accountNo: account.accountNo,
      iban: account.iban,
      accountType: account.accountType,
      accountName: account.accountName,
      branchId: account.branchId,
      branchName: account.branchName,
      openingDate: OPENING_DAY,
      lastTransactionDate: before?.transactionDate ?? null,
    };
  }

  /** At most one page of rows from where the page starts, and where the next page starts. */
  function readPage(account: DemoAccount, start: PageStart, endDay: number, nowMs: number) {
    const rows: ProviderTransaction[] = [];
    const lastDay = Math.min(endDay - 1, Math.floor(nowMs / DAY_MS));
    for (let { day, skip } = start; day <= lastDay; day += 1, skip = 0) {
      const ofDay = ledger.rowsOf(account, day);
      const room = PAGE_SIZE - rows.length;
      const taken = visible(ofDay.slice(skip, skip + room), nowMs);
      rows.push(...taken);
      if (rows.length === PAGE_SIZE) {
        return { rows, next: { day, skip: skip + taken.length, page: start.page + 1, repeated: false } };
      }
    }
    return { rows, next: null };
  }

  return {
    description: {
      bankCode: 'demo',
      name: 'Demo Bank',
      country: null,
      environments: ['demo'],
      credentials: { demo: DEMO_CREDENTIALS },
      limits: { windowDays: WINDOW_DAYS, pageSize: PAGE_SIZE, syncsPerDay: 1000 },
    },

    async discoverAccounts(session) {
      const credentials = demoCredentials(session);
      const carryOut = (): ProviderAccount[] => {
        const steps = admit(session, credentials, { operation: 'accounts' });
        const { listed, unlisted } = demoAccounts(credentials.seed, credentials.transactionsPerDay);
        const changed = steps.some((step) => step.do === 'change-accounts');
        const shown = changed ? [unlisted, ...listed.slice(0, -1).reverse()] : listed;
        return shown.map((account) => describe(account, session.nowMs));
      };
      const accounts = stated(session, credentials, accountsUrl, carryOut, (list) => ({ accounts: list }));
      return { accounts, faults: [] };
    },

    async fetchPage(session, request): Promise<ProviderPage> {
      const credentials = demoCredentials(session);
      const account = find(demoAccounts(credentials.seed, credentials.transactionsPerDay), request);
      const { from, to } = windowOf(request);
      const start =
        request.cursor === null ? { day: from, skip: 0, page: 1, repeated: false } : pageStart(request.cursor);
      if (start.day < from || start.day >= Math.max(to, from + 1)) {
        throw new ProviderError('permanent', 'PROVIDER_CURSOR_INVALID', 'the cursor is outside the window');
      }
      const carryOut = (): PageRows & { nextCursor: string | null } => {
        const window = `${request.fromDay}/${request.toDay}`;
        const asked = { operation: 'page', account: account.currency, window, page: start.page } as const;
        const steps = admit(session, credentials, asked);
        const { rows, next } = readPage(account, start, to, session.nowMs);
        const again = !start.repeated && steps.some((step) => step.do === 'repeat-page');
        let page: PageRows = { rows: start.repeated ? repeatable(rows) : rows, withdrawn: [] };
        for (const step of steps) page = alterPage(step, page);
        const follows = again ? { ...start, repeated: true } : next;
        return { ...page, nextCursor: follows === null ? null : cursorOf(follows) };
      };
      const { fromDay, toDay, cursor } = request;
      const query = { from: fromDay, to: toDay, limit: String(PAGE_SIZE), ...(cursor === null ? {} : { cursor }) };
      const { rows, withdrawn, nextCursor } = stated(
        session,
        credentials,
        pageUrl(account.id, query),
        carryOut,
        (page) => page,
      );
      return { listings: [{ listing: account.id, rows }], withdrawn, statedBalances: [], faults: [], nextCursor };
    },
  };
}

function visible(rows: readonly ProviderTransaction[], nowMs: number): readonly ProviderTransaction[] {
  const now = new Date(nowMs).toISOString();
  const last = rows.at(-1);
  return last === undefined || last.transactionDate <= now ? rows : rows.filter((row) => row.transactionDate <= now);
}

function find({ listed, unlisted }: DemoAccounts, { account }: PageRequest): DemoAccount {
  const found = [...listed, unlisted].find(({ id }) => id === account.providerAccountId);
  if (found === undefined) {
    throw new ProviderError('permanent', 'PROVIDER_ACCOUNT_UNKNOWN', 'the demo bank has no such account');
  }
  return found;
}

function windowOf({ fromDay, toDay }: PageRequest): { from: number; to: number } {
  const [from, to] = [dayNumber(fromDay), dayNumber(toDay)];
  if (!(to - from <= WINDOW_DAYS)) {
    throw new ProviderError(
      'permanent',
      'PROVIDER_WINDOW_TOO_LONG',
      `the demo bank answers for ${WINDOW_DAYS} days at most`,
    );
  }
  return { from, to };
}
