import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from './sqlite-errors.ts';

type Pending = { readonly weight: number; readonly run: () => void; readonly settle: (error?: unknown) => void };

/** Rows one transaction may hold before the event loop gets its turn. */
const WEIGHT_PER_COMMIT = 1_000;

/**
 * Group commit: writes that arrive in the same turn of the event loop share one transaction and so one sync to disk. A write is
 * settled only after the commit, so it is durable when its promise resolves.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #pending: Pending[] = [];
  #scheduled = false;
  #closed = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** `weight` is about the number of rows written. The write must be whole in itself: it may run more than once. */
  write<T>(weight: number, write: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(unavailable(new Error('the read store is closed')));
    return new Promise<T>((resolve, reject) => {
      let result: { value: T } | undefined;
      this.#pending.push({
        weight,
        run: () => {
          result = { value: write() };
        },
        settle: (error) => {
          if (result !== undefined && error === undefined) resolve(result.value);
          else reject(unavailable(error));
        },
      });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#flush());
    });
  }

  /** Commits what waits, now. */
  drain(): void {
    while (this.#pending.length > 0) this.#commitSome();
  }

  /** Commits what waits, then takes no more. */
  close(): void {
    this.drain();
    this.#closed = true;
  }

  #flush(): void {
    this.#commitSome();
    this.#scheduled = this.#pending.length > 0;
    if (this.#scheduled) setImmediate(() => this.#flush());
  }

  #commitSome(): void {
    let weight = 0;
    let taken = 0;
    for (const write of this.#pending) {
      if (taken > 0 && weight + write.weight > WEIGHT_PER_COMMIT) break;
      weight += write.weight;
      taken += 1;
    }
    const group = this.#pending.splice(0, taken);
    if (group.length === 0) return;
    const error = this.#commit(group);
    // One faulty write must not fail its neighbours: each gets a transaction of its own.
    if (error === undefined || group.length === 1) for (const write of group) write.settle(error);
    else for (const write of group) write.settle(this.#commit([write]));
  }

  #commit(group: readonly Pending[]): unknown {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const write of group) write.run();
      this.#database.exec('COMMIT');
      return undefined;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      return error ?? new Error('write failed');
    }
  }
}
