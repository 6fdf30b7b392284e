import { isoTime } from '../../shared/clock.ts';
import type { Lease, Leases } from '../read-store.ts';
import { unavailable } from './sqlite-errors.ts';
import type { Statements } from './statements.ts';
import type { WriteQueue } from './write-queue.ts';

export const LEASE_TABLES = `
  CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, fence INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS last_fence (only INTEGER PRIMARY KEY CHECK (only = 1), fence INTEGER NOT NULL);
  INSERT OR IGNORE INTO last_fence VALUES (1, 0);
`;

/** Released leases leave no row: fences are numbered across all names, so a name's next owner still gets a higher one. */
export class EmbeddedLeases implements Leases {
  readonly #statements: Statements;
  readonly #queue: WriteQueue;

  constructor(statements: Statements, queue: WriteQueue) {
    this.#statements = statements;
    this.#queue = queue;
  }

  acquireMany(names: readonly string[], owner: string, ttlMs: number, nowMs: number): Promise<Lease[]> {
    const until = nowMs + ttlMs;
    return this.#queue.write(names.length, () => {
      const acquired: Lease[] = [];
      for (const name of new Set(names)) {
        const held = this.#statements.get('SELECT owner, fence, until FROM leases WHERE name = ?').get(name);
        if (held !== undefined && held.owner !== owner && Number(held.until) > nowMs) continue;
        const fence = held !== undefined && held.owner === owner ? Number(held.fence) : this.#nextFence();
        this.#statements.get('INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)').run(name, owner, fence, until);
        acquired.push({ name, owner, fence, until: isoTime(until) });
      }
      return acquired;
    });
  }

  async releaseMany(names: readonly string[], owner: string): Promise<void> {
    await this.#queue.write(names.length, () => {
      const remove = this.#statements.get('DELETE FROM leases WHERE name = ? AND owner = ?');
      for (const name of names) remove.run(name, owner);
    });
  }

  async getMany(names: readonly string[]): Promise<Map<string, Lease>> {
    const found = new Map<string, Lease>();
    try {
      const select = this.#statements.get('SELECT owner, fence, until FROM leases WHERE name = ?');
      for (const name of names) {
        const held = select.get(name);
        if (held === undefined) continue;
        const until = isoTime(Number(held.until));
        found.set(name, { name, owner: String(held.owner), fence: Number(held.fence), until });
      }
    } catch (error) {
      throw unavailable(error);
    }
    return found;
  }

  #nextFence(): number {
    const row = this.#statements.get('UPDATE last_fence SET fence = fence + 1 RETURNING fence').get();
    return Number(row?.fence);
  }
}
