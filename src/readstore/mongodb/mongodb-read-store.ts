import { type IndexDescription, MongoClient, type Collection as StoredCollection } from 'mongodb';
import {
  type Checkpoint,
  type Collection,
  type CollectionSpec,
  type Document,
  type ProjectionBatch,
  type ReadStore,
  ReadStoreUnavailable,
} from '../read-store.ts';
import { inOneBatch, limited } from './call-limits.ts';
import { storedField } from './find-filter.ts';
import { createIndexBuilds, type IndexBuilds } from './index-builds.ts';
import { type Call, MongoDbCollection } from './mongodb-collection.ts';
import { isDuplicateKey, isNoCollection, unavailable } from './mongodb-errors.ts';
import { MongoDbLeases } from './mongodb-leases.ts';

type StoredCheckpoint = { _id: string; position: string; fence: number };

/** No call waits for ever. The URL can override each value. */
const TIMEOUTS = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 30_000,
  waitQueueTimeoutMS: 5_000,
};

const WRITE_CONCERN_TIMEOUT_MS = 10_000;

/**
 * Read store in the MongoDB database the URL names; a standalone server will do. It connects with the first call. Pool,
 * timeouts and credentials are said in the URL; every write is acknowledged by a majority and every read goes to the
 * primary, whatever it says.
 * @param options.onFault called for each failed attempt to build an index in the background
 * @throws RangeError when the URL names no database
 */
export function openMongoDbReadStore(options: {
  readonly url: string;
  readonly onFault?: (error: unknown, collection: string) => void;
}): ReadStore {
  const { pathname, searchParams } = new URL(options.url.replace(/^mongodb(\+srv)?:\/\/[^/?]*/, 'mongodb://host'));
  if (pathname.length < 2) throw new RangeError('the MongoDB URL must name a database');
  const said = new Set(Array.from(searchParams.keys(), (name) => name.toLowerCase()));
  const newClient = (changed: { readonly socketTimeoutMS?: number } = {}): MongoClient =>
    new MongoClient(options.url, {
      appName: 'bank-connection-service',
      ...Object.fromEntries(Object.entries(TIMEOUTS).filter(([name]) => !said.has(name.toLowerCase()))),
      writeConcern: { w: 'majority', wtimeoutMS: WRITE_CONCERN_TIMEOUT_MS },
      readPreference: 'primary',
      ignoreUndefined: true,
      ...changed,
    });
  const { onFault = () => {} } = options;
  const indexBuilds = createIndexBuilds({ newClient: () => newClient({ socketTimeoutMS: 0 }), onFault });
  return new MongoDbReadStore(newClient, indexBuilds);
}

class MongoDbReadStore implements ReadStore {
  readonly leases: MongoDbLeases;
  readonly #newClient: () => MongoClient;
  readonly #indexBuilds: IndexBuilds;
  readonly #ensured = new Map<string, Set<string>>();
  #client: Promise<MongoClient> | undefined;
  #closed = false;

