import { type Decimal, fromUnits, toUnits } from '../../shared/money.ts';
import { type StatementAccount, type StatementBalance, StatementFault, type StatementRow } from './statement.ts';
import type { StatementPart } from './statement-parts.ts';

/** A row with its account and, where a column states it, the balance after it. */
export type CsvRow = {
  readonly account: StatementAccount;
  readonly row: StatementRow;
  readonly balance: Decimal | null;
};

/** Rows kept until it is known whether the file lists the newest first; longer files keep their order. */
const MOST_KEPT_ROWS = 10_000;
const MOST_ACCOUNTS = 1_000;

export type CsvAccounts = {
  /** @throws StatementFault for a file with more accounts than any bank lists */
  readonly take: (row: CsvRow, place: string) => Generator<StatementPart>;
  readonly end: () => Generator<StatementPart>;
};

/** Gathers the rows of each account into one statement. */
export function openCsvAccounts(): CsvAccounts {
  const accounts = new Map<string, Ends>();
  let kept: CsvRow[] | null = [];

  return {
    *take(row, place) {
      const { key } = row.account;
      let ends = accounts.get(key);
      if (ends === undefined) {
        if (accounts.size === MOST_ACCOUNTS) {
          throw new StatementFault(`the file lists more than ${MOST_ACCOUNTS} accounts`, place);
        }
        ends = openEnds(row.account);
        accounts.set(key, ends);
      }
      ends.take(row);
      if (kept !== null && kept.length < MOST_KEPT_ROWS) {
        kept.push(row);
        return;
      }
      for (const one of kept ?? []) yield rowPart(one);
      kept = null;
      yield rowPart(row);
    },
    *end() {
      for (const [key, ends] of accounts) {
        const rows = (kept ?? []).filter(({ account }) => account.key === key);
        // The rows of a day are then in the order of their balances.
        for (const one of ends.isNewestFirst() ? rows.reverse() : rows) yield rowPart(one);
        yield ends.statement();
      }
    },
  };
}

function rowPart({ account, row }: CsvRow): StatementPart {
  return { kind: 'row', row, of: account.key };
}

type Ends = {
  readonly take: (row: CsvRow) => void;
  /** Whether the balance of each row is the one before the row above it. */
  readonly isNewestFirst: () => boolean;
  readonly statement: () => StatementPart;
};

type Seen = { readonly change: bigint; readonly balance: bigint | null; readonly day: string };

/**
 * Determines the order of the rows of an account, and its opening and closing balance, from the balances beside them.
 */
function openEnds(account: StatementAccount): Ends {
  let first: Seen | null = null;
  let last: Seen | null = null;
  let stated = true;
  let [oldestFirst, newestFirst] = [true, true];

  function isNewestFirst(): boolean {
    if (!stated || first === null || last === null) return false;
    if (oldestFirst !== newestFirst) return newestFirst;
    return first.day > last.day;
  }

  return {
    take({ row, balance }) {
      const seen = { change: changeOf(row), balance: balance === null ? null : toUnits(balance), day: row.day };
      if (seen.balance === null) stated = false;
      if (last !== null && stated) {
        oldestFirst &&= seen.balance === (last.balance ?? 0n) + seen.change;
        newestFirst &&= seen.balance === (last.balance ?? 0n) - last.change;
      }
      first ??= seen;
      last = seen;
    },
    isNewestFirst,
    statement() {
      const [oldest, newest] = isNewestFirst() ? [last, first] : [first, last];
      const opening = stated ? balanceOf(oldest, (oldest?.balance ?? 0n) - (oldest?.change ?? 0n)) : null;
      const closing = stated ? balanceOf(newest, newest?.balance ?? 0n) : null;
      const place = account.accountNo ?? account.iban ?? account.key;
      return {
        kind: 'statement',
        of: account.key,
        statement: { identity: '', format: 'CSV', account, opening, closing, available: null, place, notes: [] },
      };
    },
  };
}

function balanceOf(seen: Seen | null, units: bigint): StatementBalance | null {
  return seen === null ? null : { amount: fromUnits(units), day: seen.day };
}

function changeOf({ amount, incoming }: StatementRow): bigint {
  return incoming ? toUnits(amount) : -toUnits(amount);
}
