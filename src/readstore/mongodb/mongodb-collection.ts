import { randomUUID } from 'node:crypto';
import { BSON, type Db, type Collection as StoredCollection } from 'mongodb';
import type { Backoff } from '../../shared/backoff.ts';
import { retry } from '../../shared/retry.ts';
import { keysetOf } from '../ordering.ts';
import {
  type Collection,
  type Document,
  DocumentTooLarge,
  type Filter,
  type Find,
  MAX_DOCUMENT_BYTES,
  ReadStoreUnavailable,
} from '../read-store.ts';
import { inOneBatch, limited } from './call-limits.ts';
import { filterOf, type Stored, sortOf } from './find-filter.ts';
import { duplicatesIn, isDuplicateKey } from './mongodb-errors.ts';
import { fromStored, toStored } from './stored-keys.ts';

/** Runs a call of the driver on the connected database, with transient faults as ReadStoreUnavailable. */
export type Call = <T>(call: (database: Db) => Promise<T>) => Promise<T>;

const SLICE = 1_000;
const PAGE_SIZE = 500;

/** Holds what identifies one compare-and-set. No key of a document is stored under a name like this. */
const WRITE_ID = '~write';

/** A compare-and-set whose answer was lost is decided within this time, or not at all. */
const DECIDED_WITHIN_MS = 10_000;
const DECIDING: Backoff = { firstMs: 50, mostMs: 1_000 };

export class MongoDbCollection<D extends Document> implements Collection<D> {
  readonly #name: string;
  readonly #call: <T>(call: (stored: StoredCollection<Stored>) => Promise<T>) => Promise<T>;

  constructor(name: string, call: Call) {
    this.#name = name;
    this.#call = (use) => call((database) => use(database.collection<Stored>(name)));
  }

  async get(id: string): Promise<D | undefined> {
    const found = await this.#call((stored) => stored.findOne({ _id: { $eq: id } }, limited));
    return found === null ? undefined : given<D>(found);
  }

  async getMany(ids: readonly string[]): Promise<Map<string, D>> {
    const documents = new Map<string, D>();
    for (const slice of slices(ids)) {
      const found = await this.#call((stored) => stored.find({ _id: { $in: slice } }, inOneBatch(slice)).toArray());
      for (const document of found) documents.set(document._id, given<D>(document));
    }
    return documents;
  }

  async find(find: Find): Promise<D[]> {
    const { filter, sort, limit, after } = find;
    const options = { ...limited, sort: sortOf(sort), limit, batchSize: limit + 1 };
    const found = await this.#call((stored) => stored.find(filterOf(filter, sort, after), options).toArray());
    return found.map((document) => given<D>(document));
  }

  /** A document whose sort field changes meanwhile may be found at its old and its new place, or at neither. */
  async *iterate(find: Omit<Find, 'limit'> & { pageSize?: number }): AsyncIterable<D> {
    const { pageSize = PAGE_SIZE, ...rest } = find;
    const keyset = keysetOf(find.sort);
    let after = find.after;
    for (;;) {
      const next = after === undefined ? {} : { after };
      const page = await this.find({ ...rest, ...next, limit: pageSize });
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      after = keyset(last);
    }
  }

  async count(filter: Filter, limit?: number): Promise<number> {
    const options = limit === undefined ? limited : { ...limited, limit };
    return this.#call((stored) => stored.countDocuments(filterOf(filter, [], undefined), options));
  }

  async putMany(documents: readonly D[]): Promise<number> {
    this.#refuseTooLarge(documents);
    let written = 0;
    for (const round of rounds(documents)) {
      for (const slice of slices(round)) written += await this.#putSlice(slice);
    }
    return written;
  }

  /** Neither the driver nor the server says of a bulk which document is too large, or leaves the others unwritten. */
  #refuseTooLarge(documents: readonly D[]): void {
    for (const document of documents) {
      if (mostBytes(document) <= MAX_DOCUMENT_BYTES) continue;
      if (BSON.calculateObjectSize(taken(document)) > MAX_DOCUMENT_BYTES)
        throw new DocumentTooLarge(this.#name, document._id);
    }
  }

