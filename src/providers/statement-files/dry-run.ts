import { type DryRun, ProviderError, type SourceFault } from '../bank-provider.ts';
import type { ClosingSummary, FileContent } from './file-content.ts';
import type { FileMemory } from './file-memory.ts';
import type { FileSettings } from './file-settings.ts';
import { portRow } from './incoming-rows.ts';
import { accountsWithReports } from './intraday-balances.ts';
import type { Asker } from './large-files.ts';
import { formatAndCharset } from './read-parts.ts';
import { lookAt, namesIn, readUnchanged, type StatementFile } from './statements-folder.ts';

/** Rows shown of a file. */
const SHOWN_ROWS = 20;
/** Accounts, faults and notes shown of a file. */
const SHOWN = 50;
/** Statements of a file in which those are looked for. */
const LOOKED_AT = 1_000;

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
  const content = known === null ? null : await memory.read(found, asker);
  if (known === null || content === null) throw beingWritten();
  const { summaries, rows: rowCount, faults, notes } = known.outline;
  const shown = await firstOf(content, summaries, found.name);
  const detected = await readUnchanged(found, (source) => formatAndCharset(source, asker.settings));
  return {
    file: found.name,
    format: detected?.format ?? null,
    charset: detected?.charset ?? null,
    accounts: accountsWithReports(summaries).slice(0, SHOWN),
    rowCount,
    rows: shown.rows,
    refused: faults.slice(0, SHOWN),
    notes: [...notes, ...shown.notes].slice(0, SHOWN),
  };
}

function beingWritten(): ProviderError {
  return new ProviderError('transient', 'STATEMENT_FILE_BEING_WRITTEN', 'the file is still being written');
}

/** The first rows and notes, in the order of the file. */
async function firstOf(
  content: FileContent,
  summaries: readonly ClosingSummary[],
  source: string,
): Promise<Pick<DryRun, 'rows' | 'notes'>> {
  const rows: DryRun['rows'][number][] = [];
  const notes: SourceFault[] = [];
  for (const [index, { account }] of summaries.slice(0, LOOKED_AT).entries()) {
    const statement = (await content.statementsOf(account.key)).find((one) => one.index === index);
    if (statement === undefined) continue;
    for (const note of statement.notes) notes.push({ ...note, source });
    const count = statement.runs.reduce((sum, run) => sum + run.count, 0);
    const first = await statement.rows.slice(0, Math.min(count, SHOWN_ROWS - rows.length));
    for (const row of first) rows.push({ ...portRow(row), providerAccountId: account.key });
  }
  return { rows, notes };
}
