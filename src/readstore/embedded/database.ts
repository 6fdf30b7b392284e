import { DatabaseSync } from 'node:sqlite';
import { LEASE_TABLES } from './lease-table.ts';
import { COLLECTIONS_TABLE } from './schema-changes.ts';

export const BUSY_TIMEOUT_MS = 5_000;

/**
 * Pages of 8 KiB and a long write-ahead log halve the cost of documents with many indexes compared with the defaults:
 * fewer pages are written, and pages that change often are copied back less often.
 */
const PRAGMAS = `
  PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
  PRAGMA temp_store = MEMORY;
`;

const OWN_TABLES = `
  ${COLLECTIONS_TABLE}
  CREATE TABLE IF NOT EXISTS checkpoints (name TEXT PRIMARY KEY, position TEXT NOT NULL, fence INTEGER NOT NULL) WITHOUT ROWID;
  ${LEASE_TABLES}
`;

/** Enough for short reads of documents by their ids, and for small writes. */
const CACHE_KB = 2_048;

/**
 * Opens the file and creates the store's own tables if they are missing.
 * @param cacheKb of pages that the connection keeps, in KiB; each thread that has the file open has its own
 */
export function openDatabase(file: string, cacheKb = CACHE_KB): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  database.exec(PRAGMAS);
  database.exec(`PRAGMA cache_size = -${cacheKb}`);
  database.exec(OWN_TABLES);
  return database;
}

/** Opens the file for reading only; the file and its tables must exist. */
export function openReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  database.exec('PRAGMA cache_size = -2048; PRAGMA temp_store = MEMORY;');
  return database;
}
