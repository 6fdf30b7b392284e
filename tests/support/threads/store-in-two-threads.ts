import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import { newStoreMemory } from '../../../src/readstore/embedded/store-sharing.ts';
import {
  type Collection,
  DocumentTooLarge,
  type Leases,
  type ReadStore,
  ReadStoreDamaged,
  ReadStoreUnavailable,
} from '../../../src/readstore/read-store.ts';
import { startCalledThread } from './called-thread.ts';

const ERRORS = [ReadStoreUnavailable, ReadStoreDamaged, DocumentTooLarge, RangeError, TypeError];

/** One store that two threads have open: every other call is made in the other thread. `iterate` runs in this one. */
export function openStoreInTwoThreads(options: { readonly file: string; readonly smallTable?: number }): ReadStore {
  const memory = newStoreMemory();
  const here = openEmbeddedReadStore({ ...options, memory });
  const thread = startCalledThread(new URL('./store-thread.ts', import.meta.url), { ...options, memory }, ERRORS);
  let calls = 0;
  let closing: Promise<void> | undefined;

  function alternating<Of extends object>(local: Of, target: readonly unknown[]): Of {
    return new Proxy(local, {
      get(object, method) {
        const own = Reflect.get(object, method, object);
        if (typeof own !== 'function' || typeof method !== 'string') return own;
        return (...args: readonly unknown[]) => {
          calls += 1;
          const isThere = closing === undefined && method !== 'iterate' && calls % 2 === 0;
          return isThere ? thread.call({ target, method, args }) : own.apply(object, args);
        };
      },
    });
  }

  const leases: Leases = alternating(here.leases, ['leases']);
  const store = alternating<ReadStore>(here, ['store']);
  return {
    ensureCollection: (...of) => store.ensureCollection(...of),
    collection: (spec) => alternating(here.collection(spec), ['collection', spec]) as Collection<never>,
    dropCollection: (name) => store.dropCollection(name),
    commitBatch: (batch) => store.commitBatch(batch),
    checkpoints: (names) => store.checkpoints(names),
    deleteCheckpoint: (name) => store.deleteCheckpoint(name),
    leases,
    ping: () => store.ping(),
    close() {
      closing ??= (async () => {
        await thread.call({ target: ['store'], method: 'close', args: [] });
        await here.close();
        await thread.end();
      })();
      return closing;
    },
  };
}
