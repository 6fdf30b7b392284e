import { dropOldest } from '../../shared/drop-oldest.ts';
import { yieldToOthers } from '../../shared/yield-to-others.ts';
import type { BookedRow } from './booked-rows.ts';
import { type DayOutline, segmentOf } from './day-outlines.ts';
import { dayPrints, daysOf } from './day-prints.ts';
import type { DaySegment } from './day-segment.ts';
import type { FiledStatement, FileOutline } from './file-content.ts';
import type { FileMemory } from './file-memory.ts';
import type { FileSettings } from './file-settings.ts';
import { finalDays } from './final-days.ts';
import { type KeptByWeight, keepByWeight } from './kept-by-weight.ts';
import type { Asker } from './large-files.ts';
import { placeRowsAside } from './place-aside.ts';
import { MOST_COMPARED_ROWS, type RefusedDay, refusalOf } from './refused-days.ts';
import type { StatementFile } from './statements-folder.ts';

/** The most folders kept; the least recently used are dropped first, and their index is built again. */
const KEPT_FOLDERS = 100;
/** The most accounts and spans of a folder for which the places are kept. */
const KEPT_PLACES = 50;
/** The most rows compared at once: those of as many consecutive days as that covers. */
const COMPARED_ROWS = 10_000;
/** The most rows whose places are kept, across all folders. */
const KEPT_ROWS = 200_000;

/** The numbers of a day's rows by their kind, in the order of a statement, and how many rows of each kind there are. */
export type PlacedDay = {
  readonly indexes: ReadonlyMap<string, readonly number[]>;
  readonly totals: ReadonlyMap<string, number>;
};

/**
 * The places of a statement's rows of a day among all rows of that day; null for a day that every statement lists in
 * the same way.
 */
export type PlacesOfDays = (day: string) => PlacedDay | RefusedDay | null;

/** How the files of a folder together describe an account's days, where they list a day in different ways. */
export type AccountPlaces = {
  readonly placedDays: (outlines: readonly DayOutline[], asker: Asker) => Promise<PlacesOfDays>;
  /** Whether a statement covers the day completely, so that rows of its intraday reports are left out. */
  readonly isFinal: (day: string) => boolean;
  /**
   * The fingerprint of the day, equal as long as the same rows are listed for it; null for a day for which none are.
   */
  readonly printOf: (day: string) => string | null;
};

export type FolderIndex = {
  /** Sets the files in the folder; those that are not listed are gone. */
  readonly list: (files: readonly { file: StatementFile; outline: FileOutline }[]) => void;
  readonly learn: (file: StatementFile, outline: FileOutline) => void;
  /** Whether a file may state anything about an account; true for an unknown file. */
  readonly mayState: (name: string, accountKey: string) => boolean;
  /** The places on the days of a span, both ends included. */
  readonly placesOf: (accountKey: string, span: Span) => AccountPlaces;
  /** The files with notifications (camt.054) of an account about any of these days, in the order of their names. */
  readonly notificationsOf: (accountKey: string, days: ReadonlySet<string>) => readonly StatementFile[];
  /**
   * A number for this outline. Another file, a changed file and a file whose outline was dropped meanwhile have other
   * numbers.
   */
  readonly numberOf: (outline: FileOutline) => number;
  /** The days of an account that files whose numbers are not among these cover. */
  readonly daysOfOthers: (accountKey: string, numbers: ReadonlySet<number>) => ReadonlySet<string>;
};

export function openFolderIndexes(memory: FileMemory): (folder: string, settings: FileSettings) => FolderIndex {
  const indexes = new Map<string, FolderIndex>();
  const placed: PlacedRows = keepByWeight(KEPT_ROWS);
  let lastNumber = 0;
  const newNumber = (): number => {
    lastNumber += 1;
    return lastNumber;
  };
  const numbers = new WeakMap<FileOutline, number>();
  const numberOf = (outline: FileOutline): number => {
    const number = numbers.get(outline) ?? newNumber();
    numbers.set(outline, number);
    return number;
  };
  return (folder, settings) => {
    const key = `${folder}\u0000${JSON.stringify(settings)}`;
    const index = indexes.get(key) ?? openFolderIndex({ memory, settings, placed, newNumber, numberOf });
    indexes.delete(key);
    indexes.set(key, index);
    dropOldest(indexes, KEPT_FOLDERS);
    return index;
  };
}

