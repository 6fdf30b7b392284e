import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { defineDocumentFunctions } from './document-functions.ts';
import { Packing } from './packing.ts';
import { Shapes } from './shapes.ts';

const LIMIT = 500;

/**
 * Prepared statements of a connection by their text, the least recently used of which are dropped first, and how its
 * documents are stored. One for each connection: it defines the functions of SQL that read documents.
 */
export class Statements {
  readonly packing: Packing;
  readonly shapes: Shapes;
  readonly #database: DatabaseSync;
  readonly #known = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.packing = new Packing(database);
    this.shapes = new Shapes(database);
    defineDocumentFunctions(database, this.packing, this.shapes);
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
