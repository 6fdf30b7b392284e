import type { Collection, CollectionSpec, Document, ReadStore } from '../../readstore/read-store.ts';
import { collectionName, type Versioned, versionedName } from './runnable.ts';

/** Which version of a projection readers are given, and which one stood before it and is kept for going back. */
export type LiveVersion = Document & {
  readonly live: number;
  readonly previous: number | null;
  /** What was verified before the flip; null for the first version there ever was. */
  readonly verified: Verified | null;
};

export type Verified = {
  readonly position: string;
  readonly documents: number;
  readonly digest: string;
  /** Documents folded anew from the log and found equal. */
  readonly refolded: number;
};

const REGISTRY: CollectionSpec = { name: 'projection_versions', indexes: [] };

/** Turns of the registry are numbered, so that two instances cannot both turn it. */
const turnAfter = (position: string | undefined): string => String(Number(position ?? '0') + 1).padStart(12, '0');

export async function openRegistry(readStore: ReadStore): Promise<Collection<LiveVersion>> {
  await readStore.ensureCollection(REGISTRY);
  return readStore.collection<LiveVersion>(REGISTRY);
}

/** The live version; where there is none yet, this one becomes it. */
export async function liveVersionOrFirst(registry: Collection<LiveVersion>, projection: Versioned): Promise<number> {
  const first: LiveVersion = {
    _id: projection.name,
    _position: turnAfter(undefined),
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
 * Makes a version the live one and drops those older than the one it replaces. False when another instance turned the
 * registry meanwhile, or the version (or a later one) is live already.
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
    _position: turnAfter(before?._position),
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
}
