import type { RecordedEvent } from '../../events/event.ts';
import type { EventLog } from '../../log/log.ts';
import type { CollectionSpec, Document, ReadStore } from '../../readstore/read-store.ts';
import { canonicalJson } from '../../shared/hash.ts';
import { createLoopBudget } from '../../shared/loop-budget.ts';
import { surveyCollection } from './digest.ts';
import type { Verified } from './live-versions.ts';
import { openParkings } from './parkings.ts';
import { FOLD_STRETCH_MS, type Poison, type ProjectionFold, startFold } from './projection-fold.ts';
import { readAhead } from './read-ahead.ts';
import { collectionName, collectionSpec, type RunnableProjection, versionedName } from './runnable.ts';

/** How much is folded before it is written: more merges more changes, less takes less memory. */
export const PENDING = { documents: 250, events: 1_000 } as const;
/** The same while documents are made from the start: many are changed soon after they were made. */
export const PENDING_IN_FILLING = { documents: 2_000, events: 8_000 } as const;

const SAMPLE = 50;

export type Rebuilt = {
  readonly projection: string;
  readonly collection: CollectionSpec;
  /** The last position folded. */
  readonly position: string;
};

type RebuildOptions = {
  readonly log: EventLog;
  readonly readStore: ReadStore;
  /** Fold up to this position, inclusive; the log's head at the start unless given. */
  readonly upTo?: string;
  readonly signal?: AbortSignal;
  /** Whose events are enough. */
  readonly tenantId?: string;
  /** Called for each batch of events once it is folded. */
  readonly onFolded?: (events: readonly RecordedEvent[]) => void;
  /** Runs the folding of a batch; unless given, it runs immediately. */
  readonly pace?: (fold: () => Promise<void>) => Promise<void>;
};

/** A rebuild met an event it cannot fold; parked events are skipped as they were when they were parked. */
export class RebuildFailed extends Error {
  readonly poison: Poison;
  constructor(projection: string, poison: Poison) {
    super(`${projection} cannot take ${poison.eventType} at ${poison.position}: ${poison.message}`);
    this.name = 'RebuildFailed';
    this.poison = poison;
  }
}

/**
 * Folds one projection from scratch into a separate collection (`<name>_v<version>_rebuild` unless named), replacing
 * its content. It changes neither the live collection nor its checkpoint.
 * @throws RebuildFailed, LogUnavailable, ReadStoreUnavailable, or the signal's reason
 */
export async function rebuildProjection(
  options: RebuildOptions & { readonly projection: RunnableProjection; readonly into?: string },
): Promise<Rebuilt> {
  const { projection, into = `${collectionName(options.projection)}_rebuild`, ...rest } = options;
  const [rebuilt] = await rebuildProjections({ ...rest, projections: [projection], into: () => into });
  if (rebuilt === undefined) throw new Error('nothing was rebuilt');
  return rebuilt;
}

/** {@link rebuildProjection} for several with one reading of the log. */
export async function rebuildProjections(
  options: RebuildOptions & {
    readonly projections: readonly RunnableProjection[];
    readonly into?: (projection: RunnableProjection) => string;
    /** False for collections that are only iterated in the order of ids, once: neither indexed nor compressed. */
    readonly indexed?: boolean;
  },
): Promise<Rebuilt[]> {
  const { log, readStore, indexed = true } = options;
  const { into = (projection) => `${collectionName(projection)}_rebuild` } = options;
  const upTo = options.upTo ?? (await log.head());
  const budget = createLoopBudget(FOLD_STRETCH_MS);
  const builds = await Promise.all(
    options.projections.map(async (projection) => {
      const name = into(projection);
      // Stored as the live one is: what is read often would take a third of the time to pack.
      const spec: CollectionSpec = indexed
        ? { ...collectionSpec(projection), name }
        : { name, indexes: [], isReadOften: true };
      await readStore.dropCollection(spec.name);
      await readStore.ensureCollection(spec, { indexes: 'later' });
      const collection = readStore.collection<Document>(spec);
      const isParked = await parkedTest(readStore, projection);
      const fold = startFold(projection, collection, isParked, budget);
      return { projection, spec, collection, fold, pendingEvents: 0, writing: settled() };
    }),
  );
  const { pace = (fold) => fold() } = options;
  const foldAll = async (events: readonly RecordedEvent[]): Promise<void> => {
    await Promise.all(
      builds.map(async (build) => {
        const poison = await build.fold.fold(events);
        if (poison !== undefined) throw new RebuildFailed(versionedName(build.projection), poison);
        build.pendingEvents += events.length;
        const isFull = build.pendingEvents >= PENDING_IN_FILLING.events && build.fold.changedCount() > 0;
        if (isFull || build.fold.changedCount() >= PENDING_IN_FILLING.documents) await startWrite(build);
      }),
    );
    options.onFolded?.(events);
  };
  await drain(log, upTo, options, (events) => pace(() => foldAll(events)));
  for (const build of builds) {
    await startWrite(build);
    await build.writing;
    await readStore.ensureCollection(build.spec, { indexes: 'awaited' });
  }
  return builds.map(({ projection, spec }) => ({ projection: projection.name, collection: spec, position: upTo }));
}

