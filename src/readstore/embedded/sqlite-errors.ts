import { ReadStoreDamaged, ReadStoreUnavailable } from '../read-store.ts';

/**
 * Primary result codes after which the same call may well succeed later: busy, locked, out of memory, I/O, full, cannot
 * open.
 */
const PASSING = new Set([5, 6, 7, 10, 13, 14]);
/** Corrupt, and not a database. */
const DAMAGED = new Set([11, 26]);

/**
 * SQLite's transient faults and a closed database as ReadStoreUnavailable, a file that it cannot read as
 * ReadStoreDamaged; anything else unchanged.
 */
export function unavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ReadStoreUnavailable) return error;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  if (code !== undefined && DAMAGED.has(code)) return new ReadStoreDamaged(error.message, { cause: error });
  const closed = /database is not open|statement has been finalized|read store is closed/.test(error.message);
  if (!closed && (code === undefined || !PASSING.has(code))) return error;
  return new ReadStoreUnavailable(`embedded read store: ${error.message}`, { cause: error });
}
