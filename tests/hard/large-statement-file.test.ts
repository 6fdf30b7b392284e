import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { type LargeFile, ROW_BYTES, writeLargeFile } from '../support/large-statements.ts';
import type { LargeFileReport } from './large-file-child.ts';

const CHILD = fileURLToPath(new URL('./large-file-child.ts', import.meta.url));
/** What the service's memory may grow by, whatever the file. */
const MOST_MB = 100;
/** Of the thread that answers: far less than the files have. */
const HEAP = ['--max-old-space-size=64', '--max-semi-space-size=8'];
/** What the process has read before, as a service has that runs. */
const [SMALL_FILES, SMALL_ROWS] = [40, 400];

async function readInChild(file: LargeFile): Promise<LargeFileReport> {
  const root = await mkdtemp(join(tmpdir(), 'large-statement-'));
  try {
    const deliver = async (folder: string, name: string, rows: number): Promise<void> => {
      await mkdir(join(root, folder), { recursive: true });
      const path = join(root, folder, name);
      await writeLargeFile(path, { ...file, rows });
      await utimes(path, 1_600_000_000, 1_600_000_000);
    };
    for (let index = 0; index < SMALL_FILES; index += 1) await deliver('warm', `${index}`, SMALL_ROWS);
    await deliver('large', 'statement', file.rows);
    // Without the cache of compiled code, which is kept in memory.
    const env = { PATH: process.env.PATH };
    const { stdout } = await promisify(execFile)(process.execPath, [...HEAP, CHILD, root], { env });
    return JSON.parse(stdout);
  } finally {
    await rm(root, { recursive: true });
  }
}

it.each<[string, Omit<LargeFile, 'rows'>, number]>([
  ['MT940 with all its rows on one day', { format: 'MT940', days: 1 }, 64],
  ['camt.053 of a year', { format: 'camt.053' }, 64],
])('a statement file of more than memory holds is read in less than that: %s', async (_what, file, megabytes) => {
  const rows = Math.floor((megabytes * 1_000_000) / ROW_BYTES[file.format]);
  const read = await readInChild({ ...file, rows });
  expect(read.rows).toBe(rows);
  expect(read.lastBalance).not.toBeNull();
  expect(read.grownMb).toBeLessThan(MOST_MB);
});