  constructor(newClient: () => MongoClient, indexBuilds: IndexBuilds) {
    this.#newClient = newClient;
    this.#indexBuilds = indexBuilds;
    this.leases = new MongoDbLeases(this.#call);
  }

  async ensureCollection(spec: CollectionSpec, options?: { readonly indexes?: 'later' | 'awaited' }): Promise<void> {
    if (options?.indexes === 'later') return;
    const { name } = spec;
    const ensured = this.#ensured.get(name) ?? new Set();
    this.#ensured.set(name, ensured);
    const wanted = spec.indexes.map(indexOf).filter((index) => !ensured.has(index.name));
    if (wanted.length === 0) return;
    const present = await this.#indexNames(name);
    const indexes = wanted.filter((index) => !present.has(index.name));
    if (indexes.length > 0) {
      if (await this.#isEmpty(name)) await this.#call((database) => database.collection(name).createIndexes(indexes));
      else if (options?.indexes === 'awaited') await this.#indexBuilds.build({ collection: name, indexes });
      else return this.#indexBuilds.buildInBackground({ collection: name, indexes });
    }
    for (const index of wanted) ensured.add(index.name);
  }

  collection<D extends Document>(spec: CollectionSpec): Collection<D> {
    return new MongoDbCollection<D>(spec.name, this.#call);
  }

  async dropCollection(name: string): Promise<void> {
    this.#ensured.delete(name);
    try {
      await this.#call((database) => database.collection(name).drop());
    } catch (error) {
      if (!isNoCollection(error)) throw error;
    }
  }

  async commitBatch<D extends Document>(batch: ProjectionBatch<D>): Promise<'committed' | 'fenced'> {
    await this.collection<D>(batch.collection).putMany(batch.documents);
    const { name, expected, position, fence } = batch.checkpoint;
    if (await this.#moveCheckpoint(name, expected, position, fence)) return 'committed';
    const stored = (await this.checkpoints([name])).get(name);
    // A repeat of a batch whose answer was lost finds its own checkpoint.
    return stored?.position === position && stored.fence === fence ? 'committed' : 'fenced';
  }

  async checkpoints(names: readonly string[]): Promise<Map<string, Checkpoint>> {
    const found = await this.#onCheckpoints((checkpoints) =>
      checkpoints.find({ _id: { $in: [...names] } }, inOneBatch(names)).toArray(),
    );
    return new Map(found.map(({ _id, position, fence }) => [_id, { name: _id, position, fence }]));
  }

  async deleteCheckpoint(name: string): Promise<void> {
    await this.#onCheckpoints((checkpoints) => checkpoints.deleteOne({ _id: { $eq: name } }, limited));
  }

  async ping(): Promise<void> {
    await this.#call((database) => database.command({ ping: 1 }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#indexBuilds.close();
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #indexNames(collection: string): Promise<Set<string>> {
    try {
      const indexes = await this.#call((database) => database.collection(collection).indexes());
      return new Set(indexes.map((index) => index.name ?? ''));
    } catch (error) {
      if (isNoCollection(error)) return new Set();
      throw error;
    }
  }

  async #isEmpty(collection: string): Promise<boolean> {
    const options = { ...limited, projection: { _id: 1 } };
    return (await this.#call((database) => database.collection(collection).findOne({}, options))) === null;
  }

  #onCheckpoints<T>(use: (checkpoints: StoredCollection<StoredCheckpoint>) => Promise<T>): Promise<T> {
    return this.#call((database) => use(database.collection<StoredCheckpoint>('store.checkpoints')));
  }

  /** A client whose first connection failed never connects again, so each attempt uses a new one until one succeeds. */
  async #connected(): Promise<MongoClient> {
    const client = this.#newClient();
    try {
      return await client.connect();
    } catch (error) {
      this.#client = undefined;
      await client.close().catch(() => {});
      throw error;
    }
  }

  async #moveCheckpoint(name: string, expected: string | null, position: string, fence: number): Promise<boolean> {
    if (expected !== null) {
      const guard = { _id: { $eq: name }, position: { $eq: expected }, fence: { $lte: fence } };
      const result = await this.#onCheckpoints((checkpoints) =>
        checkpoints.updateOne(guard, { $set: { position, fence } }, limited),
      );
      return result.matchedCount === 1;
    }
    try {
      await this.#onCheckpoints((checkpoints) => checkpoints.insertOne({ _id: name, position, fence }, limited));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  readonly #call: Call = async (call) => {
    if (this.#closed) throw new ReadStoreUnavailable('the read store is closed');
    try {
      this.#client ??= this.#connected();
      return await call((await this.#client).db());
    } catch (error) {
      throw unavailable(error);
    }
  };
}

function indexOf(index: CollectionSpec['indexes'][number]): IndexDescription & { name: string } {
  const fields = index.fields.map(storedField);
  const key = new Map<string, 1>(fields.map((field) => [field, 1]));
  // The id comes last, so that the total order of a find needs no sort; after an array it would order nothing.
  if (index.multi !== true) key.set('_id', 1);
  return { key, name: fields.join(',') };
}
