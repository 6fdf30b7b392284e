import type { ProviderTransaction } from '../bank-provider.ts';
import { type Counterparties, type Counterparty, counterpartiesOf } from './counterparties.ts';
import { type DemoAccount, OPENING_DAY } from './demo-accounts.ts';
import { decimalOfHundredths } from './numbers.ts';
import { mixed, type Random, random } from './random.ts';
import { kindsOf, MONTHS, type RowKind, SWEEP } from './row-kinds.ts';

const DAY_MS = 86_400_000;
const OPENING_NUMBER = dayNumber(OPENING_DAY);
/** Rows of whole days that are cached: the pages of a day are requested one after the other. */
const CACHED_ROWS = 20_000;

export type Ledger = {
  /**
   * The rows of a UTC day in the bank's order: by time, then by the order of booking. A pure function of seed, account
   * and day: the balance before the first row is the closing balance of the previous day, which is computed without the
   * rows of that day.
   */
  readonly rowsOf: (account: DemoAccount, day: number) => readonly ProviderTransaction[];
  /** The balance at the end of a UTC day, in hundredths. */
  readonly closingOf: (account: DemoAccount, day: number) => number;
};

/** Days since 1970-01-01 of `YYYY-MM-DD`. */
export function dayNumber(day: string): number {
  return Math.floor(Date.parse(`${day}T00:00:00.000Z`) / DAY_MS);
}

function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function openLedger(): Ledger {
  const days = new Map<string, readonly ProviderTransaction[]>();
  const parties = new Map<number, Counterparties>();
  let cachedRows = 0;

  function partiesOf(account: DemoAccount): Counterparties {
    const known = parties.get(account.word) ?? counterpartiesOf(account.customerNo);
    if (parties.size >= 64) parties.clear();
    parties.set(account.word, known);
    return known;
  }

  function rowsOf(account: DemoAccount, day: number): readonly ProviderTransaction[] {
    if (day < OPENING_NUMBER || account.rowsPerDay === 0) return [];
    const key = `${account.word}/${account.id}/${day}`;
    const known = days.get(key);
    if (known !== undefined) {
      days.delete(key);
      days.set(key, known);
      return known;
    }
    const rows = makeDay(account, day, partiesOf(account));
    days.set(key, rows);
    cachedRows += rows.length;
    for (const [oldest, dropped] of days) {
      if (cachedRows <= CACHED_ROWS || oldest === key) break;
      days.delete(oldest);
      cachedRows -= dropped.length;
    }
    return rows;
  }

  return { rowsOf, closingOf };
}

/** Varies by up to 30% around the level of the account; a closed formula, so that no day depends on earlier days. */
function closingOf(account: DemoAccount, day: number): number {
  if (day < OPENING_NUMBER || account.rowsPerDay === 0) return account.level;
  const swing = Math.floor((account.level * 3) / 5);
  return account.level - Math.floor(swing / 2) + random(mixed(account.word, day)).below(swing);
}

function makeDay(account: DemoAccount, day: number, parties: Counterparties): readonly ProviderTransaction[] {
  const numbers = random(mixed(account.word ^ 0x5bd1e995, day));
  const date = dayText(day);
  const count = account.rowsPerDay;
  const [year, month] = [date.slice(0, 4), MONTHS[Number(date.slice(5, 7)) - 1] ?? ''];
  const rows: ProviderTransaction[] = [];
  let balance = closingOf(account, day - 1);
  let twin: Made | null = null;
  for (let ordinal = 0; ordinal < count - 1; ordinal += 1) {
    const made: Made = twin ?? makeRow({ account, day, ordinal, balance, year, month }, numbers, parties);
    balance += made.incoming ? made.hundredths : -made.hundredths;
    const alike: boolean = twin !== null;
    // One row in 40 is followed by an equal one; both lack an id and differ only in the balance after them.
    twin = !alike && ordinal + 2 < count && numbers.below(40) === 0 ? made : null;
    const blank = alike || twin !== null || numbers.below(20) === 0;
    rows.push(asRow(account, made, balance, blank ? blankId(numbers) : rowId(account, date, ordinal)));
  }
  const closing = closingOf(account, day);
  rows.push(asRow(account, sweep(account, day, closing - balance, numbers), closing, rowId(account, date, count - 1)));
  return rows;
}

type Made = {
  readonly time: number;
  readonly hundredths: number;
  readonly incoming: boolean;
  readonly code: string;
  readonly description: string;
  readonly party: Counterparty | null;
  readonly inferred: boolean;
};

type RowPlace = {
  readonly account: DemoAccount;
  readonly day: number;
  readonly ordinal: number;
  readonly balance: number;
  readonly year: string;
  readonly month: string;
};

function makeRow(place: RowPlace, numbers: Random, parties: Counterparties): Made {
  const { account, day, ordinal, balance, year, month } = place;
  const kind = kindFor(account, balance, numbers);
  const party = kind.party === 'none' ? null : numbers.pick(account.currency === 'TRY' ? parties.home : parties.abroad);
  const description = kind.description
    .replace('{name}', party?.name ?? '')
    .replace('{no}', `${year}${numbers.digits(6)}`)
    .replace('{month}', month);
  return {
    time: Math.floor(day * DAY_MS + ((ordinal + numbers.below(1000) / 1000) * DAY_MS) / account.rowsPerDay),
    hundredths: kind.lowest + numbers.below(kind.highest - kind.lowest),
    incoming: kind.incoming,
    code: kind.code,
    description,
    party,
    inferred: kind.party === 'inferred',
  };
}

/**
 * Far from its level, an account gets rows that lead back to it, so that its balance stays in range on days of 20,000
 * rows.
 */
function kindFor(account: DemoAccount, balance: number, numbers: Random): RowKind {
  const kinds = kindsOf(account.currency);
  if (balance > account.level / 4 && balance < account.level * 3) return numbers.pick(kinds);
  return numbers.pick(kinds.filter(({ incoming }) => incoming === balance <= account.level / 4));
}

function sweep(account: DemoAccount, day: number, hundredths: number, numbers: Random): Made {
  const spread = DAY_MS / account.rowsPerDay;
  return {
    time: Math.floor(day * DAY_MS + (account.rowsPerDay - 1) * spread + (numbers.below(1000) / 1000) * spread),
    hundredths: Math.abs(hundredths),
    incoming: hundredths >= 0,
    code: SWEEP.code,
    description: SWEEP.description[account.currency === 'TRY' ? 'TRY' : 'other'],
    party: null,
    inferred: false,
  };
}

function asRow(account: DemoAccount, made: Made, balance: number, providerId: string | null): ProviderTransaction {
  return {
    providerId,
    discriminator: null,
    transactionDate: new Date(made.time).toISOString(),
    amount: decimalOfHundredths(made.hundredths),
    incoming: made.incoming,
    balance: decimalOfHundredths(balance),
    currency: account.currency,
    description: made.description,
    nameSurname: made.party?.name ?? null,
    iban: made.inferred ? null : (made.party?.iban ?? null),
    idNo: made.inferred ? '' : (made.party?.idNo ?? ''),
    code: made.code,
    findAI: made.inferred,
  };
}

/** Some banks leave the field out, others send it empty. */
function blankId(numbers: Random): string | null {
  return numbers.pick([null, '', ' ']);
}

function rowId(account: DemoAccount, date: string, ordinal: number): string {
  const history = account.word.toString(16).padStart(8, '0').toUpperCase();
  return `${account.id}-${history}-${date.replaceAll('-', '')}-${String(ordinal + 1).padStart(5, '0')}`;
}
