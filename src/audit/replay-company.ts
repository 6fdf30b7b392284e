import type { RecordedEvent } from '../events/event.ts';
import type { EventLog } from '../log/log.ts';
import { streamParts } from '../log/stream-parts.ts';
import { type Category, streamName } from '../log/streams.ts';
import { assignments } from '../projections/assignments.ts';
import { connections } from '../projections/connections.ts';
import { rebuildProjections } from '../projections/engine/rebuild.ts';
import type { RunnableProjection } from '../projections/engine/runnable.ts';
import type { Projection } from '../projections/projection.ts';
import { ruleRuns } from '../projections/rule-runs.ts';
import { rules, ruleVersions } from '../projections/rules.ts';
import { runMatches } from '../projections/run-matches.ts';
import { scheduleRuns } from '../projections/schedule-runs.ts';
import { schedules } from '../projections/schedules.ts';
import { syncRuns } from '../projections/sync-runs.ts';
import { transactions } from '../projections/transactions.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { Document, Filter, ReadStore } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import { compareReplay, type ReadModelComparison } from './compare-replay.ts';
import { foldStream } from './fold-stream.ts';

/** The stream of a document, for read models whose documents are each folded from one stream; null for the others. */
type StreamOf = ((document: never) => { readonly category: Category; readonly id: string }) | null;

type Replayed = { readonly projection: RunnableProjection; readonly streamOf: StreamOf };

const byId =
  (category: Category) =>
  ({ id }: { id: string }) => ({ category, id });

/** The read models that hold what belongs to a company. */
const REPLAYED: readonly Replayed[] = [
  { projection: transactions, streamOf: byId('bankTransaction') },
  {
    projection: assignments,
    streamOf: ({ transactionId: id }: { transactionId: string }) => ({ category: 'bankTransaction', id }),
  },
  { projection: rules, streamOf: byId('transactionRule') },
  { projection: ruleVersions, streamOf: byId('transactionRule') },
  { projection: ruleRuns, streamOf: byId('ruleRun') },
  { projection: runMatches, streamOf: ({ runId: id }: { runId: string }) => ({ category: 'ruleRun', id }) },
  { projection: syncRuns, streamOf: byId('syncRun') },
  { projection: scheduleRuns, streamOf: byId('scheduleRun') },
  { projection: connections, streamOf: null },
  { projection: schedules, streamOf: null },
];

export const REPLAYED_NAMES: readonly string[] = REPLAYED.map(({ projection }) => projection.name);

/**
 * Folds a company's events up to a position into collections of their own, compares them with the live read models, and
 * drops them again. The live ones are only read. The live read models must have reached the position.
 * @throws RebuildFailed, LogUnavailable, ReadStoreUnavailable, or the signal's reason
 */
export async function replayCompany(
  services: { readonly log: EventLog; readonly readStore: ReadStore; readonly readModels: ReadModels },
  replay: {
    readonly id: string;
    readonly tenantId: string;
    readonly companyId: string;
    readonly logPosition: string;
    readonly signal: AbortSignal;
    readonly onFolded: (count: number) => void;
    readonly pace: (part: () => Promise<void>) => Promise<void>;
  },
): Promise<ReadModelComparison[]> {
  const { log, readStore, readModels } = services;
  const { id, tenantId, companyId, logPosition, signal } = replay;
  const isTheirs = ({ metadata }: RecordedEvent): boolean =>
    metadata.tenantId === tenantId && metadata.companyId === companyId;
  const into = ({ name }: { name: string }): string => `replay_${id.replaceAll('-', '')}_${name.replaceAll('-', '_')}`;
  const narrowed = REPLAYED.map(({ projection }): RunnableProjection => {
    return { ...projection, keys: (event) => (isTheirs(event) ? projection.keys(event) : []) };
  });
  try {
    const built = await rebuildProjections({
      log,
      readStore,
      projections: narrowed,
      into,
      indexed: false,
      tenantId,
      upTo: logPosition,
      signal,
      pace: replay.pace,
      onFolded: (events) => replay.onFolded(events.filter(isTheirs).length),
    });
    // By ids, in whose order they are compared: an index on the tenant has another order, so that each page would sort
    // all that the tenant has.
    const filter: Filter = [
      { field: '_id', op: 'prefix', value: documentId(tenantId, '') },
      { field: 'companyId', op: 'eq', value: companyId },
    ];
    const comparisons: ReadModelComparison[] = [];
    for (const [index, { projection, streamOf }] of REPLAYED.entries()) {
      signal.throwIfAborted();
      const collection = built[index]?.collection;
      if (collection === undefined) continue;
      comparisons.push(
        await compareReplay({
          name: projection.name,
          live: readModels.of(projection as unknown as Projection),
          replayed: readStore.collection(collection),
          filter,
          position: logPosition,
          stoodThen: (document) => stoodThen(log, projection, streamOf, document, { tenantId, logPosition }),
          pace: replay.pace,
        }),
      );
    }
    return comparisons;
  } finally {
    for (const projection of narrowed) await readStore.dropCollection(into(projection));
  }
}

async function stoodThen(
  log: EventLog,
  projection: RunnableProjection,
  streamOf: StreamOf,
  document: Document,
  { tenantId, logPosition }: { tenantId: string; logPosition: string },
): Promise<Document | undefined | null> {
  if (streamOf === null) return null;
  const { category, id } = streamOf(document as never);
  const stream = streamName(category, tenantId, id);
  let documents = new Map<string, Document>();
  for await (const events of streamParts((range) => log.readStreamPositions(stream, range))) {
    documents = foldStream(projection as unknown as Projection, events, logPosition, documents);
    if ((events.at(-1)?.position ?? '') > logPosition) break;
  }
  return documents.get(document._id);
}
