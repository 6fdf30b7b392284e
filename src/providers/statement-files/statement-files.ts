import { setTimeout as pause } from 'node:timers/promises';
import {
  type BankProvider,
  type PageRequest,
  ProviderError,
  type ProviderPage,
  type ProviderSession,
  type ProviderTransaction,
  type SourceFault,
} from '../bank-provider.ts';
import { type Batches, batchesOf, daysWithReferences, withPayments } from './batch-details.ts';
import type { BookedRow } from './booked-rows.ts';
import { dryRunOf, newestIn } from './dry-run.ts';
import type { FileContent, FileOutline } from './file-content.ts';
import { FILE_CREDENTIALS } from './file-credentials.ts';
import { openFileMemory } from './file-memory.ts';
import { fileSettingsOf } from './file-settings.ts';
import { type FolderReading, readingFolder } from './folder-exchange.ts';
import { type AccountPlaces, openFolderIndexes } from './folder-index.ts';
import type { FolderOwners } from './folder-owners.ts';
import { incomingRows } from './incoming-rows.ts';
import { accountsWithReports } from './intraday-balances.ts';
import { type Asker, type LargeFiles, openLargeFiles } from './large-files.ts';
import { lookAt, namesIn, openFolder, type StatementFile } from './statements-folder.ts';

/** Rows of one page: of one large file, or of many small ones, since each page is recorded. */
const PAGE_SIZE = 2_000;
/** Stated balances after which a page takes no further file: they are part of one event. */
const MOST_STATED = 500;
const SETTLE_MS = 2_000;
/** A file of 1 GiB takes minutes, and others may be read before it. */
const LONGEST_CALL_MS = 30 * 60_000;
/** Notes of one file on a page: a bank's habit repeats in every statement. */
const MOST_NOTES = 20;
/** Notes of a folder: files that are no statements may lie there for ever. */
const MOST_FOLDER_NOTES = 50;

/**
 * The bank behind a folder of statement files, the way banks deliver over SFTP or EBICS. A statement is taken whole
 * or, when anything in it is wrong, not at all, and then named as a fault: by `discoverAccounts`, and by a page for a
 * file that came after it. Files are read in the order of their names, each anew at every sync; stamps make that
 * harmless.
 * @param options.largeFiles reads those that are too large to be read where they are asked for; the caller closes it
 * @param options.settleMs a file that changed within so many milliseconds is taken to be still written; 2,000 unless
 * given. It is waited for once when the accounts are asked for; one that still changes then is noted and left for the
 * next sync
 * @param options.wait rejects when the signal aborts
 */
