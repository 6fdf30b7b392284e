import type { FileContent, FileOutline, ReadFile } from './file-content.ts';
import type { FileSettings } from './file-settings.ts';
import { type Asker, failedFile, type LargeFiles } from './large-files.ts';
import { readSmallFile } from './small-file.ts';
import { readUnchanged, type StatementFile } from './statements-folder.ts';

/** The most outlines kept, and days in them; the oldest are dropped first. */
const KEPT_OUTLINES = 20_000;
const KEPT_DAYS = 500_000;

export type FileMemory = {
  /**
   * Null for a file that is being written. `fresh`: it was not known before.
   * @param again whether a file that could not be read for a temporary reason is read once more
   */
  readonly outline: (
    file: StatementFile,
    asker: Asker & { readonly settings: FileSettings; readonly again: boolean },
  ) => Promise<{ outline: FileOutline; fresh: boolean } | null>;
  /** Null for a file that is being written. */
  readonly read: (
    file: StatementFile,
    asker: Asker & { readonly settings: FileSettings },
  ) => Promise<FileContent | null>;
};

type Kept = { readonly outline: FileOutline; readonly passing: boolean };

/**
 * Avoids reading files again: keeps the outlines of files that have not changed, and the content of the small file read
 * last. `large` keeps the content of large files on disk.
 */
export function openFileMemory(large: LargeFiles): FileMemory {
  const outlines = new Map<string, Kept>();
  let days = 0;
  let last: { key: string; content: Promise<ReadFile> } | null = null;

  async function readKept(file: StatementFile, asker: Asker & { settings: FileSettings }): Promise<ReadFile> {
    const key = versionOf(file, asker.settings);
    if (large.isLarge(key, file)) return large.read(key, file, asker);
    if (last?.key !== key) last = { key, content: readSmall(file, asker.settings) };
    const content = await last.content;
    // A packed file that is too large for memory.
    return content.kind === 'read' && isTooMuch(content) ? large.read(key, file, asker) : content;
  }

  async function read(file: StatementFile, asker: Asker & { settings: FileSettings }): Promise<ReadFile> {
    const content = await readKept(file, asker);
    const key = versionOf(file, asker.settings);
    if (content.kind === 'read' && !outlines.has(key)) remember(key, content);
    return content;
  }

  function remember(key: string, { outline, passing }: Kept): void {
    forget(key);
    outlines.set(key, { outline, passing });
    days += daysIn(outline);
    for (const oldest of outlines.keys()) {
      if (outlines.size <= KEPT_OUTLINES && days <= KEPT_DAYS) break;
      forget(oldest);
    }
  }

  function forget(key: string): void {
    const known = outlines.get(key);
    if (known === undefined) return;
    outlines.delete(key);
    days -= daysIn(known.outline);
  }

  return {
    async read(file, asker) {
      const content = await read(file, asker);
      return content.kind === 'pending' ? null : content.content;
    },
    async outline(file, asker) {
      const key = versionOf(file, asker.settings);
      const known = outlines.get(key);
      if (known !== undefined && !(known.passing && asker.again)) return { outline: known.outline, fresh: false };
      forget(key);
      const content = await read(file, asker);
      if (content.kind === 'pending') return null;
      return { outline: outlines.get(key)?.outline ?? content.outline, fresh: true };
    },
  };
}

function daysIn({ days }: FileOutline): number {
  return days.reduce((sum, { length }) => sum + length, days.length);
}

/** A file that changed counts as another file, and so does one that is read with other settings. */
function versionOf({ path, size, mtimeMs }: StatementFile, settings: FileSettings): string {
  return `${path}\u0000${size}\u0000${mtimeMs}\u0000${JSON.stringify(settings)}`;
}

async function readSmall(file: StatementFile, settings: FileSettings): Promise<ReadFile> {
  try {
    const read = await readUnchanged(file, (source) => readSmallFile(source, file.name, settings));
    return read ?? { kind: 'pending' };
  } catch (error) {
    return failedFile(file, error);
  }
}

function isTooMuch({ outline }: Extract<ReadFile, { kind: 'read' }>): boolean {
  return outline.faults.some(({ code }) => code === 'STATEMENT_FILE_TOO_LARGE');
}
