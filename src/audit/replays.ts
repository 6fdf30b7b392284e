import type { CollectionSpec, Document, Filter, ReadStore } from '../readstore/read-store.ts';
import { type Clock, isoTime } from '../shared/clock.ts';
import { documentId } from '../shared/ids.ts';
import type { ReadModelComparison } from './compare-replay.ts';

/**
 * The results of replays. They are reports, not facts about the tenant: asking for one changes nothing, so it is no
 * event.
 */
const REPLAYS: CollectionSpec = {
  name: 'replays',
  indexes: [{ fields: ['open', 'requestedAt'] }, { fields: ['tenantId', 'open', 'requestedAt'] }],
  isState: true,
};

export type Replay = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly id: string;
  readonly status: 'pending' | 'processing' | 'completed' | 'failed';
  /** True while a worker should look at it. */
  readonly open: boolean;
  /** Up to which the events are replayed. */
  readonly logPosition: string;
  readonly processedEvents: number;
  /** Null until they have been counted. */
  readonly totalEvents: number | null;
  readonly readModels: readonly ReadModelComparison[];
  readonly error: string | null;
  readonly requestedBy: string;
  readonly requestedAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
};

export type Replays = {
  readonly request: (
    wanted: Pick<Replay, 'tenantId' | 'companyId' | 'id' | 'logPosition' | 'requestedBy'>,
  ) => Promise<Replay>;
  readonly get: (tenantId: string, id: string) => Promise<Replay | undefined>;
  /** Those that are not done, oldest first. */
  readonly open: (find: { readonly filter: Filter; readonly limit: number }) => Promise<Replay[]>;
  /** How many are not done, counted up to the limit. */
  readonly countOpen: (tenantId: string, limit: number) => Promise<number>;
  /** Writes the changed fields to the report. Only the worker that holds its lease does so. */
  readonly change: (replay: Replay, changes: Partial<Replay>) => Promise<Replay>;
};

const COUNTER_LENGTH = 12;

export async function openReplays(readStore: ReadStore, clock: Clock): Promise<Replays> {
  await readStore.ensureCollection(REPLAYS);
  const collection = readStore.collection<Replay>(REPLAYS);
  // Not a position of the log: it counts the writes of the report.
  const next = (position: string): string => String(Number(position) + 1).padStart(COUNTER_LENGTH, '0');
  return {
    async request(wanted) {
      const replay: Replay = {
        _id: documentId(wanted.tenantId, wanted.id),
        _position: next('0'),
        ...wanted,
        status: 'pending',
        open: true,
        processedEvents: 0,
        totalEvents: null,
        readModels: [],
        error: null,
        requestedAt: isoTime(clock.now()),
        startedAt: null,
        completedAt: null,
      };
      await collection.putMany([replay]);
      return (await collection.get(replay._id)) ?? replay;
    },
    get: (tenantId, id) => collection.get(documentId(tenantId, id)),
    open: ({ filter, limit }) =>
      collection.find({
        filter: [...filter, { field: 'open', op: 'eq', value: true }],
        sort: [{ field: 'requestedAt', direction: 'asc' }],
        limit,
      }),
    countOpen: (tenantId, limit) =>
      collection.count(
        [
          { field: 'tenantId', op: 'eq', value: tenantId },
          { field: 'open', op: 'eq', value: true },
        ],
        limit,
      ),
    async change(replay, changes) {
      const changed: Replay = { ...replay, ...changes, _position: next(replay._position) };
      await collection.putMany([changed]);
      return changed;
    },
  };
}
