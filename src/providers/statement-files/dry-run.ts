import { type DryRun, ProviderError } from '../bank-provider.ts';
import type { FileMemory } from './file-memory.ts';
import type { FileSettings } from './file-settings.ts';
import { portRow } from './incoming-rows.ts';
import { accountsWithReports } from './intraday-balances.ts';
import { formatAndCharset } from './read-parts.ts';
import { isNoted } from './statement.ts';
import type { FiledStatement } from './statement-file.ts';
import { lookAt, namesIn, readUnchanged, type StatementFile } from './statements-folder.ts';

/** Rows shown of a file. */
const SHOWN_ROWS = 20;
/** Accounts, faults and notes shown of a file. */
const SHOWN = 50;

type Looked = Awaited<ReturnType<typeof lookAt>>;

/**
 * The file of a folder that changed last, of two the one that stands later; null for none that is whole.
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

/** @throws ProviderError for a file that is not there or not whole yet */
export async function dryRunOf(
  name: string | null,
  found: Looked,
  settings: FileSettings,
  memory: FileMemory,
): Promise<DryRun> {
  if (found === null) {
    const message = name === null ? 'the folder holds no file' : 'the folder holds no file of that name';
    throw new ProviderError('permanent', 'STATEMENT_FILE_NOT_FOUND', message);
  }
  if (found === 'being-written') throw beingWritten();
  const nothing = { format: null, charset: null, accounts: [], rowCount: 0, rows: [], notes: [] };
  if ('source' in found) return { file: found.source, ...nothing, refused: [found] };
  const content = await memory.read(found, settings);
  if (content.kind === 'pending') throw beingWritten();
  const { statements, faults } = content;
  // Payments of a notification come in with the booking of their batch alone.
  const booked = statements.filter((statement) => statement.format !== 'camt.054');
  const notes = statements.flatMap((one) => one.notes.map((note) => ({ ...note, source: found.name })));
  const detected = await readUnchanged(found, (source) => formatAndCharset(source, settings));
  return {
    file: found.name,
    format: detected?.format ?? null,
    charset: detected?.charset ?? null,
    accounts: accountsWithReports(statements.map(({ summary }) => summary)).slice(0, SHOWN),
    rowCount: booked.reduce((sum, { rows }) => sum + rows.length, 0),
    rows: firstRows(booked),
    refused: faults.filter((fault) => !isNoted(fault)).slice(0, SHOWN),
    notes: [...faults.filter(isNoted), ...notes].slice(0, SHOWN),
  };
}

function beingWritten(): ProviderError {
  return new ProviderError('transient', 'STATEMENT_FILE_BEING_WRITTEN', 'the file is still being written');
}

function firstRows(statements: readonly FiledStatement[]): DryRun['rows'] {
  const shown: DryRun['rows'][number][] = [];
  for (const { account, rows } of statements) {
    for (const row of rows) {
      if (shown.length === SHOWN_ROWS) return shown;
      shown.push({ ...portRow(row), providerAccountId: account.key });
    }
  }
  return shown;
}
