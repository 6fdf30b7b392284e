import type { KnownEvent } from '../../../src/events/registry.ts';
import { type Book, type BookAccount, type BookRow, decimal } from '../bank-books.ts';
import { allOf, firstOf, type History, transactionAfter } from './history.ts';

/** Each row of the bank is one transaction, and each transaction is a row of the bank. */
export function checkRows(history: History, books: Iterable<Book>, syncedLogins: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  const keys = subAccountKeys(history);
  const byStamp = new Map<string, string>();
  const ofAccount = new Map<string, Recorded[]>();
  for (const [id, events] of history.of('bankTransaction')) {
    const recorded = firstOf(events, 'TransactionRecorded');
    const count = allOf(events, 'TransactionRecorded').length;
    if (recorded === undefined || count !== 1) {
      faults.push(`transaction ${id} was recorded ${count} times`);
      continue;
    }
    const stamp = `${recorded.bankCode} ${recorded.providerStamp}`;
    if (byStamp.has(stamp)) faults.push(`${stamp} is both ${id} and ${byStamp.get(stamp)}`);
    byStamp.set(stamp, id);
    const account = keys.get(recorded.subAccountKey) ?? `unknown ${recorded.subAccountKey}`;
    const { withdrawn } = transactionAfter(events);
    ofAccount.set(account, [...(ofAccount.get(account) ?? []), { ...recorded, withdrawn }]);
  }
  const known = new Set<string>();
  for (const book of books) {
    for (const account of book.accounts) {
      known.add(account.id);
      const recorded = ofAccount.get(account.id) ?? [];
      const isSynced = syncedLogins.has(book.login);
      const compare = book.bankCode === 'ids' ? compareById : compareByContent;
      faults.push(...compare(account, recorded, isSynced).map((fault) => `account ${account.id}: ${fault}`));
    }
  }
  for (const account of ofAccount.keys()) if (!known.has(account)) faults.push(`no bank has the account ${account}`);
  return faults;
}

type Recorded = KnownEvent<'TransactionRecorded'>['data'] & { readonly withdrawn: boolean };

/** The bank's account of each key of the service. */
export function subAccountKeys(history: History): Map<string, string> {
  const keys = new Map<string, string>();
  for (const { type, data } of history.events) {
    if (type !== 'ConnectionSetUp' && type !== 'ConnectionAccountsChanged') continue;
    for (const { subAccountKey, providerAccountId } of data.subAccounts) keys.set(subAccountKey, providerAccountId);
  }
  return keys;
}

function compareById({ rows }: BookAccount, recorded: readonly Recorded[], isSynced: boolean): string[] {
  const faults: string[] = [];
  const there = new Map(recorded.map((one) => [one.providerStamp, one]));
  for (const row of rows) {
    const one = there.get(row.id ?? '');
    there.delete(row.id ?? '');
    if (one === undefined) {
      if (isSynced && !row.withdrawn) faults.push(`row ${row.id} is missing`);
    } else if (isSynced && one.withdrawn !== row.withdrawn) {
      faults.push(`row ${row.id} is ${one.withdrawn ? '' : 'not '}withdrawn`);
    } else if (one.amount !== decimal(row.cents) || one.incoming !== row.incoming) {
      faults.push(`row ${row.id} has the amount ${one.amount}`);
    }
  }
  for (const stamp of there.keys()) faults.push(`the bank has no row ${stamp}`);
  return faults;
}

/** What distinguishes rows without ids; several rows may have the same. */
export function contentOf(row: Pick<BookRow, 'day' | 'incoming' | 'description'>, cents: number): string {
  return `${row.day} ${row.incoming} ${Math.round(cents)} ${row.description}`;
}

function compareByContent({ rows }: BookAccount, recorded: readonly Recorded[], isSynced: boolean): string[] {
  const counts = new Map<string, number>();
  const count = (content: string, by: number): void => void counts.set(content, (counts.get(content) ?? 0) + by);
  for (const row of rows) if (!row.hidden) count(contentOf(row, row.cents), 1);
  for (const { transactionDate, incoming, description, amount } of recorded) {
    const row = { day: transactionDate.slice(0, 10), incoming, description: description ?? '' };
    count(contentOf(row, Number(amount) * 100), -1);
  }
  return [...counts]
    .filter(([, left]) => left < 0 || (left > 0 && isSynced))
    .map(([content, left]) => `${Math.abs(left)} of ${content} ${left > 0 ? 'missing' : 'too many'}`);
}
