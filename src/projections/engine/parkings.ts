import type { Collection, CollectionSpec, Document, ReadStore } from '../../readstore/read-store.ts';
import type { Poison } from './projection-fold.ts';
import { type Versioned, versionedName } from './runnable.ts';

/**
 * An event that an operator let a projection skip. It stays on record until that version of the projection is dropped.
 */
export type Parking = Document &
  Poison & { readonly projection: string; readonly version: number; readonly parkedAt: string };

/** A halted projection and the reason; exists as long as it is halted, for every instance to see. */
export type HaltRecord = Document & { readonly poison: Poison };

export const PARKINGS: CollectionSpec = {
  name: 'projection_parkings',
  indexes: [{ fields: ['projection', 'version', 'position'] }],
  isState: true,
};

const HALTS: CollectionSpec = { name: 'projection_halts', indexes: [] };

export type Parkings = {
  /** Ids of the events parked for this version. */
  readonly parkedIds: (projection: Versioned) => Promise<Set<string>>;
  readonly park: (projection: Versioned, poison: Poison, parkedAt: string) => Promise<void>;
  readonly isParked: (projection: Versioned, eventId: string) => Promise<boolean>;
  readonly recordHalt: (projection: Versioned, poison: Poison) => Promise<void>;
  readonly halts: (projections: readonly Versioned[]) => Promise<Map<string, HaltRecord>>;
  readonly clearHalt: (projection: Versioned) => Promise<void>;
};

/** Creates its two collections when they do not exist. @throws ReadStoreUnavailable */
export async function openParkings(readStore: ReadStore): Promise<Parkings> {
  await readStore.ensureCollection(PARKINGS);
  await readStore.ensureCollection(HALTS);
  const parkings: Collection<Parking> = readStore.collection(PARKINGS);
  const halts: Collection<HaltRecord> = readStore.collection(HALTS);
  const parkingId = (projection: Versioned, eventId: string): string => `${versionedName(projection)}/${eventId}`;

  return {
    async parkedIds({ name, version }) {
      const ids = new Set<string>();
      const filter = [
        { field: 'projection', op: 'eq', value: name },
        { field: 'version', op: 'eq', value: version },
      ] as const;
      for await (const parking of parkings.iterate({ filter, sort: [] })) ids.add(parking.eventId);
      return ids;
    },
    async park(projection, poison, parkedAt) {
      const { name, version } = projection;
      const _id = parkingId(projection, poison.eventId);
      await parkings.putMany([{ _id, _position: poison.position, projection: name, version, ...poison, parkedAt }]);
    },
    isParked: async (projection, eventId) => (await parkings.get(parkingId(projection, eventId))) !== undefined,
    async recordHalt(projection, poison) {
      await halts.putMany([{ _id: versionedName(projection), _position: poison.position, poison }]);
    },
    halts: (projections) => halts.getMany(projections.map(versionedName)),
    async clearHalt(projection) {
      await halts.deleteMany([versionedName(projection)]);
    },
  };
}
