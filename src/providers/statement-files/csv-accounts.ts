import { type Decimal, fromUnits, toUnits } from '../../shared/money.ts';
import { type StatementAccount, type StatementBalance, StatementFault, type StatementRow } from './statement.ts';
import type { StatementPart } from './statement-parts.ts';

/** A row with the account it is of and, where a column says so, the balance behind it. */
export type CsvRow = {
  readonly account: StatementAccount;
  readonly row: StatementRow;
  readonly balance: Decimal | null;
};

/** Rows kept to tell those of several accounts from each other; a longer file must not mix them. */
const MOST_MIXED_ROWS = 10_000;

export type CsvAccounts = {
  /** @throws StatementFault when rows of accounts are mixed in more rows than are kept */
  readonly take: (row: CsvRow, place: string) => Generator<StatementPart>;
  readonly end: () => Generator<StatementPart>;
};

/** Gathers the rows of each account into one statement, in the order of the file. */
export function openCsvAccounts(): CsvAccounts {
  const waiting = new Map<string, CsvRow[]>();
  const closed = new Set<string>();
  let count = 0;
  let runs = 0;
  let previous: string | null = null;
  /** The account whose rows are no longer kept. */
  let flowing: { readonly key: string; readonly ends: Ends } | null = null;

  function* close(rows: readonly CsvRow[]): Generator<StatementPart> {
    const [first] = rows;
    if (first === undefined) return;
    const ends = openEnds(first.account);
    for (const row of rows) ends.take(row);
    // The newest first: the rows of a day are in the order of their balances the other way round.
    const ordered = ends.isNewestFirst() ? rows.toReversed() : rows;
    for (const { row } of ordered) yield { kind: 'row', row };
    yield ends.statement();
  }

  function* closeFlowing(): Generator<StatementPart> {
    if (flowing === null) return;
    yield flowing.ends.statement();
    closed.add(flowing.key);
    flowing = null;
  }

  /** Lets go of what is kept but for the last account, whose rows go on. */
  function* flow(place: string): Generator<StatementPart> {
    if (runs > waiting.size) {
      const message = `rows of several accounts are mixed in more than ${MOST_MIXED_ROWS} rows: they must be sorted`;
      throw new StatementFault(message, place);
    }
    const accounts = [...waiting];
    waiting.clear();
    [count, runs] = [0, 0];
    const last = accounts.pop();
    for (const [key, rows] of accounts) {
      yield* close(rows);
      closed.add(key);
    }
    const [key, rows = []] = last ?? [];
    const [first] = rows;
    if (key === undefined || first === undefined) return;
    flowing = { key, ends: openEnds(first.account) };
    for (const row of rows) {
      flowing.ends.take(row);
      yield { kind: 'row', row: row.row };
    }
  }

  return {
    *take(row, place) {
      const { key } = row.account;
      if (flowing?.key === key) {
        flowing.ends.take(row);
        yield { kind: 'row', row: row.row };
        return;
      }
      yield* closeFlowing();
      if (closed.has(key)) {
        throw new StatementFault('the rows of an account do not stand together: they must be sorted', place);
      }
      if (previous !== key) runs += 1;
      previous = key;
      const rows = waiting.get(key) ?? [];
      waiting.set(key, rows);
      rows.push(row);
      count += 1;
      if (count > MOST_MIXED_ROWS) yield* flow(place);
    },
    *end() {
      yield* closeFlowing();
      for (const rows of waiting.values()) yield* close(rows);
    },
  };
}

type Ends = {
  readonly take: (row: CsvRow) => void;
  /** Each row's balance leads to that of the row above it. */
  readonly isNewestFirst: () => boolean;
  readonly statement: () => StatementPart;
};

type Seen = { readonly change: bigint; readonly balance: bigint | null; readonly day: string };

/** Where the rows of an account begin and end, by the balances beside them. */
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
