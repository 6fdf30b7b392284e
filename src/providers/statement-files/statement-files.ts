import { setTimeout as pause } from 'node:timers/promises';
import {
  type BankProvider,
  type PageRequest,
  ProviderError,
  type ProviderPage,
  type ProviderSession,
  type SourceFault,
} from '../bank-provider.ts';
import { type Batches, batchesOf, listedDays, withPayments } from './batch-details.ts';
import type { BookedRow } from './booked-rows.ts';
import { dryRunOf, newestIn } from './dry-run.ts';
import type { FileOutline } from './file-content.ts';
import { FILE_CREDENTIALS } from './file-credentials.ts';
import { openFileDays, spanOf } from './file-days.ts';
import { openFileMemory } from './file-memory.ts';
import { pageOf } from './file-page.ts';
import { type FileSettings, fileSettingsOf } from './file-settings.ts';
import { type FolderReading, readingFolder } from './folder-exchange.ts';
import { openFolderIndexes } from './folder-index.ts';
import type { FolderOwners } from './folder-owners.ts';
import { accountsWithReports } from './intraday-balances.ts';
import { type Asker, type LargeFiles, openLargeFiles } from './large-files.ts';
import { cursorOf, parseCursor, versionOf } from './page-cursor.ts';
import { openRecordedDays } from './recorded-days.ts';
import { lookAt, namesIn, openFolder, type StatementFile } from './statements-folder.ts';

/** The most rows of one page, from one large file or from many small ones: each page is recorded by itself. */
const PAGE_SIZE = 200;
/** A page with this many stated balances takes no further file: they are all part of one event. */
const MOST_STATED = 500;
const SETTLE_MS = 2_000;
/** A file of 1 GiB takes minutes, and others may be read before it. */
const LONGEST_CALL_MS = 30 * 60_000;
/** The most notes of a folder: files that are not statements may stay there forever. */
const MOST_FOLDER_NOTES = 50;