/**
 * Verifies a collection that is complete up to a position: the store counts as many documents as it returns, and a
 * sample of them folded again from the log is equal. @throws Error that says what differs
 */
export async function verifyCollection(options: {
  readonly log: EventLog;
  readonly readStore: ReadStore;
  readonly projection: RunnableProjection;
  readonly position: string;
  readonly signal?: AbortSignal;
}): Promise<Verified> {
  const { log, readStore, projection, position } = options;
  const spec = collectionSpec(projection);
  const { digest, documents, sample } = await surveyCollection(readStore, spec, SAMPLE);
  const counted = await readStore.collection(spec).count([]);
  if (counted !== documents) throw new Error(`${spec.name} counts ${counted} documents but returns ${documents}`);
  const wanted = new Set(sample);
  // A document that continues another is folded from that one on.
  for (const id of wanted) {
    const base = projection.base?.(id);
    if (base !== undefined) wanted.add(base);
  }
  const narrowed: RunnableProjection = {
    ...projection,
    keys: (event) => projection.keys(event).filter((key) => wanted.has(key)),
  };
  const refolded = new Map<string, Document>();
  const fold = startFold(narrowed, { getMany: async () => refolded }, await parkedTest(readStore, projection));
  if (wanted.size > 0) {
    await drain(log, position, options, async (events) => {
      const poison = await fold.fold(events);
      if (poison !== undefined) throw new RebuildFailed(versionedName(projection), poison);
      for (const document of fold.changed()) refolded.set(document._id, document);
      fold.written();
    });
  }
  const stored = await readStore.collection<Document>(spec).getMany(sample);
  for (const id of sample) {
    const [one, other] = [stored.get(id), refolded.get(id)];
    if (one === undefined || other === undefined || canonicalJson(one) !== canonicalJson(other)) {
      throw new Error(`${spec.name}: document ${id} differs from its fold from the log`);
    }
  }
  return { position, documents, digest, refolded: sample.length };
}

async function parkedTest(readStore: ReadStore, projection: RunnableProjection): Promise<(id: string) => boolean> {
  const parked = await (await openParkings(readStore)).parkedIds(projection);
  return (id) => parked.has(id);
}

type Build = {
  readonly fold: ProjectionFold;
  readonly collection: { putMany(documents: Document[]): Promise<number> };
  /** Since the last write: a document may hold many of them. */
  pendingEvents: number;
  writing: Promise<unknown>;
};

const settled = (): Promise<unknown> => Promise.resolve();

/** Waits for the previous write, and returns while this one is in progress. */
async function startWrite(build: Build): Promise<void> {
  await build.writing;
  build.pendingEvents = 0;
  build.writing = build.collection.putMany(build.fold.changed());
  // Its failure is handled where it is awaited.
  build.writing.catch(() => {});
  build.fold.written();
}

/** Every event up to the position, inclusive, in the order of the log. */
async function drain(
  log: EventLog,
  upTo: string,
  { signal, tenantId }: Pick<RebuildOptions, 'signal' | 'tenantId'>,
  take: (events: readonly RecordedEvent[]) => Promise<void>,
): Promise<void> {
  const stop = signal ?? new AbortController().signal;
  let position = '';
  if (upTo === '') return;
  for await (const batch of readAhead(log, {
    after: '',
    signal: stop,
    ...(tenantId === undefined ? {} : { tenantId }),
  })) {
    const last = batch.events.at(-1);
    const beyond = last !== undefined && last.position > upTo;
    await take(beyond ? batch.events.filter((event) => event.position <= upTo) : batch.events);
    position = batch.position;
    if (position >= upTo) return;
  }
  stop.throwIfAborted();
  throw new Error(`the log ended at ${position}, before ${upTo}`);
}
