import { nextPosition } from '../../readstore/counted-position.ts';
import type { Collection, CollectionSpec, Document, ReadStore } from '../../readstore/read-store.ts';
import { forgetFill } from './fills.ts';
import { collectionName, type Versioned, versionedName } from './runnable.ts';

/**
 * Which version of a projection readers get, and the previous one, which is kept for a rollback. Its changes are
 * counted, so that two instances cannot both make one.
 */
export type LiveVersion = Document & {
  readonly live: number;
  readonly previous: number | null;
  /** What was verified before the switch; null for the very first version. */
  readonly verified: Verified | null;
};

export type Verified = {
  readonly position: string;
  readonly documents: number;
  readonly digest: string;
  /** Documents folded again from the log and found equal. */
  readonly refolded: number;
};

const REGISTRY: CollectionSpec = { name: 'projection_versions', indexes: [] };

export async function openRegistry(
  readStore: Pick<ReadStore, 'ensureCollection' | 'collection'>,
): Promise<Collection<LiveVersion>> {
  await readStore.ensureCollection(REGISTRY);
  return readStore.collection<LiveVersion>(REGISTRY);
}

/** The live version; where there is none yet, this one becomes it. */
export async function liveVersionOrFirst(registry: Collection<LiveVersion>, projection: Versioned): Promise<number> {
  const first: LiveVersion = {
    _id: projection.name,
    _position: nextPosition(undefined),
    live: projection.version,
    previous: null,
    verified: null,
  };
  const known = await registry.get(projection.name);
  if (known !== undefined) return known.live;
  if (await registry.compareAndSet(first, null)) return projection.version;
  return (await registry.get(projection.name))?.live ?? projection.version;
}

/**
 * Makes a version the live one and drops those older than the one it replaces. False when another instance changed the
 * registry meanwhile, or this version (or a later one) is already live.
 */
export async function flipLive(
  readStore: ReadStore,
  registry: Collection<LiveVersion>,
  projection: Versioned,
  verified: Verified,
): Promise<boolean> {
  const before = await registry.get(projection.name);
  if (before !== undefined && before.live >= projection.version) return false;
  const after: LiveVersion = {
    _id: projection.name,
    _position: nextPosition(before?._position),
    live: projection.version,
    previous: before?.live ?? null,
    verified,
  };
  if (!(await registry.compareAndSet(after, before?._position ?? null))) return false;
  if (before !== undefined && before.previous !== null && before.previous !== projection.version) {
    await dropVersion(readStore, { name: projection.name, version: before.previous });
  }
  return true;
}

async function dropVersion(readStore: ReadStore, version: Versioned): Promise<void> {
  await readStore.dropCollection(collectionName(version));
  await readStore.deleteCheckpoint(versionedName(version));
  await forgetFill(readStore, version);
}