type Span = { readonly fromDay: string; readonly toDay: string };
type Held = { readonly file: StatementFile; readonly outline: FileOutline };
type Notification = { readonly file: StatementFile; readonly days: ReadonlySet<string> };
/** The first statement that lists a day in a certain way. */
type Spot = DayOutline & { readonly file: StatementFile; readonly statement: number };

/** The results of comparing rows, by the number of the account's places and the first day compared. */
type PlacedRows = KeptByWeight<Promise<ReadonlyMap<string, PlacedDay>>>;
type Sources = {
  readonly memory: FileMemory;
  readonly settings: FileSettings;
  readonly placed: PlacedRows;
  readonly newNumber: () => number;
  readonly numberOf: (outline: FileOutline) => number;
};

function openFolderIndex(sources: Sources): FolderIndex {
  let files = new Map<string, Held>();
  const places = new Map<string, AccountPlaces>();
  const notifications = new Map<string, readonly Notification[]>();

  function replace(changed: Map<string, Held>): void {
    files = changed;
    places.clear();
    notifications.clear();
  }

  function notificationsFor(accountKey: string): readonly Notification[] {
    const known =
      notifications.get(accountKey) ??
      inOrder([...files.values()])
        .map(({ file, outline }) => ({ file, days: daysOfNotifications(outline, accountKey) }))
        .filter(({ days }) => days.size > 0);
    notifications.set(accountKey, known);
    return known;
  }

  function isKnown({ file, outline }: Held): boolean {
    return files.get(file.name)?.outline === outline;
  }

  return {
    list(found) {
      if (found.length === files.size && found.every(isKnown)) return;
      replace(new Map(found.map((one) => [one.file.name, one])));
    },
    learn(file, outline) {
      if (isKnown({ file, outline })) return;
      replace(files.set(file.name, { file, outline }));
    },
    mayState(name, accountKey) {
      const known = files.get(name);
      return known === undefined || known.outline.summaries.some(({ account }) => account.key === accountKey);
    },
    notificationsOf(accountKey, days) {
      return notificationsFor(accountKey).flatMap((one) => (one.days.isDisjointFrom(days) ? [] : one.file));
    },
    numberOf: sources.numberOf,
    daysOfOthers(accountKey, numbers) {
      const others = [...files.values()].filter(({ outline }) => !numbers.has(sources.numberOf(outline)));
      return new Set(others.flatMap(({ outline }) => [...daysOf(outline, accountKey)]));
    },
    placesOf(accountKey, span) {
      const key = [accountKey, span.fromDay, span.toDay].join(' ');
      const known = places.get(key) ?? placeAccount(sources, [...files.values()], accountKey, span);
      places.set(key, known);
      dropOldest(places, KEPT_PLACES);
      return known;
    },
  };
}

function inOrder(files: readonly Held[]): Held[] {
  return files.toSorted((a, b) => (a.file.name < b.file.name ? -1 : 1));
}

function daysOfNotifications({ summaries, days }: FileOutline, accountKey: string): ReadonlySet<string> {
  const found = summaries.map(({ account, format }, index) =>
    format === 'camt.054' && account.key === accountKey ? (days[index] ?? []) : [],
  );
  return new Set(found.flat().map(({ day }) => day));
}

type Spots = ReadonlyMap<string, Spot>;
type Disputed = readonly [day: string, spots: Spots];

