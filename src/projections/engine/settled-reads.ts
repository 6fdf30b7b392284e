import type { EventLog } from '../../log/log.ts';
import type { Collection, Document, ReadStore } from '../../readstore/read-store.ts';
import type { Projection } from '../projection.ts';
import { openLogEnd } from './log-end.ts';
import type { ReadModels } from './read-models.ts';
import { readableSpec, versionedName } from './runnable.ts';

/**
 * One version of a read model, and a position up to which its documents contain every event. The documents may contain
 * later events too.
 */
export type SettledRead = {
  readonly version: number;
  readonly collection: Collection<Document>;
  readonly position: string;
};

export type SettledReads = {
  /** In the order of the projections. @throws ReadStoreUnavailable */
  readonly of: (projections: readonly Projection[]) => Promise<readonly SettledRead[]>;
};

/**
 * The position and the documents are of the same version: while a new version takes the place of the live one, the
 * position of one says nothing about the documents of the other.
 * @param options.appliedHere the position of a version that this process folds; undefined for any other
 */
export function openSettledReads(options: {
  readonly log: Pick<EventLog, 'end'>;
  readonly readStore: Pick<ReadStore, 'collection' | 'checkpoints'>;
  readonly readModels: Pick<ReadModels, 'readableVersion'>;
  readonly appliedHere: (name: string, version: number) => string | undefined;
}): SettledReads {
  const { readStore, readModels, appliedHere } = options;
  const logEnd = openLogEnd(options.log);

  return {
    async of(projections) {
      const versions = await Promise.all(
        projections.map(async (projection) => {
          const version = await readModels.readableVersion(projection);
          return { name: projection.name, version, spec: readableSpec(projection, version) };
        }),
      );
      const applied = versions.map(({ name, version }) => appliedHere(name, version));
      const elsewhere = versions.filter((_, at) => applied[at] === undefined).map(versionedName);
      const checkpoints = elsewhere.length === 0 ? new Map() : await readStore.checkpoints(elsewhere);
      return Promise.all(
        versions.map(async ({ name, version, spec }, at) => {
          const id = versionedName({ name, version });
          const position = applied[at] ?? (await logEnd.within(checkpoints.get(id)?.position ?? ''));
          return { version, collection: readStore.collection<Document>(spec), position };
        }),
      );
    },
  };
}
