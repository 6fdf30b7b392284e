import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

const LARGEST_BYTES = 48 * 1024 * 1024;
/** How long a writer may wait for readers to release the log. */
const WAIT_MS = 50;
/** A long read keeps the log from being truncated until it ends; commits should not all wait for it. */
const COMMITS_BETWEEN = 10;

/**
 * Keeps the write-ahead log of a file small. SQLite restarts it only when a commit happens to find no reader, and never
 * truncates it; under steady reading it would grow without end and slow down every read.
 * @returns a function to call after each commit
 */
export function keepLogSmall(database: DatabaseSync, file: string, timeoutMs: number): () => void {
  const log = `${file}-wal`;
  let passed = 0;
  return () => {
    if (passed > 0) passed -= 1;
    if (passed > 0 || sizeOf(log) < LARGEST_BYTES) return;
    database.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
    if (sizeOf(log) >= LARGEST_BYTES) passed = COMMITS_BETWEEN;
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
