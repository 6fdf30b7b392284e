import type { PageRequest, ProviderTransaction, SourceFault } from '../bank-provider.ts';
import type { BookedRow } from './booked-rows.ts';
import type { FileContent, FileOutline } from './file-content.ts';
import type { AccountPlaces } from './folder-index.ts';
import { incomingRows } from './incoming-rows.ts';
import type { Asker } from './large-files.ts';
import { versionOf } from './page-cursor.ts';
import type { RefusedDay } from './refused-days.ts';
import type { StatementFile } from './statements-folder.ts';

/** The most notes of one file on a page: a bank's habit repeats in every statement. */
const MOST_NOTES = 20;

type Sought = {
  readonly file: StatementFile;
  readonly content: FileContent;
  readonly outline: FileOutline;
  readonly places: AccountPlaces;
  /** Days for which nothing is listed. */
  readonly isLeftOut: (day: string) => boolean;
  readonly asker: Asker;
};

/**
 * The account's rows of a file from number `skip` on, as many as there is room for; stated balances and notes belong to
 * the first page. `skip` counts all rows of the account, including those that are not listed, so that a number means
 * the same row whatever is left out at the time.
 */
export async function pageOf(
  { file, content, outline, places, isLeftOut, asker }: Sought,
  request: PageRequest,
  { skip, room }: { readonly skip: number; readonly room: number },
) {
  const { account, fromDay, toDay } = request;
  const within = (day: string): boolean => day >= fromDay && day < toDay;
  const all = await content.statementsOf(account.providerAccountId);
  const own = all.filter(({ format }) => format !== 'camt.054');
  const listings: { listing: string; rows: ProviderTransaction[] }[] = [];
  const faults: SourceFault[] = [];
  /** The number of each listed row among all rows of the account. */
  const numbers: number[] = [];
  let next: number | null = null;
  let [seen, taken] = [0, 0];
  for (const { index, rows, runs } of own) {
    const isReport = outline.summaries[index]?.intraday != null;
    const booked: BookedRow[] = [];
    const bookedNumbers: number[] = [];
    const begun = new Set<string>();
    for (const { day, date, first, count } of runs) {
      const before = seen;
      seen += count;
      if (!within(date) || isLeftOut(day) || (isReport && places.isFinal(day))) continue;
      const from = Math.max(0, skip - before);
      const to = Math.max(from, Math.min(count, from + room - taken));
      if (to < count) next ??= before + to;
      if (from >= to) continue;
      taken += to - from;
      if (from === 0) begun.add(day);
      for (const row of await rows.slice(first + from, first + to)) booked.push(row);
      for (let at = from; at < to; at += 1) bookedNumbers.push(before + at);
    }
    const days = new Set(booked.map(({ day }) => day));
    const ofDays = (outline.days[index] ?? []).filter(({ day }) => days.has(day));
    const placesOfDays = await places.placedDays(ofDays, asker);
    for (const day of days) {
      const placed = placesOfDays(day);
      // Reported only with the first page of the day's rows.
      if (typeof placed === 'string' && begun.has(day)) faults.push(refusedDay(file.name, day, placed));
    }
    const incoming = incomingRows(account.providerAccountId, booked, placesOfDays);
    numbers.push(...bookedNumbers.filter((_, at) => typeof placesOfDays(booked[at]?.day ?? '') !== 'string'));
    const listing = `${file.name}@${versionOf(file)}#${index}`;
    if (incoming.length > 0) listings.push({ listing, rows: incoming });
  }
  const asked = own.filter(({ stated, runs }) => {
    return stated.some(({ toDay: day }) => within(day)) || runs.some(({ date }) => within(date));
  });
  const noted = asked.flatMap(({ notes }) => notes.map((note) => ({ ...note, source: file.name })));
  const stated = own.flatMap((statement) => statement.stated.filter((span) => within(span.toDay)));
  return {
    listings,
    numbers,
    statedBalances: skip === 0 ? stated : [],
    notes: skip === 0 ? noted.slice(0, MOST_NOTES) : [],
    faults,
    next,
  };
}

const REFUSED = {
  'too-many': {
    code: 'STATEMENT_DAY_TOO_LARGE',
    say: (day: string) =>
      `several statements list rows of ${day} in different ways, and they are too many to be compared`,
  },
  contradicting: {
    code: 'STATEMENT_ROWS_DIFFER',
    say: (day: string) =>
      `statements lead through ${day} from one balance to another by different rows, such as a batch and its payments`,
  },
} as const satisfies Record<RefusedDay, unknown>;

function refusedDay(source: string, day: string, why: RefusedDay): SourceFault {
  const { code, say } = REFUSED[why];
  const message = `${say(day)}; none of these is imported until only one of the files is left in the folder`;
  return { code, message, source, place: day };
}
