import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Dictionary, dictionaryBytes, packText, unpackText } from '../../shared/packed-text.ts';
import { LogCorrupted } from '../log.ts';

/** Samples of the events of a type. Rows are never changed or removed, since events name them. */
export const DICTIONARIES_TABLE = `
  CREATE TABLE IF NOT EXISTS dictionaries (
    number INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    events INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
`;

/** Shorter events are stored as text. */
const LEAST_LENGTH = 320;
/** So many events of a type are seen before they are sampled; the second time, by what a log in use looks like. */
const SAMPLED_AT = [16, 1_024] as const;
const SAMPLES = 6;
/** Neither text contains a line end. */
const BETWEEN = '\n';

/** An event's texts as they are stored: both, or `body`, which is both packed, and two empty ones. */
export type StoredTexts = { readonly metadata: string; readonly data: string; readonly body: Uint8Array | null };

/** `events`: how many had been seen when it was made. */
type Sampled = { readonly dictionary: Dictionary | undefined; readonly events: number };
type Seen = { count: number; readonly texts: string[] };

/**
 * How one connection to a log packs and unpacks the texts of events. Events are packed only by samples of their type,
 * so that the first ones of each type are stored as text. Digests are those of the texts, packed or not.
 */
export class EventPacking {
  readonly #database: DatabaseSync;
  readonly #select: StatementSync;
  /** By number; those of the events read so far. */
  readonly #known = new Map<number, Uint8Array>();
  readonly #latest = new Map<string, Sampled>();
  readonly #seen = new Map<string, Seen>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#select = database.prepare('SELECT bytes FROM dictionaries WHERE number = ?');
  }

  /** Call inside the transaction that stores the event; {@link forget} when that is rolled back. */
  pack(type: string, metadata: string, data: string): StoredTexts {
    const asText = { metadata, data, body: null };
    if (metadata.length + data.length < LEAST_LENGTH) return asText;
    const text = `${metadata}${BETWEEN}${data}`;
    const { dictionary } = this.#learn(type, text);
    const body = dictionary === undefined ? undefined : packText(text, dictionary);
    return body === undefined ? asText : { metadata: '', data: '', body };
  }

  /** The row with its texts. @throws LogCorrupted for one that is packed and cannot be unpacked */
  unpacked<Row extends { readonly position: number }>(row: Row & Partial<StoredTexts>): Row {
    const { body, ...rest } = row;
    if (!(body instanceof Uint8Array)) return rest as unknown as Row;
    try {
      const text = unpackText(body, (number) => this.#bytesOf(number));
      const end = text.indexOf(BETWEEN);
      // Beside a packed event these are empty: whatever was added to them must not go unnoticed.
      const metadata = text.slice(0, end) + row.metadata;
      return { ...rest, metadata, data: text.slice(end + 1) + row.data } as unknown as Row;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new LogCorrupted(`the event at position ${row.position} was altered: ${error.message}`);
    }
  }

  /** One after the other, so that what is wrong with a row is found before what is wrong with a later one. */
  *eachUnpacked<Row extends { readonly position: number }>(rows: Iterable<Row>): Iterable<Row> {
    for (const row of rows) yield this.unpacked(row);
  }

  /** After a rollback: what was made in the transaction is not in the file. */
  forget(): void {
    this.#latest.clear();
    this.#known.clear();
  }

  /** Notes a text of the type, and makes the type's next dictionary when enough have been seen. */
  #learn(type: string, text: string): Sampled {
    const latest = this.#latestOf(type);
    const due = SAMPLED_AT.find((events) => events > latest.events);
    if (due === undefined) return latest;
    const seen = this.#seen.get(type) ?? { count: 0, texts: [] };
    this.#seen.set(type, seen);
    seen.count += 1;
    // The last ones before it is made.
    if (due - seen.count < SAMPLES) seen.texts.push(text);
    if (seen.count < due) return latest;
    this.#seen.delete(type);
    // Another connection may have made it.
    this.#latest.delete(type);
    const present = this.#latestOf(type);
    return present.events >= due ? present : this.#make(type, due, seen.texts);
  }

  #make(type: string, events: number, texts: readonly string[]): Sampled {
    const bytes = dictionaryBytes(texts);
    const insert = this.#database.prepare('INSERT INTO dictionaries (type, events, bytes) VALUES (?, ?, ?)');
    const number = Number(insert.run(type, events, bytes).lastInsertRowid);
    const made = { dictionary: { number, bytes }, events };
    this.#latest.set(type, made);
    return made;
  }

  #latestOf(type: string): Sampled {
    let latest = this.#latest.get(type);
    if (latest === undefined) {
      const newest = 'SELECT number, events, bytes FROM dictionaries WHERE type = ? ORDER BY number DESC LIMIT 1';
      const row = this.#database.prepare(newest).get(type);
      const dictionary = row && { number: Number(row.number), bytes: row.bytes as Uint8Array };
      latest = { dictionary, events: Number(row?.events ?? 0) };
      this.#latest.set(type, latest);
    }
    return latest;
  }

  #bytesOf(number: number): Uint8Array | undefined {
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    const bytes = this.#select.get(number)?.bytes as Uint8Array | undefined;
    if (bytes !== undefined) this.#known.set(number, bytes);
    return bytes;
  }
}
