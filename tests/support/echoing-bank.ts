import { z } from 'zod';
import {
  type BankProvider,
  type ProviderAccount,
  ProviderError,
  type ProviderSession,
  type ProviderTransaction,
} from '../../src/providers/bank-provider.ts';
import { declareCredentials } from '../../src/providers/credentials.ts';
import { encodings } from './encodings.ts';

/** What every planted secret begins with, so that one search finds any of them. */
export const MARK = 'Zq7Kx9';
const COUNT = 300;
const ways = Object.values(encodings);

/** 300 secrets, at some depth of the credentials. */
export const planted = {
  keys: Object.fromEntries(
    Array.from({ length: COUNT }, (_, index) => [`k${index}`, [{ value: `${MARK}/${index}+é&"<${index * 7919}` }]]),
  ),
};
const secrets = Object.values(planted.keys).flatMap((list) => list.map(({ value }) => value));

/** The secrets as one way of writing has them: a page of them for each way. */
function written(way: number): string[] {
  return secrets.map((secret) => ways[way % ways.length]?.(secret) ?? secret);
}

function bodyOf(way: number): string {
  const values = written(way);
  const bodies = [
    () => JSON.stringify({ list: values.map((value) => ({ value })) }),
    () => `<list>${values.map((value) => `<value a="${value}">${value}</value>`).join('')}</list>`,
    () => values.map((value, index) => `f${index}=${value}`).join('&'),
    () => values.map((value) => `--b\r\nContent-Disposition: form-data; name="f"\r\n\r\n${value}\r\n`).join(''),
    () => values.join('\n'),
  ];
  return bodies[way % bodies.length]?.() ?? '';
}

const account: ProviderAccount = {
  providerAccountId: 'one',
  currency: 'EUR',
  balance: '0',
  availableBalance: null,
  blockedBalance: null,
  customerNo: null,
  accountNo: null,
  iban: null,
  accountType: null,
  accountName: null,
  branchId: null,
  branchName: null,
  openingDate: null,
  lastTransactionDate: null,
};

function row(nowMs: number, page: number): ProviderTransaction {
  return {
    providerId: `row-${page}`,
    discriminator: null,
    transactionDate: `${new Date(nowMs).toISOString().slice(0, 10)}T00:00:00.000Z`,
    amount: '1',
    incoming: true,
    balance: null,
    currency: 'EUR',
    description: null,
    nameSurname: null,
    iban: null,
    idNo: '',
    code: null,
    findAI: false,
  };
}

function say(session: ProviderSession, way: number): void {
  session.countRequest();
  const values = written(way).slice(0, 12);
  const headers = Object.fromEntries(values.map((value, index) => [`x-header-${index}`, value]));
  const shown = { 'user-agent': values[0] ?? '', server: values[1] ?? '', authorization: `Basic ${values[2]}` };
  const url = `https://${values[3]}@bank.example/${values[4]}?a=${values[5]}&token=${values[6]}#${values[7]}`;
  session.exchanged({
    method: 'POST',
    url,
    request: { headers: { ...headers, ...shown }, body: bodyOf(way) },
    response: { status: 200, headers: { ...headers, ...shown }, body: Buffer.from(bodyOf(way + 1)) },
  });
}

export type Failing = 'not' | 'transient' | 'rate-limited' | 'credentials-rejected' | 'unforeseen' | 'fault' | 'silent';

/**
 * Gives back its credentials wherever a bank can, in every encoding: a page of one row for each. `failing` is how the
 * next sync ends.
 */
export function createEchoingBank(): BankProvider & { failing: Failing; readonly pages: number } {
  const bank = {
    failing: 'not' as Failing,
    pages: ways.length,
    description: {
      bankCode: 'echo',
      name: 'Echoing bank',
      country: null,
      environments: ['demo'] as const,
      credentials: {
        demo: declareCredentials({ keys: z.looseObject({}).meta({ description: 'Everything.', writeOnly: true }) }),
      },
      limits: { windowDays: null, pageSize: 10, syncsPerDay: 8 },
    },
    async discoverAccounts(session: ProviderSession) {
      say(session, 0);
      return { accounts: [account], faults: [] };
    },
    async fetchPage(session: ProviderSession, { cursor }: { cursor: string | null }) {
      const page = Number(cursor ?? '0');
      const { failing } = bank;
      const words = `the bank said ${written(page).slice(0, 40).join(' | ')}`;
      if (failing === 'silent') {
        session.countRequest();
        throw new ProviderError('permanent', 'PROVIDER_SILENT', words);
      }
      say(session, page);
      if (failing === 'unforeseen') throw new Error(words);
      if (failing !== 'not' && failing !== 'fault') throw new ProviderError(failing, 'PROVIDER_ECHO', words, 60_000);
      const fault = { code: 'ECHO', message: words, source: words, place: words };
      return {
        listings: [{ listing: 'one', rows: [row(session.nowMs, page)] }],
        withdrawn: [],
        statedBalances: [],
        faults: failing === 'fault' ? [fault] : [],
        nextCursor: page + 1 < ways.length ? String(page + 1) : null,
      };
    },
  };
  return bank;
}
