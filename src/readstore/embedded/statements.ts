import type { DatabaseSync, StatementSync } from 'node:sqlite';

const LIMIT = 500;

/** Prepared statements by their text; the least recently used are dropped first. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #known = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(text: string): StatementSync {
    let statement = this.#known.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      const oldest = this.#known.size >= LIMIT ? this.#known.keys().next().value : undefined;
      if (oldest !== undefined) this.#known.delete(oldest);
    } else {
      this.#known.delete(text);
    }
    this.#known.set(text, statement);
    return statement;
  }

  /** After a schema change every statement would have to be prepared again anyway. */
  clear(): void {
    this.#known.clear();
  }
}
