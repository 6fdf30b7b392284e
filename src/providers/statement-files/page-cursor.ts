import { ProviderError } from '../bank-provider.ts';
import type { StatementFile } from './statements-folder.ts';

/** Where a page begins: a file and its version at that time, and how many of its rows come before, requested or not. */
export type PageStart = { readonly name: string; readonly version: string; readonly skip: number };

export function versionOf({ size, mtimeMs }: StatementFile): string {
  return `${size}-${mtimeMs}`;
}

export function cursorOf(file: StatementFile, skip: number): string {
  return Buffer.from(JSON.stringify([file.name, versionOf(file), skip])).toString('base64url');
}

/**
 * A file that changed since the cursor was issued is read from its start; one that is gone is skipped.
 * @throws ProviderError (permanent)
 */
export function parseCursor(cursor: string): PageStart {
  try {
    const [name, version, skip] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof name === 'string' && typeof version === 'string' && Number.isSafeInteger(skip) && skip >= 0) {
      return { name, version, skip };
    }
  } catch {
    // Not JSON: refused below like any other text that is not a cursor.
  }
  throw new ProviderError('permanent', 'PROVIDER_CURSOR_INVALID', 'not a cursor of a statements folder');
}
