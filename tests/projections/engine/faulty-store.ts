import { DocumentTooLarge, type ReadStore, ReadStoreUnavailable } from '../../../src/readstore/read-store.ts';

/** A store whose parts a test can make fail. */
export type FaultyStore = ReadStore & {
  /** Calls to `commitBatch` that still fail before anything is written. */
  failBefore: number;
  /** Calls to `commitBatch` that still write their documents and then fail, the checkpoint unmoved. */
  failBetween: number;
  /** Calls to `commitBatch` that still succeed without the caller hearing of it. */
  failAfter: number;
  /** Calls to `commitBatch` that still fail before anything is written, with a fault that no waiting ends. */
  failForGood: number;
  /** The most characters that a document may have as JSON. */
  mostCharacters: number;
  /** Leases can neither be taken nor prolonged. */
  leasesAway: boolean;
  /** Calls to `commitBatch` made. */
  commits: number;
  /** Documents handed to `commitBatch`. */
  written: number;
};

export function faultyStore(store: ReadStore): FaultyStore {
  const faulty: FaultyStore = {
    failBefore: 0,
    failBetween: 0,
    failAfter: 0,
    failForGood: 0,
    mostCharacters: Number.POSITIVE_INFINITY,
    leasesAway: false,
    commits: 0,
    written: 0,
    async commitBatch(batch) {
      faulty.commits += 1;
      faulty.written += batch.documents.length;
      const large = batch.documents.find((document) => JSON.stringify(document).length > faulty.mostCharacters);
      if (large !== undefined) throw new DocumentTooLarge(batch.collection.name, large._id);
      if (faulty.failForGood > 0) {
        faulty.failForGood -= 1;
        throw new Error('for good');
      }
      if (faulty.failBefore > 0) {
        faulty.failBefore -= 1;
        throw new ReadStoreUnavailable('before');
      }
      if (faulty.failBetween > 0) {
        faulty.failBetween -= 1;
        await store.collection(batch.collection).putMany(batch.documents);
        throw new ReadStoreUnavailable('between');
      }
      const outcome = await store.commitBatch(batch);
      if (faulty.failAfter > 0) {
        faulty.failAfter -= 1;
        throw new ReadStoreUnavailable('after');
      }
      return outcome;
    },
    leases: {
      acquireMany(...args) {
        if (faulty.leasesAway) return Promise.reject(new ReadStoreUnavailable('leases'));
        return store.leases.acquireMany(...args);
      },
      releaseMany: (...args) => store.leases.releaseMany(...args),
      getMany: (...args) => store.leases.getMany(...args),
    },
    ensureCollection: (spec, options) => store.ensureCollection(spec, options),
    collection: (spec) => store.collection(spec),
    dropCollection: (name) => store.dropCollection(name),
    checkpoints: (names) => store.checkpoints(names),
    deleteCheckpoint: (name) => store.deleteCheckpoint(name),
    ping: () => store.ping(),
    close: () => store.close(),
  };
  return faulty;
}
