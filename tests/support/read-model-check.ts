import type { EventLog } from '../../src/log/log.ts';
import { projections as everyProjection } from '../../src/projections/all.ts';
import { digestCollection } from '../../src/projections/engine/digest.ts';
import { rebuildProjections } from '../../src/projections/engine/rebuild.ts';
import { collectionSpec, type RunnableProjection } from '../../src/projections/engine/runnable.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';

/**
 * The names of the read models whose documents differ from a fresh rebuild of the whole log. They must be at rest at
 * the log's head.
 */
export async function modelsUnlikeRebuild(
  log: EventLog,
  readStore: ReadStore,
  projections: readonly RunnableProjection[] = everyProjection,
): Promise<string[]> {
  const rebuilt = await rebuildProjections({ log, readStore, projections });
  const unlike: string[] = [];
  for (const [index, projection] of projections.entries()) {
    const fresh = rebuilt[index];
    if (fresh === undefined) throw new Error(`${projection.name} was not rebuilt`);
    const live = await digestCollection(readStore, collectionSpec(projection));
    if (live !== (await digestCollection(readStore, fresh.collection))) unlike.push(projection.name);
    await readStore.dropCollection(fresh.collection.name);
  }
  return unlike;
}
