import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileOutline, ReadFile } from './file-content.ts';
import { openSpooledFile, type SpooledFile } from './spooled-file.ts';

type Read = Extract<ReadFile, { kind: 'read' }>;

export type SpoolFolder = {
  /** The path for a new spool. @throws Error of the file system */
  readonly newPath: () => string;
  /**
   * Adds a complete spool, and drops the least recently used ones if there is no room.
   * @throws Error of the file system
   */
  readonly keep: (key: string, path: string, outline: FileOutline) => Promise<Read>;
  /** Null for one that is not kept. */
  readonly find: (key: string) => Read | null;
  readonly discard: (path: string) => Promise<void>;
  readonly close: () => void;
};

type Kept = { readonly path: string; readonly bytes: number; readonly file: SpooledFile; readonly read: Read };

/**
 * Spools of large files, accessible to their owner only. They last as long as the process: what an earlier process left
 * behind is removed, and all of them at the end.
 * @param folder used by this process only; null: a new one in the system's temporary folder
 * @param mostBytes the total size; a single one may be larger
 */
export function openSpoolFolder(folder: string | null, mostBytes: number): SpoolFolder {
  const kept = new Map<string, Kept>();
  let made: string | null = null;
  if (folder !== null) rmSync(folder, { recursive: true, force: true });

  function make(): string {
    if (folder === null) return made ?? makeTemporaryFolder();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  async function discard(path: string): Promise<void> {
    await rm(path, { force: true }).catch(() => undefined);
  }

  async function drop(key: string): Promise<void> {
    const found = kept.get(key);
    kept.delete(key);
    found?.file.close();
    if (found !== undefined) await discard(found.path);
  }

  return {
    newPath() {
      made = make();
      return join(made, `${randomUUID()}.sqlite`);
    },
    async keep(key, path, outline) {
      const { size: bytes } = await stat(path);
      await drop(key);
      const file = openSpooledFile(path);
      const read: Read = { kind: 'read', outline, content: file, passing: false };
      kept.set(key, { path, bytes, file, read });
      for (const oldest of kept.keys()) {
        const total = kept.values().reduce((sum, one) => sum + one.bytes, 0);
        if (total <= mostBytes || kept.size === 1) break;
        await drop(oldest);
      }
      return read;
    },
    find(key) {
      const found = kept.get(key);
      if (found === undefined) return null;
      kept.delete(key);
      kept.set(key, found);
      return found.read;
    },
    discard,
    close() {
      for (const { file } of kept.values()) file.close();
      kept.clear();
      if (made !== null) rmSync(made, { recursive: true, force: true });
      made = null;
    },
  };
}

const PREFIX = 'statement-spool-';

/** Named after the process, so that the next one can remove what a killed process left behind. */
function makeTemporaryFolder(): string {
  for (const name of readdirSync(tmpdir())) {
    if (name.startsWith(PREFIX) && isAbandoned(join(tmpdir(), name), name)) {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    }
  }
  // Its name cannot be guessed, and only its owner can open it.
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

function isAbandoned(path: string, name: string): boolean {
  const pid = Number(/^\d+(?=-)/.exec(name.slice(PREFIX.length))?.[0] ?? Number.NaN);
  try {
    const { uid, birthtimeMs } = lstatSync(path);
    if (!Number.isInteger(pid) || uid !== process.getuid?.()) return false;
    // In a container each start has the same process id.
    return pid === process.pid ? birthtimeMs < Date.now() - process.uptime() * 1_000 : !isRunning(pid);
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH';
  }
}
