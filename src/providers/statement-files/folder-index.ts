import { setImmediate } from 'node:timers/promises';
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
import type { StatementFile } from './statements-folder.ts';

/** Folders kept, the least used dropped first: their files are outlined anew. */
const KEPT_FOLDERS = 100;
/** Accounts and spans of a folder for which the places are kept. */
const KEPT_PLACES = 50;
/** Rows compared at once: those of days that follow each other, as many as that are. */
const COMPARED_ROWS = 10_000;
/** Rows of a day in all that is said of it. More are not compared: that takes memory and time for each pair of them. */
const MOST_COMPARED_ROWS = 20_000;
/** Rows whose places are kept, in all folders. */
const KEPT_ROWS = 200_000;

/** The numbers of a day's rows by their kind, in the order of a statement, and how many rows of each kind there are. */
export type PlacedDay = {
  readonly indexes: ReadonlyMap<string, readonly number[]>;
  readonly totals: ReadonlyMap<string, number>;
};

/**
 * Where the rows of a statement's days stand among all rows of the day. Null for a day about which every statement says
 * the same; `too-many` where the statements say different things in more rows than can be compared.
 */
export type PlacesOfDays = (day: string) => PlacedDay | 'too-many' | null;

/** What all files of a folder say of an account's days, as far as two of them say different things of one day. */
export type AccountPlaces = {
  readonly placedDays: (told: readonly DayOutline[], asker: Asker) => Promise<PlacesOfDays>;
  /** Whether a statement says all there is of the day, so that rows of a report during it are left out. */
  readonly isFinal: (day: string) => boolean;
  /** Equal as long as the same rows are listed of the day; null for a day with more rows than can be compared. */
  readonly printOf: (day: string) => string | null;
};

export type FolderIndex = {
  /** What lies in the folder; files that are not named are gone. */
  readonly list: (files: readonly { file: StatementFile; outline: FileOutline }[]) => void;
  readonly learn: (file: StatementFile, outline: FileOutline) => void;
  /** Of the days of a span, both included. */
  readonly placesOf: (accountKey: string, span: Span) => AccountPlaces;
  /** The files with notifications (camt.054) of an account about any of these days, in the order of their names. */
  readonly notificationsOf: (accountKey: string, days: ReadonlySet<string>) => readonly StatementFile[];
  /** Another one for another file, for one that changed and for one that was forgotten meanwhile. */
  readonly numberOf: (outline: FileOutline) => number;
  /** The days of an account that any file states whose number is not among these. */
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
    for (const oldest of indexes.keys()) {
      if (indexes.size <= KEPT_FOLDERS) break;
      indexes.delete(oldest);
    }
    return index;
  };
}

type Span = { readonly fromDay: string; readonly toDay: string };
type Held = { readonly file: StatementFile; readonly outline: FileOutline };
type Notification = { readonly file: StatementFile; readonly days: ReadonlySet<string> };
/** The first statement with certain rows of a day. */
type Spot = DayOutline & { readonly file: StatementFile; readonly statement: number };

/** What was found out by comparing rows, by the places they are of and the first day. */
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
      for (const oldest of places.keys()) {
        if (places.size <= KEPT_PLACES) break;
        places.delete(oldest);
      }
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
  const tooMany = new Set(disputed.filter((one) => rowsIn(one) > MOST_COMPARED_ROWS).map(([day]) => day));
  const parts = partsOf(disputed.filter(([day]) => !tooMany.has(day)));
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
    printOf: (day) => (tooMany.has(day) ? null : printOf(day)),
    async placedDays(told, asker) {
      const found = new Map<string, PlacedDay | null>();
      for (const outline of told) {
        const part = partOf.get(outline.day);
        if (part === undefined) continue;
        const key = keyAmong(distinct.get(outline.day) ?? new Map(), outline);
        found.set(outline.day, (await compared(part, asker)).get(`${outline.day} ${key}`) ?? null);
      }
      return (day) => (tooMany.has(day) ? 'too-many' : (found.get(day) ?? null));
    },
  };
}

function rowsIn([, spots]: Disputed): number {
  return spots.values().reduce((sum, { rows }) => sum + rows, 0);
}

/** Days that follow each other, together as long as they have no more rows than are compared at once. */
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

/** For each day the ways in which the files state it, each with the first statement that does. */
function distinctSpots(
  ordered: readonly Held[],
  accountKey: string,
  isFinal: (day: string) => boolean,
): Map<string, Spots> {
  const days = new Map<string, Map<string, Spot>>();
  for (const { file, outline } of ordered) {
    for (const [statement, { account, format, intraday }] of outline.summaries.entries()) {
      if (account.key !== accountKey || format === 'camt.054') continue;
      for (const told of outline.days[statement] ?? []) {
        if (intraday !== null && isFinal(told.day)) continue;
        const spots = days.get(told.day) ?? new Map<string, Spot>();
        days.set(told.day, spots);
        const key = spotKey(told);
        if (!spots.has(key)) spots.set(key, { ...told, file, statement });
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
    // Comparing takes its time; others get their turn between two days.
    await setImmediate();
  }
  return placed;
}

function spotKey({ digest, beginsDay, endsDay }: DayOutline): string {
  return [digest, beginsDay, endsDay].join(' ');
}

/** What stands for an outline: one with the same rows that tells as much of where the day begins and ends, or more. */
function keyAmong(spots: ReadonlyMap<string, Spot>, told: DayOutline): string {
  for (const [beginsDay, endsDay] of [
    [true, true],
    [true, told.endsDay],
    [told.beginsDay, true],
  ] as const) {
    const key = spotKey({ ...told, beginsDay, endsDay });
    if (spots.has(key)) return key;
  }
  return spotKey(told);
}

/** Rows that begin the day in one statement and equal ones that end it in another may be others. */
function withoutRepeats(spots: ReadonlyMap<string, Spot>): ReadonlyMap<string, Spot> {
  return new Map([...spots].filter(([key, spot]) => keyAmong(spots, spot) === key));
}

/** Where nothing else says which rows a day begins and ends with, the balances of the days beside it do. */
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
    const told = [...spots].map(([digest, spot]): [string, Spot] => {
      const beginsDay = spot.beginsDay || (begins && before !== null && spot.start === before);
      return [
        digest,
        { ...spot, beginsDay, endsDay: spot.endsDay || (ends && behind !== null && spot.end === behind) },
      ];
    });
    return [day, new Map(told)];
  });
}

/**
 * The one balance of a day that is the end (or start) of a statement, and no other's start (or end); null for several.
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

/** Each file is read once, whatever number of its days is wanted. */
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