function placeAccount(sources: Sources, files: readonly Held[], accountKey: string, span: Span): AccountPlaces {
  const { placed } = sources;
  const ordered = inOrder(files);
  const isFinal = finalDays(
    files.map(({ outline }) => outline),
    accountKey,
  );
  const distinct = distinctSpots(ordered, accountKey, isFinal);
  const numbered = ordered.map(({ outline }) => ({ outline, number: sources.numberOf(outline) }));
  const printOf = dayPrints(numbered, accountKey, [...distinct.keys()].sort(), isFinal);
  const disputed = withNeighbours(distinct).filter(
    ([day, spots]) => spots.size > 1 && day >= span.fromDay && day <= span.toDay,
  );
  const refused = new Map<string, RefusedDay>();
  const comparable = disputed.filter((one) => {
    const [day, spots] = one;
    const refusal = refusalOf([...spots.values()]);
    if (refusal !== null) refused.set(day, refusal);
    return refusal === null && rowsIn(one) <= MOST_COMPARED_ROWS;
  });
  const parts = partsOf(comparable);
  const partOf = new Map(parts.flatMap((part) => part.map(([day]) => [day, part] as const)));
  const number = sources.newNumber();

  function compared(part: readonly Disputed[], asker: Asker): Promise<ReadonlyMap<string, PlacedDay>> {
    const key = `${number} ${part[0]?.[0]}`;
    const known = placed.get(key);
    if (known !== undefined) return known;
    const comparing = placePart(sources, accountKey, part, asker);
    const rows = part.reduce((sum, one) => sum + rowsIn(one), 0);
    placed.set(key, comparing, rows);
    comparing.catch(() => placed.delete(key));
    return comparing;
  }

  return {
    isFinal,
    printOf: (day) => (refused.has(day) ? null : printOf(day)),
    async placedDays(outlines, asker) {
      const found = new Map<string, PlacedDay | null>();
      for (const outline of outlines) {
        const part = partOf.get(outline.day);
        if (part === undefined) continue;
        const key = keyAmong(distinct.get(outline.day) ?? new Map(), outline);
        found.set(outline.day, (await compared(part, asker)).get(`${outline.day} ${key}`) ?? null);
      }
      return (day) => refused.get(day) ?? found.get(day) ?? null;
    },
  };
}

function rowsIn([, spots]: Disputed): number {
  return spots.values().reduce((sum, { rows }) => sum + rows, 0);
}

/** Consecutive days, grouped as long as they have no more rows than are compared at once. */
function partsOf(disputed: readonly Disputed[]): Disputed[][] {
  const parts: Disputed[][] = [];
  let rows = 0;
  for (const one of disputed) {
    const last = parts.at(-1);
    rows += rowsIn(one);
    if (last !== undefined && rows <= COMPARED_ROWS) last.push(one);
    else {
      parts.push([one]);
      rows = rowsIn(one);
    }
  }
  return parts;
}

/** For each day, the different ways in which the files list it, each with the first statement that does so. */
function distinctSpots(
  ordered: readonly Held[],
  accountKey: string,
  isFinal: (day: string) => boolean,
): Map<string, Spots> {
  const days = new Map<string, Map<string, Spot>>();
  for (const { file, outline } of ordered) {
    for (const [statement, { account, format, intraday }] of outline.summaries.entries()) {
      if (account.key !== accountKey || format === 'camt.054') continue;
      for (const ofDay of outline.days[statement] ?? []) {
        if (intraday !== null && isFinal(ofDay.day)) continue;
        const spots = days.get(ofDay.day) ?? new Map<string, Spot>();
        days.set(ofDay.day, spots);
        const key = spotKey(ofDay);
        if (!spots.has(key)) spots.set(key, { ...ofDay, file, statement });
      }
    }
  }
  return new Map([...days].map(([day, spots]) => [day, withoutRepeats(spots)]));
}

async function placePart(
  sources: Sources,
  accountKey: string,
  part: readonly Disputed[],
  asker: Asker,
): Promise<ReadonlyMap<string, PlacedDay>> {
  const segments = await readSegments(sources, accountKey, part, asker);
  const placed = new Map<string, PlacedDay>();
  for (const [day, spots] of part) {
    const found = [...spots.keys()].flatMap((key) => segments.get(`${day} ${key}`) ?? []);
    const { indexes, totals } = await placeRowsAside(found);
    for (const { id, rows } of found) {
      const byKind = new Map<string, number[]>();
      for (const [position, { kind }] of rows.entries()) {
        const ofKind = byKind.get(kind) ?? [];
        ofKind.push(indexes.get(id)?.[position] ?? 0);
        byKind.set(kind, ofKind);
      }
      placed.set(id, { indexes: byKind, totals });
    }
    // Comparing takes time: other work gets its turn between two days.
    await yieldToOthers();
  }
  return placed;
}

function spotKey({ digest, beginsDay, endsDay }: DayOutline): string {
  return [digest, beginsDay, endsDay].join(' ');
}

