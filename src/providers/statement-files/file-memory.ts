import type { SourceFault } from '../bank-provider.ts';
import { type DayOutline, outlineDays } from './day-outlines.ts';
import type { FileSettings } from './file-settings.ts';
import { isNoted } from './statement.ts';
import { type ClosingSummary, type ReadFile, readStatementFile } from './statement-file.ts';
import type { StatementFile } from './statements-folder.ts';

/** What is known of a file without reading it again. */
export type FileOutline = {
  readonly sha256: string | null;
  readonly summaries: readonly ClosingSummary[];
  /** For each statement, as `summaries`. */
  readonly days: readonly (readonly DayOutline[])[];
  readonly rows: number;
  readonly faults: readonly SourceFault[];
  /** What fails no sync: a file that is no statement at all, a batch whose payments do not add up. */
  readonly notes: readonly SourceFault[];
};

/** Outlines kept, the least used dropped first. */
const KEPT_OUTLINES = 20_000;

export type FileMemory = {
  /** Null for a file that is being written. `fresh`: nothing was known of it before. */
  readonly outline: (
    file: StatementFile,
    settings: FileSettings,
  ) => Promise<{ outline: FileOutline; fresh: boolean } | null>;
  readonly read: (file: StatementFile, settings: FileSettings) => Promise<ReadFile>;
};

/**
 * Spares reading files again: outlines of files that have not changed, and the whole of the file read last, so that
 * the pages of a large one cost one reading. Memory is bounded by one file, whatever the folder holds.
 */
export function openFileMemory(): FileMemory {
  const outlines = new Map<string, FileOutline>();
  let last: { key: string; content: Promise<ReadFile> } | null = null;

  async function read(file: StatementFile, settings: FileSettings): Promise<ReadFile> {
    const key = versionOf(file, settings);
    if (last?.key !== key) last = { key, content: readStatementFile(file, settings) };
    const content = await last.content;
    if (!outlines.has(key)) remember(key, content);
    return content;
  }

  function remember(key: string, content: ReadFile): void {
    if (content.kind === 'pending') return;
    outlines.delete(key);
    outlines.set(key, outlineOf(content));
    for (const oldest of outlines.keys()) {
      if (outlines.size <= KEPT_OUTLINES) break;
      outlines.delete(oldest);
    }
  }

  return {
    read,
    async outline(file, settings) {
      const known = outlines.get(versionOf(file, settings));
      if (known !== undefined) return { outline: known, fresh: false };
      const content = await read(file, settings);
      if (content.kind === 'pending') return null;
      return { outline: outlines.get(versionOf(file, settings)) ?? outlineOf(content), fresh: true };
    },
  };
}

/** A file that changed is another file, and one that is read in another way too. */
function versionOf({ path, size, mtimeMs }: StatementFile, settings: FileSettings): string {
  return `${path}\u0000${size}\u0000${mtimeMs}\u0000${JSON.stringify(settings)}`;
}

function outlineOf({ sha256, statements, faults }: Exclude<ReadFile, { kind: 'pending' }>): FileOutline {
  const rows = statements.reduce((sum, statement) => sum + statement.rows.length, 0);
  const summaries = statements.map(({ summary }) => summary);
  const days = statements.map(outlineDays);
  return {
    sha256,
    summaries,
    days,
    rows,
    faults: faults.filter((fault) => !isNoted(fault)),
    notes: faults.filter(isNoted),
  };
}
