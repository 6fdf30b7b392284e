import type { Collection, Document, Leases, ReadStore } from '../read-store.ts';
import { ReadStoreDamaged } from '../read-store.ts';

/** The error with advice added where it is one of damage. */
export function advised(error: unknown, advice: string): unknown {
  if (!(error instanceof ReadStoreDamaged)) return error;
  return new ReadStoreDamaged(`${advice} (${error.message})`, { cause: error });
}

/**
 * The store with the first sign of damage remembered: from then on every `ping` fails with it, also where the damaged
 * part is not read again. Other calls are still answered from what can be read. Errors of damage say the advice.
 */
export function watchForDamage(store: ReadStore, advice: string): ReadStore {
  let damage: unknown;

  function seen(error: unknown): unknown {
    if (error instanceof ReadStoreDamaged) damage ??= advised(error, advice);
    return error instanceof ReadStoreDamaged ? damage : error;
  }

  async function watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw seen(error);
    }
  }

  async function* watchEach<T>(all: AsyncIterable<T>): AsyncIterable<T> {
    try {
      yield* all;
    } catch (error) {
      throw seen(error);
    }
  }

  const watchCollection = <D extends Document>(collection: Collection<D>): Collection<D> => ({
    get: (id) => watch(() => collection.get(id)),
    getMany: (ids) => watch(() => collection.getMany(ids)),
    find: (find) => watch(() => collection.find(find)),
    iterate: (find) => watchEach(collection.iterate(find)),
    count: (filter, limit) => watch(() => collection.count(filter, limit)),
    putMany: (documents) => watch(() => collection.putMany(documents)),
    compareAndSet: (document, expected) => watch(() => collection.compareAndSet(document, expected)),
    deleteMany: (ids) => watch(() => collection.deleteMany(ids)),
  });

  const leases: Leases = {
    acquireMany: (...of) => watch(() => store.leases.acquireMany(...of)),
    releaseMany: (...of) => watch(() => store.leases.releaseMany(...of)),
    getMany: (names) => watch(() => store.leases.getMany(names)),
  };

  return {
    ensureCollection: (spec, options) => watch(() => store.ensureCollection(spec, options)),
    collection: (spec) => watchCollection(store.collection(spec)),
    dropCollection: (name) => watch(() => store.dropCollection(name)),
    commitBatch: (batch) => watch(() => store.commitBatch(batch)),
    checkpoints: (names) => watch(() => store.checkpoints(names)),
    deleteCheckpoint: (name) => watch(() => store.deleteCheckpoint(name)),
    leases,
    async ping() {
      if (damage !== undefined) throw damage;
      await watch(() => store.ping());
    },
    close: () => store.close(),
  };
}