  async compareAndSet(document: D, expected: string | null): Promise<boolean> {
    this.#refuseTooLarge([document]);
    const next = { ...taken(document), [WRITE_ID]: randomUUID() };
    let isRepeated = false;
    return retry(async () => (await this.#setOnce(next, expected)) || (isRepeated && (await this.#holds(next))), {
      isPassing: (error) => error instanceof ReadStoreUnavailable,
      backoff: DECIDING,
      giveUpMs: DECIDED_WITHIN_MS,
      onFailure() {
        isRepeated = true;
      },
    });
  }

  async deleteMany(ids: readonly string[]): Promise<number> {
    let deleted = 0;
    for (const slice of slices(ids)) {
      deleted += (await this.#call((stored) => stored.deleteMany({ _id: { $in: slice } }, limited))).deletedCount;
    }
    return deleted;
  }

  async #setOnce(next: Stored, expected: string | null): Promise<boolean> {
    if (expected !== null) {
      const guard = { _id: { $eq: next._id }, _position: { $eq: expected } };
      return (await this.#call((stored) => stored.replaceOne(guard, next, limited))).matchedCount === 1;
    }
    try {
      await this.#call((stored) => stored.insertOne(next, limited));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Whether an earlier attempt, whose answer was lost, has written it. */
  async #holds(next: Stored): Promise<boolean> {
    const found = await this.#call((stored) => stored.findOne({ _id: { $eq: next._id } }, limited));
    return found?.[WRITE_ID] === next[WRITE_ID];
  }

  /** Each id at most once. Reading first which exist allows plain inserts, which are faster, for new documents. */
  async #putSlice(slice: readonly D[]): Promise<number> {
    const ids = slice.map((document) => document._id);
    const options = { ...inOneBatch(ids), projection: { _position: 1 } };
    const present = await this.#call((stored) => stored.find({ _id: { $in: ids } }, options).toArray());
    const positions = new Map(present.map((document) => [document._id, document._position]));
    const absent = slice.filter((document) => !positions.has(document._id));
    const older = slice.filter((document) => (positions.get(document._id) ?? document._position) < document._position);
    const [replaced, overtaken] = await Promise.all([this.#replace(older), this.#insert(absent)]);
    // Inserted by another writer since that read: now they can be compared with.
    return replaced + (absent.length - overtaken.length) + (await this.#replace(overtaken));
  }

  /** Returns those that already existed. */
  async #insert(documents: readonly D[]): Promise<D[]> {
    if (documents.length === 0) return [];
    try {
      await this.#call((stored) => stored.insertMany(documents.map(taken), { ...limited, ordered: false }));
      return [];
    } catch (error) {
      return duplicatesIn(error).flatMap((at) => documents[at] ?? []);
    }
  }

  async #replace(documents: readonly D[]): Promise<number> {
    if (documents.length === 0) return 0;
    const operations = documents.map((document) => ({
      replaceOne: {
        filter: { _id: { $eq: document._id }, _position: { $lt: document._position } },
        replacement: taken(document),
      },
    }));
    return (await this.#call((stored) => stored.bulkWrite(operations, { ...limited, ordered: false }))).matchedCount;
  }
}

/** At least what the value takes as BSON, at a fraction of the cost of the exact size. */
function mostBytes(value: unknown): number {
  // Per member its type, name and length; three bytes are the most that a UTF-16 unit takes.
  const FRAME = 32;
  if (typeof value === 'string') return FRAME + 3 * value.length;
  if (typeof value !== 'object' || value === null) return FRAME;
  let bytes = FRAME;
  if (Array.isArray(value)) for (const item of value) bytes += mostBytes(item);
  else for (const key in value) bytes += 3 * key.length + mostBytes((value as Record<string, unknown>)[key]);
  return bytes;
}

function taken(document: Document): Stored {
  return toStored(document) as unknown as Stored;
}

function given<D extends Document>(stored: Stored): D {
  if (!(WRITE_ID in stored)) return fromStored(stored) as unknown as D;
  const { [WRITE_ID]: _, ...document } = stored;
  return fromStored(document) as unknown as D;
}

function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += SLICE) yield items.slice(at, at + SLICE);
}

/** Parts without repeated ids, to be written one after the other. */
function* rounds<D extends Document>(documents: readonly D[]): Generator<D[]> {
  for (let rest = documents; rest.length > 0; ) {
    const round = new Map<string, D>();
    const later: D[] = [];
    for (const document of rest) {
      if (round.has(document._id)) later.push(document);
      else round.set(document._id, document);
    }
    yield [...round.values()];
    rest = later;
  }
}
