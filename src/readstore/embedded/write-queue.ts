import type { DatabaseSync } from 'node:sqlite';
import { ReadStoreUnavailable } from '../read-store.ts';
import { unavailable } from './sqlite-errors.ts';
import type { Statements } from './statements.ts';
import {
  carryOut,
  type WriteCommand,
  type WriteCommands,
  type WriteKind,
  type Writer,
  weightOf,
} from './write-command.ts';

type Pending = {
  readonly command: WriteCommand;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** Rows of one transaction before the event loop may run. */
export const WEIGHT_PER_COMMIT = 1_000;

/**
 * Group commit: commands that arrive in the same iteration of the event loop share one transaction and so one sync to
 * disk. A command is settled only after the commit, so what it wrote is durable when its promise resolves.
 */
export class WriteQueue implements Writer {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #onCommitted: () => void;
  #pending: Pending[] = [];
  #scheduled = false;
  #closed = false;

  /** @param onCommitted called after each commit, outside of any transaction */
  constructor(database: DatabaseSync, statements: Statements, onCommitted: () => void = () => {}) {
    this.#database = database;
    this.#statements = statements;
    this.#onCommitted = onCommitted;
  }

  write<Kind extends WriteKind>(kind: Kind, of: WriteCommands[Kind]['of']): Promise<WriteCommands[Kind]['gives']> {
    if (this.#closed) return Promise.reject(new ReadStoreUnavailable('the read store is closed'));
    return new Promise((resolve, reject) => {
      this.#pending.push({
        command: { kind, ...of } as WriteCommand,
        resolve: (value) => resolve(value as WriteCommands[Kind]['gives']),
        reject,
      });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#flush());
    });
  }

  /** Executes the waiting commands now. */
  drain(): void {
    while (this.#pending.length > 0) this.#commitSome();
  }

  async close(): Promise<void> {
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
    for (const { command } of this.#pending) {
      weight += weightOf(command);
      if (taken > 0 && weight > WEIGHT_PER_COMMIT) break;
      taken += 1;
    }
    const group = this.#pending.splice(0, taken);
    if (group.length === 0) return;
    const failed = this.#commit(group);
    if (failed === undefined) return;
    // One faulty command must not fail the others: each gets a transaction of its own.
    for (const each of group) {
      const error = group.length === 1 ? failed : this.#commit([each]);
      if (error !== undefined) each.reject(unavailable(error));
    }
  }

  /** Resolves all of the group and returns undefined, or settles none and returns the error. */
  #commit(group: readonly Pending[]): unknown {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const results = group.map(({ command }) => carryOut(command, this.#database, this.#statements));
      this.#database.exec('COMMIT');
      for (const [at, { resolve }] of group.entries()) resolve(results[at]);
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#statements.packing.forget();
      this.#statements.shapes.forget();
      return error ?? new Error('write failed');
    }
    this.#onCommitted();
    return undefined;
  }
}
