import { ProviderError, type ProviderSession, type SourceFault } from '../bank-provider.ts';
import type { FileOutline } from './file-content.ts';
import type { StatementFile } from './statements-folder.ts';

/** Records what is seen in a folder while it is read. */
export type FolderReading = {
  readonly beingWritten: (name: string) => void;
  readonly broken: (fault: SourceFault) => void;
  /** The outline is null for a file that turned out to be still being written. */
  readonly looked: (file: StatementFile, outline: FileOutline | null) => void;
  /** Everything requested from the file is already recorded. */
  readonly leftOut: (file: StatementFile, outline: FileOutline) => void;
  /** Discards what was seen, because the folder is read through once more. */
  readonly again: () => FolderReading;
};

/** More than a record holds anyway. */
const MOST_FILES = 1_000;

/**
 * Reads a folder and records that as an exchange with a bank: which files are there, their sizes and digests, what was
 * read from them and why others were skipped; never their contents.
 * @throws whatever the reading throws
 */
export async function readingFolder<Answer>(
  session: ProviderSession,
  asked: Readonly<Record<string, string>>,
  read: (reading: FolderReading) => Promise<Answer>,
): Promise<Answer> {
  const files: Record<string, unknown>[] = [];
  let seen = 0;
  const note = (file: () => Record<string, unknown>): void => {
    seen += 1;
    if (seen <= MOST_FILES) files.push(file());
  };
  const query = new URLSearchParams(asked).toString();
  const url = `statements:///${encodeURI(String(session.credentials.folder))}${query === '' ? '' : `?${query}`}`;
  const request = { method: 'READ', url, request: { headers: {}, body: null } } as const;
  session.countRequest();
  const state = (error: Record<string, unknown>): void => {
    const body = JSON.stringify({ ...error, seen, files });
    session.exchanged({
      ...request,
      response: { status: null, headers: { 'content-type': 'application/json' }, body },
    });
  };
  try {
    const reading: FolderReading = {
      beingWritten: (name) => note(() => ({ name, skipped: 'still being written' })),
      broken: ({ source, code, message, place }) => note(() => ({ name: source, skipped: code, message, place })),
      looked: (file, outline) => note(() => seenOf(file, outline)),
      leftOut: (file, outline) =>
        note(() => ({ ...seenOf(file, outline), leftOut: 'unchanged since it was recorded' })),
      again: () => {
        files.length = 0;
        seen = 0;
        return reading;
      },
    };
    const answer = await read(reading);
    state({});
    return answer;
  } catch (error) {
    state(error instanceof ProviderError ? { error: error.code, message: error.message } : { error: 'unforeseen' });
    throw error;
  }
}

function seenOf({ name, size }: StatementFile, outline: FileOutline | null): Record<string, unknown> {
  if (outline === null) return { name, size, skipped: 'still being written' };
  const { sha256, summaries, rows, faults, notes } = outline;
  const refused = [...faults, ...notes].map(({ code, message, place }) => ({ skipped: code, message, place }));
  const [first] = refused;
  if (summaries.length === 0 && first !== undefined) {
    return { name, size, sha256, ...first, ...(refused.length > 1 ? { refused } : {}) };
  }
  const accounts = [...new Set(summaries.map(({ account }) => account.key))];
  const read = { name, size, sha256, statements: summaries.length, rows, accounts };
  return refused.length === 0 ? read : { ...read, refused };
}
