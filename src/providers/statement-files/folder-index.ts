import { type DayOutline, segmentOf } from './day-outlines.ts';
import type { DaySegment } from './day-segment.ts';
import type { FileMemory, FileOutline } from './file-memory.ts';
import type { FileSettings } from './file-settings.ts';
import { finalDays } from './final-days.ts';
import { placeRows } from './row-places.ts';
import type { StatementFile } from './statements-folder.ts';

/** Folders kept, the least used dropped first: their files are outlined anew. */
const KEPT_FOLDERS = 100;
/** Accounts and spans of a folder for which the places are kept. */
const KEPT_PLACES = 50;

/** The numbers of a day's rows by their kind, in the order of a statement, and how many rows of each kind there are. */
type PlacedDay = {
  readonly indexes: ReadonlyMap<string, readonly number[]>;
  readonly totals: ReadonlyMap<string, number>;
};

/** What all files of a folder say of an account's days, as far as two of them say different things of one day. */
export type AccountPlaces = {
  /** Null for a day about which every statement says the same. */
  readonly placedDay: (told: DayOutline) => PlacedDay | null;
  /** Whether a statement says all there is of the day, so that rows of a report during it are left out. */
  readonly isFinal: (day: string) => boolean;
};

export type FolderIndex = {
  /** What lies in the folder; files that are not named are gone. */
  readonly list: (files: readonly { file: StatementFile; outline: FileOutline }[]) => void;
  readonly learn: (file: StatementFile, outline: FileOutline) => void;
  /** Of the days of a span, both included. */
  readonly placesOf: (accountKey: string, span: Span) => Promise<AccountPlaces>;
  /** The files with notifications (camt.054) of an account about any of these days, in the order of their names. */
  readonly notificationsOf: (accountKey: string, days: ReadonlySet<string>) => readonly StatementFile[];
};

export function openFolderIndexes(memory: FileMemory): (folder: string, settings: FileSettings) => FolderIndex {
  const indexes = new Map<string, FolderIndex>();
  return (folder, settings) => {
    const key = `${folder}\u0000${JSON.stringify(settings)}`;
    const index = indexes.get(key) ?? openFolderIndex(memory, settings);
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
/** The first statement with certain rows of a day. */
type Spot = DayOutline & { readonly file: StatementFile; readonly statement: number };

function openFolderIndex(memory: FileMemory, settings: FileSettings): FolderIndex {
  let files = new Map<string, Held>();
  const places = new Map<string, Promise<AccountPlaces>>();

  function isKnown({ file, outline }: Held): boolean {
    return files.get(file.name)?.outline === outline;
  }

  return {
    list(found) {
      if (found.length === files.size && found.every(isKnown)) return;
      files = new Map(found.map((one) => [one.file.name, one]));
      places.clear();
    },
    learn(file, outline) {
      if (isKnown({ file, outline })) return;
      files.set(file.name, { file, outline });
      places.clear();
    },
    notificationsOf(accountKey, days) {
      const found = [...files.values()].filter(({ outline }) =>
        outline.summaries.some(
          ({ account, format }, index) =>
            format === 'camt.054' &&
            account.key === accountKey &&
            (outline.days[index] ?? []).some(({ day }) => days.has(day)),
        ),
      );
      return found.map(({ file }) => file).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async placesOf(accountKey, span) {
      const key = [accountKey, span.fromDay, span.toDay].join(' ');
      const known = places.get(key) ?? placeAccount(memory, settings, [...files.values()], accountKey, span);
      places.set(key, known);
      for (const oldest of places.keys()) {
        if (places.size <= KEPT_PLACES) break;
        places.delete(oldest);
      }
      try {
        return await known;
      } catch (error) {
        places.delete(key);
        throw error;
      }
    },
  };
}

async function placeAccount(
  memory: FileMemory,
  settings: FileSettings,
  files: readonly Held[],
  accountKey: string,
  span: Span,
): Promise<AccountPlaces> {
  const days = new Map<string, Map<string, Spot>>();
  const isFinal = finalDays(
    files.map(({ outline }) => outline),
    accountKey,
  );
  const ordered = files.toSorted((a, b) => (a.file.name < b.file.name ? -1 : 1));
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
  const distinct = new Map([...days].map(([day, spots]) => [day, withoutRepeats(spots)]));
  const disputed = withNeighbours(distinct).filter(
    ([day, spots]) => spots.size > 1 && day >= span.fromDay && day <= span.toDay,
  );
  const segments = await readSegments(memory, settings, disputed);
  const placed = new Map<string, PlacedDay>();
  for (const [day, spots] of disputed) {
    const found = [...spots.keys()].flatMap((key) => segments.get(`${day} ${key}`) ?? []);
    const { indexes, totals } = placeRows(found);
    for (const { id, rows } of found) {
      const byKind = new Map<string, number[]>();
      for (const [position, { kind }] of rows.entries()) {
        const ofKind = byKind.get(kind) ?? [];
        ofKind.push(indexes.get(id)?.[position] ?? 0);
        byKind.set(kind, ofKind);
      }
      placed.set(id, { indexes: byKind, totals });
    }
  }
  return {
    isFinal,
    placedDay: (told) => {
      const key = keyAmong(distinct.get(told.day) ?? new Map(), told);
      return placed.get(`${told.day} ${key}`) ?? null;
    },
  };
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
  memory: FileMemory,
  settings: FileSettings,
  days: readonly (readonly [string, ReadonlyMap<string, Spot>])[],
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
    const content = await memory.read(file, settings);
    if (content.kind === 'pending') continue;
    for (const { id, day, spot } of asked) {
      const found = content.statements[spot.statement];
      const { beginsDay, endsDay } = spot;
      if (found !== undefined) segments.set(id, segmentOf(id, found, day, { beginsDay, endsDay }));
    }
  }
  return segments;
}
