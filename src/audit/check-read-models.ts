import type { EventLog } from '../log/log.ts';
import { openRegistry } from '../projections/engine/live-versions.ts';
import { PARKINGS } from '../projections/engine/parkings.ts';
import { RebuildFailed, type Rebuilt, rebuildProjections } from '../projections/engine/rebuild.ts';
import { collectionSpec, type RunnableProjection, versionedName } from '../projections/engine/runnable.ts';
import type { Document, ReadStore } from '../readstore/read-store.ts';
import { compareReplay, type ReplayDifference } from './compare-replay.ts';

export type ReadModelCheck = {
  /** `<name>@<version>` */
  readonly name: string;
} & (
  | { readonly state: 'not-built' }
  /** Its checkpoint is ahead of the log. */
  | { readonly state: 'ahead' }
  | { readonly state: 'unfoldable'; readonly reason: string }
  | {
      readonly state: 'compared';
      /** Documents of a fresh fold up to the checkpoint. */
      readonly documents: number;
      readonly equal: boolean;
      /** The first 100. */
      readonly differences: readonly ReplayDifference[];
    }
);

const PAGE = 500;

/**
 * Compares every live read model with a fresh fold of the log up to its checkpoint, made in a spare store. The read
 * store is only read and must be at rest; documents newer than their checkpoint, which a crash leaves, count as equal,
 * since they are folded again.
 * @throws LogUnavailable, ReadStoreUnavailable
 */
export async function* checkReadModels(options: {
  readonly log: EventLog;
  readonly readStore: ReadStore;
  /** Empty; what is left in it afterwards is of no use. */
  readonly spare: ReadStore;
  readonly projections: readonly RunnableProjection[];
}): AsyncGenerator<ReadModelCheck> {
  const { log, readStore, spare, projections } = options;
  await copyParkings(readStore, spare);
  const live = await (await openRegistry(readStore)).getMany(projections.map(({ name }) => name));
  const checkpoints = await readStore.checkpoints(projections.map(versionedName));
  const byPosition = Map.groupBy(
    projections.filter(({ name, version }) => live.get(name)?.live === version),
    (projection) => checkpoints.get(versionedName(projection))?.position ?? '',
  );
  const built = new Set([...byPosition.entries()].flatMap(([position, group]) => (position === '' ? [] : group)));
  for (const projection of projections) {
    if (!built.has(projection)) yield { name: versionedName(projection), state: 'not-built' };
  }
  const head = await log.head();
  for (const [position, group] of byPosition) {
    if (position > head) for (const projection of group) yield { name: versionedName(projection), state: 'ahead' };
    if (position === '' || position > head) continue;
    const folded = await foldedTo(position, group, { log, spare });
    for (const [index, projection] of group.entries()) {
      const name = versionedName(projection);
      const fresh = folded[index];
      if (typeof fresh === 'string') yield { name, state: 'unfoldable', reason: fresh };
      if (typeof fresh !== 'object') continue;
      const { documents, equal, differences } = await compareReplay({
        name,
        live: readStore.collection<Document>(collectionSpec(projection)),
        replayed: spare.collection<Document>(fresh.collection),
        filter: [],
        position,
        stoodThen: async () => null,
      });
      yield { name, state: 'compared', documents, equal, differences };
    }
  }
}

/** With one reading of the log where that is possible; where one cannot be folded, each by itself. */
async function foldedTo(
  upTo: string,
  group: readonly RunnableProjection[],
  { log, spare }: { log: EventLog; spare: ReadStore },
): Promise<(Rebuilt | string)[]> {
  try {
    return await rebuildProjections({ log, readStore: spare, projections: group, upTo });
  } catch (error) {
    if (!(error instanceof RebuildFailed)) throw error;
    if (group.length === 1) return [error.message];
  }
  const each: (Rebuilt | string)[] = [];
  for (const projection of group) each.push(...(await foldedTo(upTo, [projection], { log, spare })));
  return each;
}

/** Parked events are skipped as they were when they were parked. */
async function copyParkings(from: ReadStore, to: ReadStore): Promise<void> {
  for (const store of [from, to]) await store.ensureCollection(PARKINGS);
  let page: Document[] = [];
  for await (const parking of from.collection(PARKINGS).iterate({ filter: [], sort: [], pageSize: PAGE })) {
    page.push(parking);
    if (page.length < PAGE) continue;
    await to.collection(PARKINGS).putMany(page);
    page = [];
  }
  await to.collection(PARKINGS).putMany(page);
}
