import type { Collection, Document, ReadStore } from '../../readstore/read-store.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import type { Projection } from '../projection.ts';
import { type LiveVersion, openRegistry } from './live-versions.ts';
import { collectionName, type RunnableProjection, readableSpec, versionedName } from './runnable.ts';

/** One version of a read model. */
export type Readable<D extends Document> = {
  readonly version: number;
  readonly collection: Collection<D>;
  /**
   * The position up to which every event is in the documents, as stored; "" for none. Of later events some may be there
   * and others before them not yet: MongoDB writes the documents of a batch in any order.
   */
  readonly settled: () => Promise<string>;
};

export type ReadModels = {
  /**
   * The projection's live version, for reading. The version is looked up again when the last lookup is older than a
   * second, so a handle may be kept. This code cannot read a version newer than its own: then it gets its own, which
   * its runner keeps up to date.
   */
  readonly of: <D extends Document>(projection: Projection<D>) => Collection<D>;
  /** The version that {@link ReadModels.of} reads at present, for questions that depend on the shape of documents. */
  readonly readable: <D extends Document>(projection: Projection<D>) => Promise<Readable<D>>;
  /** The name of the collection that {@link ReadModels.of} reads at present. */
  readonly liveCollection: (projection: RunnableProjection) => Promise<string>;
  /** The version that {@link ReadModels.of} reads at present. */
  readonly readableVersion: (projection: RunnableProjection) => Promise<number>;
};

const LOOK_AGAIN_MS = 1_000;

/** @throws ReadStoreUnavailable */
export async function openReadModels(options: {
  readonly readStore: Pick<ReadStore, 'ensureCollection' | 'collection' | 'checkpoints'>;
  readonly projections: readonly RunnableProjection[];
  readonly clock?: Clock;
}): Promise<ReadModels> {
  const { readStore, clock = systemClock } = options;
  const registry = await openRegistry(readStore);
  const names = options.projections.map((projection) => projection.name);
  let live = await registry.getMany(names);
  let refreshedAtMs = clock.now();
  let refreshing: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    try {
      live = await registry.getMany(names);
      refreshedAtMs = clock.now();
    } catch {
      // The last known live version can still be read; if the store is unavailable, the read itself fails.
    } finally {
      refreshing = undefined;
    }
  }

  async function versionOf(projection: RunnableProjection): Promise<number> {
    if (Math.abs(clock.now() - refreshedAtMs) >= LOOK_AGAIN_MS) {
      refreshing ??= refresh();
      await refreshing;
    }
    return readableVersion(live.get(projection.name), projection.version);
  }

  return {
    of<D extends Document>(projection: Projection<D>): Collection<D> {
      const handles = new Map<number, Collection<D>>();
      const current = async (): Promise<Collection<D>> => {
        const version = await versionOf(projection);
        let handle = handles.get(version);
        if (handle === undefined) {
          handle = readStore.collection<D>(readableSpec(projection, version));
          handles.set(version, handle);
        }
        return handle;
      };
      return {
        get: async (id) => (await current()).get(id),
        getMany: async (ids) => (await current()).getMany(ids),
        find: async (find) => (await current()).find(find),
        async *iterate(find) {
          yield* (await current()).iterate(find);
        },
        count: async (filter, limit) => (await current()).count(filter, limit),
        putMany: refuse,
        compareAndSet: refuse,
        deleteMany: refuse,
      };
    },
    async readable<D extends Document>(projection: Projection<D>): Promise<Readable<D>> {
      const version = await versionOf(projection);
      const id = versionedName({ name: projection.name, version });
      return {
        version,
        collection: readStore.collection<D>(readableSpec(projection, version)),
        settled: async () => (await readStore.checkpoints([id])).get(id)?.position ?? '',
      };
    },
    liveCollection: async (projection) =>
      collectionName({ name: projection.name, version: await versionOf(projection) }),
    readableVersion: versionOf,
  };
}

/** The version of a read model that this code reads, given the entry of its live version. */
export function readableVersion(entry: LiveVersion | undefined, own: number): number {
  return entry === undefined || entry.live > own ? own : entry.live;
}

async function refuse(): Promise<never> {
  throw new Error('read models are written by their projections alone');
}
