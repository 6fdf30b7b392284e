import type { EventData, KnownEvent } from '../../../src/events/registry.ts';
import type { Book, BookAccount, BookRow } from '../bank-books.ts';
import { contentOf, subAccountKeys } from './check-rows.ts';
import { allOf, firstOf, type History, transactionAfter } from './history.ts';

type Sync = {
  readonly id: string;
  readonly planned: EventData<'SyncPlanned'> | undefined;
  readonly pages: readonly KnownEvent<'SyncPageIngested'>[];
  readonly completed: KnownEvent<'SyncCompleted'> | undefined;
  readonly startMs: number;
  readonly endMs: number;
};

/** What a page counts is what it recorded, and a completed sync has brought all that the bank had when it began. */
export function checkSyncs(history: History, books: Iterable<Book>): string[] {
  const syncs = [...history.of('syncRun')].map(([id, events]): Sync => {
    const [completed] = allOf(events, 'SyncCompleted');
    const [startMs, endMs] = [events[0], events.at(-1)].map((event) => Date.parse(event?.recordedAt ?? ''));
    const pages = allOf(events, 'SyncPageIngested');
    const planned = firstOf(events, 'SyncPlanned');
    return { id, planned, pages, completed, startMs: startMs ?? 0, endMs: endMs ?? 0 };
  });
  const accounts = new Map([...books].flatMap((book) => book.accounts.map((one) => [one.id, one] as const)));
  const keys = subAccountKeys(history);
  const recorded = [...history.of('bankTransaction').values()];
  const isChanged = ({ startMs, endMs }: Sync, key: string): boolean => {
    const rows = accounts.get(keys.get(key) ?? '')?.rows ?? [];
    return rows.some(({ changedMs }) => changedMs.some((ms) => ms >= startMs && ms <= endMs));
  };
  const faults = checkCounts(syncs, recorded, isChanged);
  for (const sync of syncs.filter(({ completed }) => completed !== undefined)) {
    for (const key of new Set(sync.planned?.windows.map(({ subAccountKey }) => subAccountKey))) {
      const account = accounts.get(keys.get(key) ?? '');
      if (account === undefined || syncs.some((other) => other !== sync && overlap(sync, other, key))) continue;
      const ofAccount = recorded.filter((events) => firstOf(events, 'TransactionRecorded')?.subAccountKey === key);
      faults.push(...missing(sync, key, account, ofAccount).map((fault) => `sync ${sync.id}: ${fault}`));
    }
  }
  return faults;
}

type RecordedRow = { readonly position: string; readonly attempt: string };

/**
 * A page that is repeated after a crash counts fewer rows where the bank has withdrawn some meanwhile, or where an
 * earlier attempt at it reaches the log after the rows of a later one, to which the bank listed more.
 */
function checkCounts(
  syncs: readonly Sync[],
  transactions: readonly (readonly KnownEvent[])[],
  isChanged: (sync: Sync, subAccountKey: string) => boolean,
): string[] {
  const inserted = new Map<string, RecordedRow[]>();
  for (const events of transactions) {
    const recorded = events.find((event) => event.type === 'TransactionRecorded');
    if (recorded === undefined) continue;
    const { syncId, syncPage, fetchedAt: attempt } = recorded.data;
    const page = `${syncId} ${syncPage}`;
    inserted.set(page, [...(inserted.get(page) ?? []), { position: recorded.position, attempt }]);
  }
  return syncs.flatMap((sync) =>
    sync.pages.flatMap(({ data, position }) => {
      const rows = inserted.get(`${sync.id} ${data.page}`) ?? [];
      const fewer = data.inserted < rows.length;
      const isRight =
        data.inserted === rows.length ||
        (fewer && (isChanged(sync, data.subAccountKey) || isOfEarlierAttempt(data.inserted, position, rows)));
      return isRight ? [] : [`page ${data.page} of sync ${sync.id} counts ${data.inserted} rows, not ${rows.length}`];
    }),
  );
}

/** Whether the count is that of the first attempts, and all others had recorded their rows before the page. */
function isOfEarlierAttempt(count: number, pageAt: string, rows: readonly RecordedRow[]): boolean {
  const inOrder = rows.toSorted((one, other) => (one.position < other.position ? -1 : 1));
  const isWhole = inOrder[count - 1]?.attempt !== inOrder[count]?.attempt;
  return isWhole && inOrder.every(({ position }) => position < pageAt);
}

/** Of two syncs of an account at once, the one may record what the bank said before the other asked. */
function overlap(sync: Sync, other: Sync, key: string): boolean {
  const hasAccount = other.planned?.windows.some(({ subAccountKey }) => subAccountKey === key) ?? false;
  return hasAccount && other.startMs <= sync.endMs && sync.startMs <= other.endMs;
}

/** Only rows that the bank did not change meanwhile. */
function missing(
  { planned, completed, startMs, endMs }: Sync,
  key: string,
  account: BookAccount,
  recorded: readonly (readonly KnownEvent[])[],
): string[] {
  const windows = (planned?.windows ?? []).filter(({ subAccountKey }) => subAccountKey === key);
  const upTo = completed?.position ?? '';
  const steady = account.rows.filter(
    (row) =>
      !row.hidden &&
      row.bookedMs < startMs &&
      !row.changedMs.some((ms) => ms >= startMs && ms <= endMs) &&
      windows.some(({ fromDay, toDay }) => fromDay <= row.day && row.day < toDay),
  );
  const then = recorded.map((events) => events.filter(({ position }) => position <= upTo));
  const there = then.filter((events) => events.length > 0);
  const faults: string[] = [];
  const wanted = new Map<string, number>();
  for (const row of steady) {
    if (row.id === null) wanted.set(contentOf(row, row.cents), (wanted.get(contentOf(row, row.cents)) ?? 0) + 1);
    else faults.push(...compareRow(row, startMs, there));
  }
  for (const [content, count] of wanted) {
    const found = there.filter((events) => contentOfRecorded(events) === content).length;
    if (found < count) faults.push(`it has ${found} of ${count} rows ${content}`);
  }
  return faults;
}

function compareRow(row: BookRow, startMs: number, there: readonly (readonly KnownEvent[])[]): string[] {
  const wasWithdrawn = row.changedMs.filter((ms) => ms < startMs).length % 2 === 1;
  const events = there.find((each) => firstOf(each, 'TransactionRecorded')?.providerStamp === row.id);
  if (events === undefined) return wasWithdrawn ? [] : [`it lacks row ${row.id}`];
  return transactionAfter(events).withdrawn === wasWithdrawn
    ? []
    : [`after it row ${row.id} is ${wasWithdrawn ? 'not ' : ''}withdrawn`];
}

function contentOfRecorded(events: readonly KnownEvent[]): string {
  const recorded = firstOf(events, 'TransactionRecorded');
  if (recorded === undefined) return '';
  const { transactionDate, incoming, description, amount } = recorded;
  const row = { day: transactionDate.slice(0, 10), incoming, description: description ?? '' };
  return contentOf(row, Number(amount) * 100);
}
