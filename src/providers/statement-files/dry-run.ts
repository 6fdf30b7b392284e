import { type DryRun, ProviderError } from '../bank-provider.ts';
import type { FileContent, FileOutline } from './file-content.ts';
import type { FileMemory } from './file-memory.ts';
import type { FileSettings } from './file-settings.ts';
import { portRow } from './incoming-rows.ts';
import { accountsWithReports } from './intraday-balances.ts';
import type { Asker } from './large-files.ts';
import { formatAndCharset } from './read-parts.ts';
import type { StatementNote } from './statement.ts';
import { lookAt, namesIn, readUnchanged, type StatementFile } from './statements-folder.ts';

/** The most rows shown of a file. */
const SHOWN_ROWS = 20;
/** The most accounts, faults and notes shown of a file. */
const SHOWN = 50;

type Looked = Awaited<ReturnType<typeof lookAt>>;

/**
 * The most recently changed file of a folder, of two equally recent ones the later by name; null when no file is
 * complete.
 * @throws ProviderError
 */
export async function newestIn(folder: string, nowMs: number, settleMs: number): Promise<Looked> {
  let newest: StatementFile | null = null;
  for (const name of (await namesIn(folder)).names) {
    const file = await lookAt(folder, name, nowMs, settleMs);
    if (file === null || file === 'being-written' || 'source' in file) continue;
    if (newest === null || file.mtimeMs >= newest.mtimeMs) newest = file;
  }
  return newest;
}

/** @throws ProviderError for a file that does not exist or is not complete yet */
export async function dryRunOf(
  name: string | null,
  found: Looked,
  asker: Asker & { readonly settings: FileSettings },
  memory: FileMemory,
): Promise<DryRun> {
  if (found === null) {
    const message = name === null ? 'the folder holds no file' : 'the folder holds no file of that name';
    throw new ProviderError('permanent', 'STATEMENT_FILE_NOT_FOUND', message);
  }
  if (found === 'being-written') throw beingWritten();
  const nothing = { format: null, charset: null, accounts: [], rowCount: 0, rows: [], notes: [] };
  if ('source' in found) return { file: found.source, ...nothing, refused: [found] };
  const known = await memory.outline(found, { ...asker, again: true });
  const content = await memory.read(found, asker);
  if (known === null || content === null) throw beingWritten();
  const { outline } = known;
  // Payments of a notification are recorded only with the booking of their batch.
  const booked = outline.summaries.flatMap(({ format }, index) => (format === 'camt.054' ? [] : [index]));
  const { rows, notes, rowCount } = await firstRows(content, outline, booked);
  const detected = await readUnchanged(found, (source) => formatAndCharset(source, asker.settings));
  return {
    file: found.name,
    format: detected?.format ?? null,
    charset: detected?.charset ?? null,
    accounts: accountsWithReports(outline.summaries).slice(0, SHOWN),
    rowCount,
    rows,
    refused: outline.faults.slice(0, SHOWN),
    notes: [...outline.notes, ...notes.map((note) => ({ ...note, source: found.name }))].slice(0, SHOWN),
  };
}

function beingWritten(): ProviderError {
  return new ProviderError('transient', 'STATEMENT_FILE_BEING_WRITTEN', 'the file is still being written');
}

/** The first rows of the statements with these numbers. */
async function firstRows(content: FileContent, { summaries }: FileOutline, booked: readonly number[]) {
  const rows: DryRun['rows'][number][] = [];
  const notes: StatementNote[] = [];
  let rowCount = 0;
  const keys = new Set(booked.map((index) => summaries[index]?.account.key ?? ''));
  for (const key of keys) {
    for (const statement of await content.statementsOf(key)) {
      if (!booked.includes(statement.index)) continue;
      rowCount += statement.runs.reduce((sum, { count }) => sum + count, 0);
      notes.push(...statement.notes.slice(0, SHOWN - notes.length));
      const shown = await statement.rows.slice(0, SHOWN_ROWS - rows.length);
      rows.push(...shown.map((row) => ({ ...portRow(row), providerAccountId: key })));
    }
  }
  return { rows, notes, rowCount };
}
