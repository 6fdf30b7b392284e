import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { LOCK_SUFFIX } from '../log/embedded/file.ts';
import { READ_MODELS_FILE, STATE_FILE } from '../readstore/embedded/two-files.ts';
import { LOG_FILE } from './stores.ts';

const [OWNER_ONLY_FOLDER, OWNER_ONLY_FILE] = [0o700, 0o600];
/** SQLite gives the files it makes beside a database the mode of the database. */
const BESIDE_A_DATABASE = ['', '-wal', '-shm', '-journal'];

/**
 * Creates the data folder where it is missing, and makes it and the files of the embedded stores accessible to their
 * owner only, whatever modes they had. A mode that cannot be changed, as on a volume that belongs to another user, is
 * logged as a warning.
 */
export function prepareDataFolder({ dataDir, eventStoreUrl, mongoDbUrl }: Config, logger: Pick<Logger, 'warn'>): void {
  mkdirSync(dataDir, { recursive: true, mode: OWNER_ONLY_FOLDER });
  restrict(dataDir, OWNER_ONLY_FOLDER, logger);
  const databases = [
    ...(eventStoreUrl === null ? [LOG_FILE, `${LOG_FILE}${LOCK_SUFFIX}`] : []),
    ...(mongoDbUrl === null ? [READ_MODELS_FILE, STATE_FILE] : []),
  ];
  for (const database of databases) {
    closeSync(openSync(join(dataDir, database), 'a', OWNER_ONLY_FILE));
    for (const suffix of BESIDE_A_DATABASE) {
      const file = join(dataDir, `${database}${suffix}`);
      if (existsSync(file)) restrict(file, OWNER_ONLY_FILE, logger);
    }
  }
}

function restrict(path: string, mode: number, logger: Pick<Logger, 'warn'>): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    logger.warn({ err: error, path }, 'others may be able to read this path: its mode cannot be changed');
  }
}
