import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import type { StoreMemory } from '../../../src/readstore/embedded/store-sharing.ts';
import type { CollectionSpec } from '../../../src/readstore/read-store.ts';
import { answerOf, type ToCalled } from './called-thread.ts';

// The second thread of a read store that two threads have open.
type Options = { readonly file: string; readonly memory: StoreMemory; readonly smallTable?: number };
const store = openEmbeddedReadStore(workerData as Options);

function targetOf([kind, spec]: readonly unknown[]): object {
  if (kind === 'collection') return store.collection(spec as CollectionSpec);
  return kind === 'leases' ? store.leases : store;
}

parentPort?.on('message', ({ id, target, method, args }: ToCalled) => {
  const object = targetOf(target) as Record<string, (...of: readonly unknown[]) => Promise<unknown>>;
  void answerOf(
    id,
    Promise.resolve().then(() => object[method]?.(...args)),
  ).then((answer) => parentPort?.postMessage(answer));
});
