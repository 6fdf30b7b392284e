import { isoTime } from '../../shared/clock.ts';
import type { Lease } from '../read-store.ts';
import type { Statements } from './statements.ts';

/**
 * Released leases leave no row: fences are numbered across all names, so a name's next owner still gets a higher one.
 */
export const LEASE_TABLES = `
  CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, fence INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS last_fence (only INTEGER PRIMARY KEY CHECK (only = 1), fence INTEGER NOT NULL);
  INSERT OR IGNORE INTO last_fence VALUES (1, 0);
`;

type LeaseRequest = {
  readonly names: readonly string[];
  readonly owner: string;
  readonly ttlMs: number;
  readonly nowMs: number;
};

export function acquireLeases(statements: Statements, { names, owner, ttlMs, nowMs }: LeaseRequest): Lease[] {
  const until = nowMs + ttlMs;
  const acquired: Lease[] = [];
  for (const name of new Set(names)) {
    const held = storedLease(statements, name);
    if (held !== undefined && held.owner !== owner && Date.parse(held.until) > nowMs) continue;
    const fence = held !== undefined && held.owner === owner ? held.fence : nextFence(statements);
    statements.get('INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)').run(name, owner, fence, until);
    acquired.push({ name, owner, fence, until: isoTime(until) });
  }
  return acquired;
}

export function releaseLeases(
  statements: Statements,
  { names, owner }: Pick<LeaseRequest, 'names' | 'owner'>,
): undefined {
  const remove = statements.get('DELETE FROM leases WHERE name = ? AND owner = ?');
  for (const name of names) remove.run(name, owner);
}

export function storedLease(statements: Statements, name: string): Lease | undefined {
  const held = statements.get('SELECT owner, fence, until FROM leases WHERE name = ?').get(name);
  if (held === undefined) return undefined;
  return { name, owner: String(held.owner), fence: Number(held.fence), until: isoTime(Number(held.until)) };
}

function nextFence(statements: Statements): number {
  return Number(statements.get('UPDATE last_fence SET fence = fence + 1 RETURNING fence').get()?.fence);
}
