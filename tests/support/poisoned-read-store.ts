import { projections } from '../../src/projections/all.ts';
import { collectionName, collectionSpec, versionedName } from '../../src/projections/engine/runnable.ts';
import { openEmbeddedStores } from '../../src/readstore/embedded/two-files.ts';

/**
 * The largest position there is, as the former version stored it: what servers of 24.6 nominate on a log without events
 * of ours.
 */
export const LARGEST_POSITION = `${2n ** 64n - 1n}-${2n ** 64n - 1n}`;

/**
 * Leaves the embedded read store of a stopped service as the former version left it after a first start on EventStoreDB
 * 24.6: data that cannot be derived from a log exists, no read model has a document, and every checkpoint is ahead of
 * any log.
 */
export async function poisonReadStore(dataDir: string): Promise<void> {
  const readStore = openEmbeddedStores(dataDir);
  try {
    for (const projection of projections) {
      const name = versionedName(projection);
      const before = (await readStore.checkpoints([name])).get(name);
      await readStore.dropCollection(collectionName(projection));
      const outcome = await readStore.commitBatch({
        collection: collectionSpec(projection),
        documents: [],
        checkpoint: {
          name,
          expected: before?.position ?? null,
          position: LARGEST_POSITION,
          fence: before?.fence ?? 1,
        },
      });
      if (outcome !== 'committed') throw new Error(`the checkpoint of ${name} could not be moved`);
    }
  } finally {
    await readStore.close();
  }
}
