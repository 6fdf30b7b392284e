import type { SourceFault } from '../bank-provider.ts';
import { keepByWeight } from './kept-by-weight.ts';

/** The most days kept, across all accounts. */
const KEPT_DAYS = 500_000;
/** The most days and files kept of passes in progress. */
const KEPT_OF_PASSES = 500_000;
const MOST_NOTES = 50;

/**
 * Which days of an account a connection has recorded completely, so that they are not listed again as long as the same
 * files cover them. A day is identified by its fingerprint (`AccountPlaces.printOf`), which changes with another file
 * or another version of one. Kept in memory: a new process knows none, and lists everything once.
 */
export type RecordedDays = {
  /**
   * The pages of a listing, from the first to the last, form a pass; what is known does not change during a pass.
   * @param key names connection, folder, settings and account
   */
  readonly openPage: (key: string, cursor: string | null) => PageDays;
};

/** What is known while a page is listed, and records what is seen for it. */
export type PageDays = {
  readonly isRecorded: (day: string, print: string | null) => boolean;
  /** How many more payments than rows a file listed on a day, because its batches were split. */
  readonly paymentsOf: (day: string, file: string) => number;
  /** The notes on a file from when its rows were recorded. */
  readonly notesOf: (file: string) => readonly SourceFault[];
  /** Everything requested from a file was listed or left out. */
  readonly visited: (file: number) => void;
  /** Rows of a file on a day were listed or left out. `print` is null if not all of the day can be listed. */
  readonly seen: (day: string, print: string | null, file: string, payments: number) => void;
  readonly noted: (notes: readonly SourceFault[]) => void;
  /**
   * To be called once the rows of the page are recorded. A page counts only if the previous one did.
   * @param unvisitedDays the days that files other than these cover
   */
  readonly recorded: (
    nextCursor: string | null,
    unvisitedDays: (visited: ReadonlySet<number>) => ReadonlySet<string>,
  ) => void;
};

type Day = { print: string | null; readonly payments: Map<string, number> };
type Seen = {
  readonly days: Map<string, Day>;
  readonly files: Set<string>;
  readonly visited: Set<number>;
  readonly notes: SourceFault[];
};
type Pass = { readonly next: string; readonly seen: Seen };
type Known = { readonly days: ReadonlyMap<string, Day>; readonly notes: readonly SourceFault[] };

function nothingSeen(): Seen {
  return { days: new Map(), files: new Set(), visited: new Set(), notes: [] };
}

function addDay({ days }: Seen, day: string, { print, payments }: Day): void {
  const one = days.get(day) ?? { print, payments: new Map<string, number>() };
  // The files changed meanwhile: some rows of the day may have been listed before, and others not.
  if (one.print !== print) one.print = null;
  for (const [file, count] of payments) one.payments.set(file, (one.payments.get(file) ?? 0) + count);
  days.set(day, one);
}

function addSeen(all: Seen, { days, files, visited, notes }: Seen): void {
  for (const [day, one] of days) addDay(all, day, one);
  for (const file of files) all.files.add(file);
  for (const file of visited) all.visited.add(file);
  all.notes.push(...notes.slice(0, MOST_NOTES - all.notes.length));
}

export function openRecordedDays(): RecordedDays {
  const known = keepByWeight<Known>(KEPT_DAYS);
  const passes = keepByWeight<Pass>(KEPT_OF_PASSES);

  function seenBefore(key: string, cursor: string | null): Seen | null {
    const pass = passes.get(key);
    passes.delete(key);
    if (cursor === null) return nothingSeen();
    return pass?.next === cursor ? pass.seen : null;
  }

  function settle(key: string, seen: Seen, unvisitedDays: ReadonlySet<string>): void {
    const { days, notes } = known.get(key) ?? { days: [], notes: [] };
    const whole = [...seen.days].filter(([day, { print }]) => print !== null && !unvisitedDays.has(day));
    const all = new Map([...days, ...whole]);
    const others = notes.filter(({ source }) => !seen.files.has(source));
    known.set(key, { days: all, notes: [...seen.notes, ...others].slice(0, MOST_NOTES) }, all.size);
  }

  return {
    openPage(key, cursor) {
      const { days, notes } = known.get(key) ?? { days: new Map<string, Day>(), notes: [] };
      const page = nothingSeen();
      return {
        isRecorded: (day, print) => print !== null && days.get(day)?.print === print,
        paymentsOf: (day, file) => days.get(day)?.payments.get(file) ?? 0,
        notesOf: (file) => notes.filter(({ source }) => source === file),
        visited: (file) => void page.visited.add(file),
        seen(day, print, file, payments) {
          page.files.add(file);
          addDay(page, day, { print, payments: new Map(payments > 0 ? [[file, payments]] : []) });
        },
        noted: (found) => void page.notes.push(...found),
        recorded(nextCursor, unvisitedDays) {
          const seen = seenBefore(key, cursor);
          if (seen === null) return;
          addSeen(seen, page);
          if (nextCursor === null) settle(key, seen, unvisitedDays(seen.visited));
          else passes.set(key, { next: nextCursor, seen }, seen.days.size + seen.visited.size);
        },
      };
    },
  };
}
