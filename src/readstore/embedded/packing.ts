import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DICTIONARY_BYTES, type Dictionary, dictionaryBytes, packText, unpackText } from '../../shared/packed-text.ts';
import { ReadStoreDamaged } from '../read-store.ts';

/**
 * Samples of the documents of a collection, from which its documents are packed. A file without this table packs each
 * document by itself. Rows are never changed or removed, since documents name them.
 */
export const DICTIONARIES_TABLE =
  'CREATE TABLE IF NOT EXISTS dictionaries (number INTEGER PRIMARY KEY, collection TEXT NOT NULL, ' +
  'rows INTEGER NOT NULL, bytes BLOB NOT NULL);';

/** Shorter documents are stored as text: with a dictionary, and by themselves. */
const [LEAST_LENGTH, LEAST_BY_ITSELF] = [200, 1_000];
/** A collection gets a dictionary when it has so many rows: the later ones also know what its documents become. */
const SAMPLED_AT = [30, 1_000, 30_000] as const;
const SAMPLES = 12;

/** `rows`: the size of the collection for which it was made. */
type Sampled = { readonly dictionary: Dictionary | undefined; readonly rows: number };

const NOTHING: Sampled = { dictionary: undefined, rows: 0 };

/** How one connection to a file packs and unpacks documents. */
export class Packing {
  readonly #database: DatabaseSync;
  /** By number; those of the documents read so far. */
  readonly #known = new Map<number, Uint8Array>();
  /** By collection. */
  readonly #latest = new Map<string, Sampled>();
  #select: StatementSync | undefined;
  #hasTable: boolean | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** A document's text as it is stored: itself, or packed where that is shorter. */
  pack(text: string, collection: string): string | Uint8Array {
    if (text.length < LEAST_LENGTH) return text;
    const { dictionary } = this.#latestOf(collection);
    if (dictionary === undefined && text.length < LEAST_BY_ITSELF) return text;
    return packText(text, dictionary) ?? text;
  }

  /** The text of a stored document. @throws ReadStoreDamaged for anything that {@link pack} does not return */
  textOf(stored: unknown): string {
    if (typeof stored === 'string') return stored;
    try {
      return unpackText(stored as Uint8Array, (number) => this.#bytesOf(number));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new ReadStoreDamaged(`a stored document cannot be read: ${error.message}`, { cause: error });
    }
  }

  /**
   * Makes the collection's next dictionary when it has grown to the size for it. Call inside the transaction that
   * inserted the row; {@link forget} when that is rolled back.
   */
  rowInserted(collection: string, table: string, row: number): void {
    if (row < dueAt(this.#latestOf(collection).rows) || !this.#mayLearn()) return;
    // Another connection may have made it.
    this.#latest.delete(collection);
    if (row < dueAt(this.#latestOf(collection).rows)) return;
    const bytes = this.#samples(table, row);
    const rows = SAMPLED_AT.findLast((size) => size <= row) ?? row;
    const insert = this.#database.prepare('INSERT INTO dictionaries (collection, rows, bytes) VALUES (?, ?, ?)');
    const number = Number(insert.run(collection, rows, bytes).lastInsertRowid);
    this.#latest.set(collection, { dictionary: { number, bytes }, rows });
  }

  /** After a rollback: what was made in the transaction is not in the file. */
  forget(): void {
    this.#latest.clear();
    this.#known.clear();
  }

  /** Documents from all over the table, the newest ones last. */
  #samples(table: string, last: number): Uint8Array {
    const one = this.#database.prepare(`SELECT doc FROM ${table} WHERE row >= ? LIMIT 1`);
    const texts: string[] = [];
    let length = 0;
    for (let nth = SAMPLES; nth > 0 && length < DICTIONARY_BYTES; nth -= 1) {
      const doc = one.get(Math.ceil((last * nth) / SAMPLES))?.doc;
      if (doc === undefined) continue;
      const text = this.textOf(doc).slice(0, DICTIONARY_BYTES);
      texts.unshift(text);
      length += text.length;
    }
    return dictionaryBytes(texts);
  }

  #latestOf(collection: string): Sampled {
    let latest = this.#latest.get(collection);
    if (latest === undefined) {
      latest = this.#mayLearn() ? this.#stored(collection) : NOTHING;
      this.#latest.set(collection, latest);
    }
    return latest;
  }

  #stored(collection: string): Sampled {
    const newest = this.#database.prepare(
      'SELECT number, rows, bytes FROM dictionaries WHERE collection = ? ORDER BY number DESC LIMIT 1',
    );
    const row = newest.get(collection);
    if (row === undefined) return NOTHING;
    return { dictionary: { number: Number(row.number), bytes: row.bytes as Uint8Array }, rows: Number(row.rows) };
  }

  #mayLearn(): boolean {
    const there = `SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'dictionaries'`;
    this.#hasTable ??= this.#database.prepare(there).get()?.n === 1;
    return this.#hasTable;
  }

  #bytesOf(number: number): Uint8Array | undefined {
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    this.#select ??= this.#database.prepare('SELECT bytes FROM dictionaries WHERE number = ?');
    const bytes = this.#select.get(number)?.bytes as Uint8Array | undefined;
    if (bytes !== undefined) this.#known.set(number, bytes);
    return bytes;
  }
}

/** The number of rows at which a collection gets its next dictionary. */
function dueAt(rowsOfLatest: number): number {
  return SAMPLED_AT.find((size) => size > rowsOfLatest) ?? Number.POSITIVE_INFINITY;
}
