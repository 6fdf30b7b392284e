import { iban } from './numbers.ts';
import { random, seedWord } from './random.ts';

/** An account as the seed makes it. Money in hundredths. */
export type DemoAccount = {
  readonly id: string;
  readonly currency: string;
  readonly iban: string;
  readonly accountNo: string;
  readonly customerNo: string;
  readonly accountName: string;
  readonly accountType: string;
  readonly branchId: string;
  readonly branchName: string;
  /** The balance that its daily closing balances vary around. */
  readonly level: number;
  /** Rows of one whole day. */
  readonly rowsPerDay: number;
  readonly word: number;
};

/** Before this day no account has a row. */
export const OPENING_DAY = '2019-01-02';

const BRANCHES: readonly [string, string][] = [
  ['0123', 'Levent Kurumsal'],
  ['0456', 'Ankara OSTİM'],
  ['0789', 'İzmir Alsancak'],
];
const LEVELS: Readonly<Record<string, number>> = {
  TRY: 450_000_000,
  EUR: 40_000_000,
  USD: 60_000_000,
  GBP: 20_000_000,
};

/**
 * The bank knows the unlisted accounts from the start, so that their pages can be requested once a script lists them.
 */
export type DemoAccounts = { readonly listed: readonly DemoAccount[]; readonly unlisted: DemoAccount };

/** Two accounts (TRY, EUR) or three (USD), by the seed. EUR has a quarter of the rows, USD a seventh, TRY the rest. */
export function demoAccounts(seed: string, transactionsPerDay: number): DemoAccounts {
  const third = seedWord('third account', seed) % 2 === 0;
  const euro = Math.floor(transactionsPerDay / 4);
  const dollar = third ? Math.floor(transactionsPerDay / 7) : 0;
  const listed = [
    demoAccount(seed, transactionsPerDay, 'TRY', transactionsPerDay - euro - dollar),
    demoAccount(seed, transactionsPerDay, 'EUR', euro),
    ...(third ? [demoAccount(seed, transactionsPerDay, 'USD', dollar)] : []),
  ];
  return {
    listed,
    unlisted: demoAccount(seed, transactionsPerDay, 'GBP', Math.max(1, Math.floor(transactionsPerDay / 10))),
  };
}

function demoAccount(seed: string, transactionsPerDay: number, currency: string, rowsPerDay: number): DemoAccount {
  const numbers = random(seedWord('account', seed, currency));
  const [branchId, branchName] = random(seedWord('branch', seed)).pick(BRANCHES);
  const customerNo = random(seedWord('customer', seed)).digits(8);
  return {
    id: `${customerNo}-${currency}`,
    currency,
    iban: iban('TR', numbers),
    accountNo: numbers.digits(8),
    customerNo,
    accountName: `${currency} Ticari Vadesiz`,
    accountType: 'current',
    branchId,
    branchName,
    level: LEVELS[currency] ?? 10_000_000,
    rowsPerDay,
    // Another number of rows gives another history, under its own ids.
    word: seedWord('rows', seed, currency, transactionsPerDay),
  };
}