export function createStatementFiles(options: {
  statementsDir: string;
  folderOwners: FolderOwners;
  largeFiles?: LargeFiles;
  settleMs?: number;
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}): BankProvider {
  const { statementsDir, folderOwners, settleMs = SETTLE_MS } = options;
  const { wait = (ms, signal) => pause(ms, undefined, { signal }) } = options;
  const memory = openFileMemory(options.largeFiles ?? openLargeFiles({ folder: null }));
  const indexOf = openFolderIndexes(memory);

  /** The settled files from a name on, in the order of their names; a fault for each that cannot be looked at. */
  async function* filesFrom(
    session: ProviderSession,
    reading: FolderReading & { readonly changing?: (name: string) => void },
    first: string,
  ): AsyncGenerator<StatementFile | SourceFault> {
    const { credentials, nowMs, signal } = session;
    const folder = await openFolder(statementsDir, credentials.folder, session, folderOwners);
    const { names, unfinished } = await namesIn(folder);
    for (const name of unfinished) reading.beingWritten(name);
    for (const name of names) {
      if (signal.aborted) throw new ProviderError('transient', 'PROVIDER_REQUEST_ABORTED', 'the reading was given up');
      const file = name < first ? null : await lookAt(folder, name, nowMs, settleMs);
      if (file === 'being-written') {
        reading.beingWritten(name);
        reading.changing?.(name);
      } else if (file !== null) yield file;
    }
  }

  async function settled(signal: AbortSignal): Promise<void> {
    try {
      await wait(settleMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new ProviderError('transient', 'PROVIDER_REQUEST_ABORTED', 'the reading was given up');
    }
  }

  /** Every file of the folder: what is known of it, and which cannot be looked at or changed a moment ago. */
  async function lookThrough(session: ProviderSession, reading: FolderReading) {
    const settings = fileSettingsOf(session.credentials);
    const listed: { file: StatementFile; outline: FileOutline }[] = [];
    const broken: SourceFault[] = [];
    const changing: string[] = [];
    const noting = { ...reading, changing: (name: string) => void changing.push(name) };
    for await (const file of filesFrom(session, noting, '')) {
      if (isFault(file)) {
        reading.broken(file);
        broken.push(file);
        continue;
      }
      const known = await memory.outline(file, { ...askerOf(session), settings, again: true });
      reading.looked(file, known?.outline ?? null);
      if (known === null) changing.push(file.name);
      else listed.push({ file, outline: known.outline });
    }
    return { listed, broken, changing };
  }

  /** What notifications list of batches on the days of these rows. */
  async function batchesFor(
    session: ProviderSession,
    accountKey: string,
    listings: Parameters<typeof daysWithReferences>[0],
  ): Promise<Batches> {
    const settings = fileSettingsOf(session.credentials);
    const days = daysWithReferences(listings);
    const notifications: BookedRow[][] = [];
    for (const file of indexOf(folderKey(session), settings).notificationsOf(accountKey, days)) {
      const content = await memory.read(file, { ...askerOf(session), settings });
      for (const { format, runs, rows } of (await content?.statementsOf(accountKey)) ?? []) {
        if (format !== 'camt.054') continue;
        const payments: BookedRow[] = [];
        for (const { day, first, count } of runs) {
          if (days.has(day)) payments.push(...(await rows.slice(first, first + count)));
        }
        notifications.push(payments);
      }
    }
    return batchesOf(accountKey, notifications);
  }

  return {
    longestCallMs: LONGEST_CALL_MS,
    description: {
      bankCode: 'statement-files',
      name: 'Statement files (camt, MT940, MT942, OFX, BAI2, CSV)',
      country: null,
      environments: ['production'],
      credentials: { production: FILE_CREDENTIALS },
      limits: { windowDays: null, pageSize: PAGE_SIZE, syncsPerDay: null },
    },

    discoverAccounts: (session) =>
      readingFolder(session, {}, async (reading) => {
        let found = await lookThrough(session, reading);
        if (found.changing.length > 0) {
          await settled(session.signal);
          found = await lookThrough({ ...session, nowMs: session.nowMs + settleMs }, reading.again());
        }
        const { listed, broken, changing } = found;
        indexOf(folderKey(session), fileSettingsOf(session.credentials)).list(listed);
        const outlines = listed.map(({ outline }) => outline);
        const accounts = accountsWithReports(outlines.flatMap(({ summaries }) => summaries));
        const faults = [...broken, ...outlines.flatMap((outline) => outline.faults)];
        const [name] = changing;
        if (name !== undefined && accounts.length === 0 && faults.length === 0) {
          throw new ProviderError('transient', 'STATEMENT_FILE_BEING_WRITTEN', `${name}: ${STILL_WRITTEN}`);
        }
        const notes = [...changing.map(beingWritten), ...outlines.flatMap((outline) => outline.notes)];
        return { accounts, faults, notes: notes.slice(0, MOST_FOLDER_NOTES) };
      }),

    fetchPage: (session, request) =>
      readingFolder(session, askedOf(request), async (reading): Promise<ProviderPage> => {
        const settings = fileSettingsOf(session.credentials);
        const asker = askerOf(session);
        const index = indexOf(folderKey(session), settings);
        const start = request.cursor === null ? null : parseCursor(request.cursor);
        const faults: SourceFault[] = [];
        let page: Filled = { listings: [], statedBalances: [], notes: [] };
        for await (const file of filesFrom(session, reading, start?.name ?? '')) {
          // What cannot be looked at was named when the accounts were asked for.
          if (isFault(file)) continue;
          const known = await memory.outline(file, { ...asker, settings, again: false });
          if (known === null) continue;
          if (known.fresh) faults.push(...known.outline.faults);
          index.learn(file, known.outline);
          const { providerAccountId } = request.account;
          if (!tellsOf(known.outline, request)) continue;
          // Files of other accounts are told of with their account.
          reading.looked(file, known.outline);
          // Days of a bank lie up to one beside those of UTC.
          const span = { fromDay: daysFrom(request.fromDay, -1), toDay: request.toDay };
          const places = index.placesOf(providerAccountId, span);
          const room = PAGE_SIZE - rowsOn(page);
          if (room <= 0 || page.statedBalances.length >= MOST_STATED) {
            return { ...page, withdrawn: [], faults, nextCursor: cursorOf(file, 0) };
          }
          const content = await memory.read(file, { ...asker, settings });
          if (content === null) continue;
          const skip = start?.name === file.name && start.version === versionOf(file) ? start.skip : 0;
          const {
            next: after,
            numbers,
            faults: ofPage,
            ...part
          } = await pageOf({ file, content, outline: known.outline, places, asker }, request, { skip, room });
          faults.push(...ofPage);
          const batches = await batchesFor(session, providerAccountId, part.listings);
          const { listings, kept } = withPayments(part.listings, batches);
          const next = kept === null ? after : (numbers[kept] ?? after);
          page = {
            listings: [...page.listings, ...listings],
            statedBalances: [...page.statedBalances, ...part.statedBalances],
            notes: [...page.notes, ...part.notes].slice(0, MOST_FOLDER_NOTES),
          };
          if (next !== null) return { ...page, withdrawn: [], faults, nextCursor: cursorOf(file, next) };
        }
        return { ...page, withdrawn: [], faults, nextCursor: null };
      }),

    // Where no grant is needed, the folder may be created after the credentials are put.
    checkAccess: async (asked) => {
      if (!(await folderOwners.needsGrant())) return;
      await openFolder(statementsDir, asked.credentials.folder, asked, folderOwners);
    },

    dryRun: async (session, name) => {
      const { credentials, nowMs, signal } = session;
      const folder = await openFolder(statementsDir, credentials.folder, session, folderOwners);
      const found =
        name === null ? await newestIn(folder, nowMs, settleMs) : await lookAt(folder, name, nowMs, settleMs);
      signal.throwIfAborted();
      return dryRunOf(name, found, { ...askerOf(session), settings: fileSettingsOf(credentials) }, memory);
    },
  };
}

const STILL_WRITTEN = 'the file is still being written; it is tried again';

function beingWritten(source: string): SourceFault {
  return { code: 'STATEMENT_FILE_BEING_WRITTEN', message: STILL_WRITTEN, source, place: null };
}

function askerOf({ tenantId, signal }: ProviderSession): Asker {
  return { tenantId, signal };
}

/** A folder is one tenant's. */
function folderKey({ tenantId, credentials }: ProviderSession): string {
  return `${tenantId}/${String(credentials.folder)}`;
}

function askedOf({ account, fromDay, toDay, cursor }: PageRequest): Record<string, string> {
  return { account: account.providerAccountId, from: fromDay, to: toDay, ...(cursor === null ? {} : { cursor }) };
}

function isFault(file: StatementFile | SourceFault): file is SourceFault {
  return 'source' in file;
}

type Filled = Required<Pick<ProviderPage, 'listings' | 'statedBalances' | 'notes'>>;

function rowsOn({ listings }: Filled): number {
  return listings.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Whether any row or balance of a file may be asked for: the days of a bank lie up to one beside those of UTC. */
function tellsOf({ summaries, days }: FileOutline, { account, fromDay, toDay }: PageRequest): boolean {
  const [first, last] = [daysFrom(fromDay, -1), toDay];
  return summaries.some(({ account: { key }, format, closingDay }, index) => {
    // Payments of a notification are looked up where their batch is booked.
    if (format === 'camt.054') return false;
    const told = [closingDay, ...(days[index] ?? []).map(({ day }) => day)];
    return key === account.providerAccountId && told.some((day) => day >= first && day <= last);
  });
}

function daysFrom(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

type Sought = {
  readonly file: StatementFile;
  readonly content: FileContent;
  readonly outline: FileOutline;
  readonly places: AccountPlaces;
  readonly asker: Asker;
};

/**
 * The account's rows of a file from the `skip`th on, as many as there is room for; what the statements state goes with
 * the first.
 */
async function pageOf(
  { file, content, outline, places, asker }: Sought,
  request: PageRequest,
  { skip, room }: { readonly skip: number; readonly room: number },
) {
  const { account, fromDay, toDay } = request;
  const within = (day: string): boolean => day >= fromDay && day < toDay;
  const all = await content.statementsOf(account.providerAccountId);
  const own = all.filter(({ format }) => format !== 'camt.054');
  const listings: { listing: string; rows: ProviderTransaction[] }[] = [];
  const faults: SourceFault[] = [];
  /** The number of each listed row among all that are asked for. */
  const numbers: number[] = [];
  let [seen, taken] = [0, 0];
  for (const { index, rows, runs } of own) {
    const isLeftOut = outline.summaries[index]?.intraday == null ? () => false : places.isFinal;
    const booked: BookedRow[] = [];
    const bookedNumbers: number[] = [];
    const begun = new Set<string>();
    for (const { day, date, first, count } of runs) {
      if (!within(date) || isLeftOut(day)) continue;
      const from = Math.max(0, skip - seen);
      const to = Math.min(count, from + room - taken);
      const before = seen;
      seen += count;
      if (from >= to) continue;
      taken += to - from;
      if (from === 0) begun.add(day);
      for (const row of await rows.slice(first + from, first + to)) booked.push(row);
      for (let at = from; at < to; at += 1) bookedNumbers.push(before + at);
    }
    const days = new Set(booked.map(({ day }) => day));
    const told = (outline.days[index] ?? []).filter(({ day }) => days.has(day));
    const placesOfDays = await places.placedDays(told, asker);
    for (const day of days) {
      // Said with the first page of its rows only.
      if (placesOfDays(day) === 'too-many' && begun.has(day)) faults.push(tooManyRows(file.name, day));
    }
    const incoming = incomingRows(account.providerAccountId, booked, placesOfDays);
    numbers.push(...bookedNumbers.filter((_, at) => placesOfDays(booked[at]?.day ?? '') !== 'too-many'));
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
    next: skip + taken < seen ? skip + taken : null,
  };
}

function tooManyRows(source: string, day: string): SourceFault {
  const message =
    `several statements list rows of ${day} in different ways, and they are too many to be compared; ` +
    'none of these is imported until only one of the files is left in the folder';
  return { code: 'STATEMENT_DAY_TOO_LARGE', message, source, place: day };
}

function versionOf({ size, mtimeMs }: StatementFile): string {
  return `${size}-${mtimeMs}`;
}

function cursorOf(file: StatementFile, skip: number): string {
  return Buffer.from(JSON.stringify([file.name, versionOf(file), skip])).toString('base64url');
}

/** A file that changed since the cursor was given is begun anew; one that is gone is passed over. */
function parseCursor(cursor: string): { name: string; version: string; skip: number } {
  try {
    const [name, version, skip] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof name === 'string' && typeof version === 'string' && Number.isSafeInteger(skip) && skip >= 0) {
      return { name, version, skip };
    }
  } catch {
    // Not JSON: refused below like any other text that is no cursor.
  }
  throw new ProviderError('permanent', 'PROVIDER_CURSOR_INVALID', 'not a cursor of a statements folder');
}