/**
 * A bank provider that reads a folder of statement files, as banks deliver them over SFTP or EBICS. A statement is
 * imported as a whole or, if anything in it is wrong, not at all, and is then reported as a fault: by
 * `discoverAccounts`, or by a page for a file that arrived after that. Files are read in the order of their names. What
 * a sync of the connection has recorded is left out as long as no file about these days changes; anything else is
 * listed again, which is harmless because stamps identify the rows.
 * @param options.largeFiles reads the files that are too large to be read in this thread; the caller closes it
 * @param options.settleMs a file that changed within this many milliseconds counts as still being written; 2,000 by
 * default. `discoverAccounts` waits for it once; a file that still changes then is noted and left for the next sync
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
  const recordedDays = openRecordedDays();

  /** The settled files among those wanted, in the order of their names; a fault for each that cannot be inspected. */
  async function* filesOf(
    session: ProviderSession,
    reading: FolderReading & { readonly changing?: (name: string) => void },
    isWanted: (name: string) => boolean,
  ): AsyncGenerator<StatementFile | SourceFault> {
    const { credentials, nowMs, signal } = session;
    const folder = await openFolder(statementsDir, credentials.folder, session, folderOwners);
    const { names, unfinished } = await namesIn(folder);
    for (const name of unfinished) reading.beingWritten(name);
    for (const name of names) {
      if (signal.aborted) throw new ProviderError('transient', 'PROVIDER_REQUEST_ABORTED', 'reading was cancelled');
      const file = isWanted(name) ? await lookAt(folder, name, nowMs, settleMs) : null;
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
      throw new ProviderError('transient', 'PROVIDER_REQUEST_ABORTED', 'reading was cancelled');
    }
  }

  /** Every file of the folder: the outlines, the files that cannot be inspected, and those that have just changed. */
  async function lookThrough(session: ProviderSession, reading: FolderReading) {
    const settings = fileSettingsOf(session.credentials);
    const listed: { file: StatementFile; outline: FileOutline }[] = [];
    const broken: SourceFault[] = [];
    const changing: string[] = [];
    const noting = { ...reading, changing: (name: string) => void changing.push(name) };
    for await (const file of filesOf(session, noting, () => true)) {
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

  /** The batches that notifications list for the days of these rows. */
  async function batchesFor(
    session: ProviderSession,
    accountKey: string,
    listings: Parameters<typeof listedDays>[0],
  ): Promise<Batches> {
    const settings = fileSettingsOf(session.credentials);
    const days = listedDays(listings);
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
    isAtHand: true,
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
        const { providerAccountId } = request.account;
        const start = request.cursor === null ? null : parseCursor(request.cursor);
        const days = recordedDays.openPage(recordingKey(session, settings, providerAccountId), request.cursor);
        const faults: SourceFault[] = [];
        let page: Filled = { listings: [], statedBalances: [], notes: [], unchanged: 0 };
        const ending = (nextCursor: string | null): ProviderPage => {
          days.noted(page.notes);
          const recorded = (): void =>
            days.recorded(nextCursor, (visited) => index.daysOfOthers(providerAccountId, visited));
          return { ...page, withdrawn: [], faults, nextCursor, recorded };
        };
        // The accounts were listed a moment ago: a file still states the same accounts.
        const isWanted = (name: string): boolean =>
          name >= (start?.name ?? '') && index.mayState(name, providerAccountId);
        for await (const file of filesOf(session, reading, isWanted)) {
          // Files that cannot be inspected were reported when the accounts were listed.
          if (isFault(file)) continue;
          const known = await memory.outline(file, { ...asker, settings, again: false });
          if (known === null) continue;
          const { outline } = known;
          if (known.fresh) faults.push(...outline.faults);
          index.learn(file, outline);
          const listedAll = (): void => days.visited(index.numberOf(outline));
          const places = index.placesOf(providerAccountId, spanOf(request));
          const ofFile = openFileDays({ name: file.name, outline, places }, request, days);
          if (!ofFile.areAsked) {
            listedAll();
            continue;
          }
          const skip = start?.name === file.name && start.version === versionOf(file) ? start.skip : 0;
          if (skip === 0 && ofFile.areAllLeftOut) {
            reading.leftOut(file, outline);
            ofFile.noteListed([]);
            listedAll();
            page = filled(page, { unchanged: ofFile.rowsLeftOut, notes: days.notesOf(file.name) });
            continue;
          }
          // Files of other accounts are recorded when the pages of their account are read.
          reading.looked(file, outline);
          const room = PAGE_SIZE - rowsOn(page);
          if (room <= 0 || page.statedBalances.length >= MOST_STATED) return ending(cursorOf(file, 0));
          const content = await memory.read(file, { ...asker, settings });
          if (content === null) {
            ofFile.noteListed(null);
            continue;
          }
          const { isLeftOut, rowsLeftOut } = ofFile;
          const {
            next: after,
            numbers,
            faults: ofPage,
            ...part
          } = await pageOf({ file, content, outline, places, isLeftOut, asker }, request, { skip, room });
          faults.push(...ofPage);
          const batches = await batchesFor(session, providerAccountId, part.listings);
          const { listings, kept, unclear } = withPayments(part.listings, batches);
          const notes = [...part.notes, ...[...unclear].map((day) => unclearBatch(file.name, day))];
          const next = kept === null ? after : (numbers[kept] ?? after);
          ofFile.noteListed(listings);
          page = filled(page, { ...part, listings, notes, unchanged: skip === 0 ? rowsLeftOut : 0 });
          if (next !== null) return ending(cursorOf(file, next));
          listedAll();
        }
        return ending(null);
      }),

    // If no grant is needed, the folder may be created after the credentials are set.
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

function unclearBatch(source: string, day: string): SourceFault {
  const message =
    'several bookings or batches of the day have one amount, and no reference (AcctSvcrRef) says which payments ' +
    'belong to which booking; they stay one row each';
  return { code: 'STATEMENT_DETAILS_DIFFER', message, source, place: day };
}

function beingWritten(source: string): SourceFault {
  return { code: 'STATEMENT_FILE_BEING_WRITTEN', message: STILL_WRITTEN, source, place: null };
}

function askerOf({ tenantId, signal }: ProviderSession): Asker {
  return { tenantId, signal };
}

/** Recorded days apply to one connection, its folder, the settings with which it is read, and one account. */
function recordingKey(session: ProviderSession, settings: FileSettings, accountKey: string): string {
  return [session.connectionId, folderKey(session), JSON.stringify(settings), accountKey].join('\u0000');
}

/** A folder belongs to one tenant. */
function folderKey({ tenantId, credentials }: ProviderSession): string {
  return `${tenantId}/${String(credentials.folder)}`;
}

function askedOf({ account, fromDay, toDay, cursor }: PageRequest): Record<string, string> {
  return { account: account.providerAccountId, from: fromDay, to: toDay, ...(cursor === null ? {} : { cursor }) };
}

function isFault(file: StatementFile | SourceFault): file is SourceFault {
  return 'source' in file;
}

type Filled = Required<Pick<ProviderPage, 'listings' | 'statedBalances' | 'notes' | 'unchanged'>>;

function filled(page: Filled, part: Partial<Filled>): Filled {
  const { listings = [], statedBalances = [], notes = [], unchanged = 0 } = part;
  return {
    listings: [...page.listings, ...listings],
    statedBalances: [...page.statedBalances, ...statedBalances],
    notes: [...page.notes, ...notes].slice(0, MOST_FOLDER_NOTES),
    unchanged: page.unchanged + unchanged,
  };
}

function rowsOn({ listings }: Filled): number {
  return listings.reduce((sum, { rows }) => sum + rows.length, 0);
}
