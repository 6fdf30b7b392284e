import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { ROW_BYTES, writeLargeFile } from '../support/large-statements.ts';
import { COMPANY, KEY, SECRET } from '../support/test-service.ts';
import type { SyncReport } from './statement-sync-child.ts';

const CHILD = fileURLToPath(new URL('./statement-sync-child.ts', import.meta.url));
const START = manifest.scripts.start.split(' ').filter((word) => word.startsWith('--'));
/** It grows by 30 to 45 MB; with threads whose heaps the process's options bound, by more than 90. */
const MOST_MB_WARM = 70;
/** It grows by 65 to 80 MB; where its garbage is left to V8, by 80 to 113. */
const MOST_MB_COLD = 100;
const LARGE_BYTES = 64_000_000;
/** What the service has imported before, as one that runs. */
const WARM_ROWS = 4_000;

it.each([
  ['has imported a small file before', { warm: true, mostMb: MOST_MB_WARM }],
  ['has just started', { warm: false, mostMb: MOST_MB_COLD }],
])('setup and sync of a large statement file let a service that %s grow by little', async (_, { warm, mostMb }) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'statement-sync-'));
  const rows = Math.floor(LARGE_BYTES / ROW_BYTES['camt.053']);
  try {
    for (const [folder, count] of [
      ['warm', WARM_ROWS],
      ['large', rows],
    ] as const) {
      await mkdir(join(dataDir, 'statements', folder), { recursive: true });
      const path = join(dataDir, 'statements', folder, 'statement.xml');
      await writeLargeFile(path, { format: 'camt.053', rows: count, account: folder.toUpperCase() });
      await utimes(path, 1_600_000_000, 1_600_000_000);
    }
    const { stdout } = await promisify(execFile)(process.execPath, [...START, CHILD], {
      env: {
        PATH: process.env.PATH,
        // As the image sets it.
        MALLOC_ARENA_MAX: '2',
        WARM: warm ? '1' : '0',
        HOST: '127.0.0.1',
        PORT: '0',
        DATA_DIR: dataDir,
        BOOTSTRAP_COMPANY_ID: COMPANY,
        BOOTSTRAP_API_KEY: KEY,
        BOOTSTRAP_API_SECRET: SECRET,
      },
    });
    const { inserted, mbBefore, peakMb } = JSON.parse(stdout) as SyncReport;
    expect(inserted).toBe(rows);
    expect(peakMb - mbBefore).toBeLessThan(mostMb);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