/**
 * The key of the spot that represents an outline: one with the same rows that says at least as much about where the day
 * begins and ends.
 */
function keyAmong(spots: ReadonlyMap<string, Spot>, outline: DayOutline): string {
  for (const [beginsDay, endsDay] of [
    [true, true],
    [true, outline.endsDay],
    [outline.beginsDay, true],
  ] as const) {
    const key = spotKey({ ...outline, beginsDay, endsDay });
    if (spots.has(key)) return key;
  }
  return spotKey(outline);
}

/**
 * Drops spots that another one represents. Rows that begin the day in one statement and equal rows that end it in
 * another may be different rows, so both stay.
 */
function withoutRepeats(spots: ReadonlyMap<string, Spot>): ReadonlyMap<string, Spot> {
  return new Map([...spots].filter(([key, spot]) => keyAmong(spots, spot) === key));
}

/** Where nothing else says which rows a day begins and ends with, the balances of the neighbouring days do. */
function withNeighbours(
  days: ReadonlyMap<string, ReadonlyMap<string, Spot>>,
): (readonly [string, ReadonlyMap<string, Spot>])[] {
  const ordered = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  return ordered.map(([day, spots], at) => {
    if (spots.size < 2) return [day, spots];
    const before = onlyOne(ordered[at - 1]?.[1], 'end', 'start');
    const behind = onlyOne(ordered[at + 1]?.[1], 'start', 'end');
    const all = [...spots.values()];
    const begins = !all.some((spot) => spot.beginsDay) && all.filter(({ start }) => start === before).length === 1;
    const ends = !all.some((spot) => spot.endsDay) && all.filter(({ end }) => end === behind).length === 1;
    const marked = [...spots].map(([digest, spot]): [string, Spot] => {
      const beginsDay = spot.beginsDay || (begins && before !== null && spot.start === before);
      return [
        digest,
        { ...spot, beginsDay, endsDay: spot.endsDay || (ends && behind !== null && spot.end === behind) },
      ];
    });
    return [day, new Map(marked)];
  });
}

/**
 * The only balance of a day at which a statement ends (or starts) and no other one starts (or ends); null if there are
 * several.
 */
function onlyOne(
  spots: ReadonlyMap<string, Spot> = new Map(),
  side: 'start' | 'end',
  other: 'start' | 'end',
): string | null {
  const moving = [...spots.values()].filter(({ start, end }) => start !== end);
  const inner = new Set(moving.map((spot) => spot[other]));
  const found = new Set([...spots.values()].map((spot) => spot[side]).filter((balance) => !inner.has(balance)));
  const [only = null, another] = found;
  return another === undefined ? only : null;
}

/** Reads each file once, however many of its days are wanted. */
async function readSegments(
  { memory, settings }: Sources,
  accountKey: string,
  days: readonly Disputed[],
  asker: Asker,
): Promise<Map<string, DaySegment>> {
  const wanted = new Map<StatementFile, { id: string; day: string; spot: Spot }[]>();
  for (const [day, spots] of days) {
    for (const [key, spot] of spots) {
      const asked = wanted.get(spot.file);
      if (asked === undefined) wanted.set(spot.file, [{ id: `${day} ${key}`, day, spot }]);
      else asked.push({ id: `${day} ${key}`, day, spot });
    }
  }
  const segments = new Map<string, DaySegment>();
  for (const [file, asked] of wanted) {
    const content = await memory.read(file, { ...asker, settings });
    if (content === null) continue;
    const statements = new Map((await content.statementsOf(accountKey)).map((one) => [one.index, one]));
    for (const { id, day, spot } of asked) {
      const found = statements.get(spot.statement);
      if (found === undefined) continue;
      const { beginsDay, endsDay } = spot;
      segments.set(id, segmentOf(id, found.format, await rowsOfDay(found, day), { beginsDay, endsDay }));
    }
  }
  return segments;
}

async function rowsOfDay({ runs, rows }: FiledStatement, day: string): Promise<readonly BookedRow[]> {
  const [first] = runs.filter((run) => run.day === day);
  if (first === undefined) return [];
  const count = runs.reduce((sum, run) => sum + (run.day === day ? run.count : 0), 0);
  return rows.slice(first.first, first.first + count);
}
