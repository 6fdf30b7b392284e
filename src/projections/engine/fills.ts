import { nextPosition } from '../../readstore/counted-position.ts';
import type { Collection, CollectionSpec, Document, ReadStore } from '../../readstore/read-store.ts';
import { type Versioned, versionedName } from './runnable.ts';

/**
 * How far a version of a read model has to come to be whole: to the end that the log had when its filling began. Once
 * its checkpoint is there, no document of that time is missing.
 */
type Fill = Document & { readonly target: string };

const FILLS: CollectionSpec = { name: 'projection_fills', indexes: [] };

export type Fills = {
  /** The targets of those versions whose filling has begun, by their versioned names. */
  readonly targets: (versions: readonly Versioned[]) => Promise<Map<string, string>>;
  /** Sets the target of a filling that begins, also in place of another one. */
  readonly begin: (version: Versioned, target: string) => Promise<void>;
};

/** Creates its collection when it does not exist. @throws ReadStoreUnavailable */
export async function openFills(readStore: ReadStore): Promise<Fills> {
  await readStore.ensureCollection(FILLS);
  const fills: Collection<Fill> = readStore.collection(FILLS);
  return {
    async targets(versions) {
      const found = await fills.getMany(versions.map(versionedName));
      return new Map([...found].map(([name, { target }]) => [name, target]));
    },
    async begin(version, target) {
      const _id = versionedName(version);
      const before = await fills.get(_id);
      await fills.putMany([{ _id, _position: nextPosition(before?._position), target }]);
    },
  };
}

/** Of a version that was dropped, so that it would be filled anew. */
export async function forgetFill(readStore: ReadStore, version: Versioned): Promise<void> {
  await readStore.ensureCollection(FILLS);
  await readStore.collection(FILLS).deleteMany([versionedName(version)]);
}
