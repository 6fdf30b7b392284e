import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { lstat, open, readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { ProviderError, type SourceFault } from '../bank-provider.ts';
import { type ByteSource, bytesOfFile } from './byte-source.ts';
import type { FolderOwner, FolderOwners } from './folder-owners.ts';

export const FOLDER_LENGTH = 200;
/**
 * A grant: the first line of this file is the tenant, the second the company that may read its folder and those below.
 * Without a second line, the folder belongs to the whole tenant.
 */
export const OWNER_FILE = '.tenant';

/** Names under which transfers write before they rename. */
const UNFINISHED = /(^\.)|\.(tmp|part|filepart|crdownload)$/i;

export type StatementFile = {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
};

/**
 * Whether `folder` can be a folder below `STATEMENTS_DIR`: names between slashes, none of them hidden, none leading
 * upwards.
 */
export function isFolderName(folder: unknown): folder is string {
  if (typeof folder !== 'string' || folder.length > FOLDER_LENGTH) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return folder.split('/').every((name) => /^[^.\\:\u0000-\u001f][^\\:\u0000-\u001f]*$/.test(name));
}

/**
 * The real path of the folder that a connection's credentials name. Access is decided here, where files are about to be
 * read, and not when credentials are set: what a name refers to can change in between.
 * @throws ProviderError, the same for a folder that is missing, leads elsewhere or belongs to another company
 */
export async function openFolder(
  statementsDir: string,
  folder: unknown,
  owner: FolderOwner,
  owners: FolderOwners,
): Promise<string> {
  if (!isFolderName(folder)) {
    throw new ProviderError(
      'permanent',
      'PROVIDER_CREDENTIALS_INVALID',
      'the stored credentials name no statements folder',
    );
  }
  try {
    const root = await realpath(statementsDir);
    const path = await realpath(join(root, folder));
    const isFolder = isBelow(path, root) && (await lstat(path)).isDirectory();
    if (isFolder && (await belongsTo(root, path, owner, owners))) return path;
  } catch (error) {
    if (!isMissing(error) && !isRefused(error)) throw unavailable();
  }
  throw new ProviderError(
    'permanent',
    'STATEMENT_FOLDER_NOT_GRANTED',
    'the statements folder does not exist, or is not granted to this company',
  );
}

function unavailable(): ProviderError {
  return new ProviderError('transient', 'STATEMENTS_FOLDER_UNAVAILABLE', 'the statements folder cannot be read now');
}

async function belongsTo(root: string, path: string, owner: FolderOwner, owners: FolderOwners): Promise<boolean> {
  for (let folder = path; folder !== root; folder = dirname(folder)) {
    const granted = await grantIn(folder);
    if (granted === null) continue;
    const [tenantId, companyId = owner.companyId] = granted;
    return tenantId === owner.tenantId && companyId === owner.companyId;
  }
  const [topFolder = ''] = relative(root, path).split(sep);
  return owners.owns(owner, topFolder);
}

async function grantIn(folder: string): Promise<string[] | null> {
  try {
    return (await readFile(join(folder, OWNER_FILE), 'utf8')).trim().split(/\s*\n\s*/);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * The names of the folder's own entries, sorted; those under which transfers are still writing are listed separately.
 */
export async function namesIn(folder: string): Promise<{ names: string[]; unfinished: string[] }> {
  const names = await readdir(folder).catch(() => {
    throw unavailable();
  });
  names.sort();
  return {
    names: names.filter((name) => !UNFINISHED.test(name)),
    unfinished: names.filter((name) => UNFINISHED.test(name) && name !== OWNER_FILE),
  };
}

/**
 * A file of the folder as it is now; null for a subfolder and for a file that is gone; `being-written` for one that
 * changed within `settleMs` of now. A link is followed only within the folder, and not into a subfolder, which may
 * belong to another tenant.
 */
export async function lookAt(
  folder: string,
  name: string,
  nowMs: number,
  settleMs: number,
): Promise<StatementFile | SourceFault | 'being-written' | null> {
  try {
    const file = await inspect(folder, name);
    return file !== null && Math.abs(nowMs - file.mtimeMs) < settleMs ? 'being-written' : file;
  } catch (error) {
    return isMissing(error) ? null : unreadable(name, 'the file cannot be looked at');
  }
}

async function inspect(folder: string, name: string): Promise<StatementFile | null> {
  const entry = join(folder, name);
  const own = await lstat(entry);
  const path = own.isSymbolicLink() ? await realpath(entry) : entry;
  if (path !== entry && dirname(path) !== folder) throw new Error('a link out of the folder');
  const stats = path === entry ? own : await lstat(path);
  return stats.isFile() ? { name, path, size: stats.size, mtimeMs: stats.mtimeMs } : null;
}

/**
 * Reads a file as it was listed; null when it is gone or changed before or while it was read, and so is being written.
 * @throws Error of the file system, and what `read` throws of a file that did not change
 */
export async function readUnchanged<Read>(
  file: Pick<StatementFile, 'path' | 'size' | 'mtimeMs'>,
  read: (source: ByteSource) => Promise<Read>,
): Promise<Read | null> {
  const isSame = (stats: Stats): boolean =>
    stats.isFile() && stats.size === file.size && stats.mtimeMs === file.mtimeMs;
  try {
    // No link is followed here, and a pipe put in the file's place cannot block the reader.
    const handle = await open(file.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!isSame(await handle.stat())) return null;
      const outcome = await read(bytesOfFile(handle, file.size)).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if (!isSame(await handle.stat())) return null;
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function unreadable(source: string, message: string): SourceFault {
  return { code: 'STATEMENT_FILE_UNREADABLE', message, source, place: null };
}

export function isBelow(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(String(codeOf(error)));
}

function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(String(codeOf(error)));
}
