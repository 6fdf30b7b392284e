import { DocumentTooLarge, type ReadStore, ReadStoreUnavailable } from '../../../src/readstore/read-store.ts';

/** A store that a test can make fail in parts. */
export type FaultyStore = ReadStore & {
  /** Calls to `commitBatch` that still fail before anything is written. */
  failBefore: number;
  /** Calls to `commitBatch` that still write their documents and then fail, the checkpoint unmoved. */
  failBetween: number;
  /** Calls to `commitBatch` that still succeed although the caller gets an error. */
  failAfter: number;
  /** Calls to `commitBatch` that still fail before anything is written, with a permanent fault. */
  failPermanently: number;
  /** The most characters that a document may have as JSON. */
  mostCharacters: number;
  /** Leases can neither be acquired nor renewed. */
  leasesAway: boolean;
  /** Calls to `commitBatch` made. */
  commits: number;
  /** Documents passed to `commitBatch`. */
  written: number;
};

export function faultyStore(store: ReadStore): FaultyStore {
  const faulty: FaultyStore = {
    failBefore: 0,
    failBetween: 0,
    failAfter: 0,
    failPermanently: 0,
    mostCharacters: Number.POSITIVE_INFINITY,
    leasesAway: false,
    commits: 0,
    written: 0,
    async commitBatch(batch) {
      faulty.commits += 1;
      faulty.written += batch.documents.length;
      const large = batch.documents.find((document) => JSON.stringify(document).length > faulty.mostCharacters);
      if (large !== undefined) throw new DocumentTooLarge(batch.collection.name, large._id);
      if (faulty.failPermanently > 0) {
        faulty.failPermanently -= 1;
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
