import pLimit from 'p-limit';
import type { LogBatch } from '../../log/log.ts';
import { type CollectionSpec, DocumentTooLarge, type Lease, type ReadStore } from '../../readstore/read-store.ts';
import type { Backoff } from '../../shared/backoff.ts';
import type { LoopBudget } from '../../shared/loop-budget.ts';
import type { Fills } from './fills.ts';
import type { LogEnd } from './log-end.ts';
import type { Parkings } from './parkings.ts';
import { type Poison, poisonOf, startFold } from './projection-fold.ts';
import type { ProjectionError } from './projection-status.ts';
import { PENDING, PENDING_IN_FILLING } from './rebuild.ts';
import { collectionSpec, leaseName, type RunnableProjection, versionedName } from './runnable.ts';
import { persistently } from './waiting.ts';

/** Why a projection stopped following the log. `lost`: its lease went to another instance. */
export type Left = 'fenced' | 'halted' | 'lost' | 'stopped';

export type Written = { readonly position: string; readonly documentIds: readonly string[] };

/** One projection following the log: its position, the documents folded and not yet written, and their writing. */
export type ProjectionWorker = {
  readonly projection: RunnableProjection;
  readonly spec: CollectionSpec;
  /** `<name>@<version>`, the name of its checkpoint. */
  readonly id: string;
  readonly leaseName: string;
  lease: Lease | undefined;
  /** Its lease is temporarily left to other instances. */
  isResting: boolean;
  /** Readers of this code get this version, also where a later one is live, which they could not read. */
  live: boolean;
  /** Folded up to this position. */
  readonly folded: () => string;
  /** Written up to this position. */
  readonly applied: () => string;
  readonly caughtUp: () => boolean;
  /** False until it was prepared once: before that, it is unknown how far it is. */
  readonly isPrepared: () => boolean;
  /** Written up to the end that the log had when its filling began, by this or another instance. */
  readonly isWhole: () => boolean;
  readonly parkedEvents: () => number;
  readonly error: () => ProjectionError | undefined;
  readonly halted: () => { readonly poison: Poison | undefined } | undefined;
  /**
   * Prepares to follow from the stored checkpoint and returns its fence (0: none); from the start where the checkpoint
   * is ahead of the log.
   * @throws ReadStoreUnavailable, LogUnavailable
   */
  readonly prepare: () => Promise<number>;
  /** Folds a batch and writes when due. Undefined when it can continue. Events already folded are skipped. */
  readonly apply: (batch: LogBatch) => Promise<Left | undefined>;
  /** Writes the documents folded and not yet written. */
  readonly settle: () => Promise<Left | undefined>;
  /**
   * Advances the stored checkpoint over events that changed nothing; does nothing while a write is in progress, which
   * advances it anyway. Returns why it left, if it did.
   */
  readonly moveWatermark: () => Promise<Left | undefined>;
  /** Sets the log's last known position, at which the projection counts as caught up. */
  readonly seeHead: (head: string) => void;
  readonly halt: (message: string) => void;
  /** What another instance that runs it has stored: the checkpoint and, when it is halted, the reason. */
  readonly showStandby: (position: string, poison: Poison | undefined) => void;
  readonly noteFault: (error: unknown) => void;
};

type Options = {
  readonly projection: RunnableProjection;
  readonly readStore: ReadStore;
  readonly logEnd: LogEnd;
  /** @throws LogUnavailable */
  readonly head: () => Promise<string>;
  readonly fills: () => Promise<Fills>;
  readonly parkings: () => Promise<Parkings>;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
  /** Shared by all projections of this thread. */
  readonly budget: LoopBudget;
  readonly onWritten: (worker: ProjectionWorker, written: Written) => void;
  /** After every progress and every halt. */
  readonly onMoved: () => void;
  /** The stored checkpoint was ahead of the log. */
  readonly onStartedAgain: (worker: ProjectionWorker, checkpoint: string) => void;
  readonly onHalted: (worker: ProjectionWorker, error: ProjectionError) => void;
  readonly onFault: (worker: ProjectionWorker, error: unknown) => void;
};

export function createWorker(options: Options): ProjectionWorker {
  const { projection, readStore, logEnd, backoff, signal, budget } = options;
  const spec = collectionSpec(projection);
  const id = versionedName(projection);
  const exclusively = pLimit(1);
  let parked: ReadonlySet<string> = new Set();
  const fold = startFold(projection, readStore.collection(spec), (eventId) => parked.has(eventId), budget);
  let stored: string | undefined;
  let folded = '';
  let pendingEvents = 0;
  let caughtUp = false;
  /** Undefined until it is known. */
  let target: string | undefined;
  let isStoredWhole = false;
  let isPrepared = false;
  let busy = false;
  /** A write did not succeed: the documents folded since are not stored, and must be folded again. */
  let isUnwritten = false;
  /** Up to this position each event is written by itself, so that the one with too large a document is found. */
  let singlyUpTo = '';
  /** The write in progress. The next batch is folded meanwhile, but not written before it is done. */
  let writing: Promise<Left | undefined> | undefined;
  /** After it left, nothing is folded until it is prepared again, since events in between would be missed. */
  let leaving: Left | undefined;
  let halted: { poison: Poison | undefined; error: ProjectionError } | undefined;
  let fault: ProjectionError | undefined;

  const worker: ProjectionWorker = {
    projection,
    spec,
    id,
    leaseName: leaseName(projection),
    lease: undefined,
    isResting: false,
    live: false,
    folded: () => folded,
    applied() {
      const isWritten = !hasUnwritten() && !isUnwritten;
      return isWritten ? folded : (stored ?? '');
    },
    caughtUp: () => caughtUp,
    isPrepared: () => isPrepared,
    isWhole: () => target !== undefined && worker.applied() >= target,
    parkedEvents: () => parked.size,
    error: () => halted?.error ?? fault,
    halted: () => halted,
    prepare: () => exclusively(prepare),
    async apply(batch) {
      return passOver(batch) ? undefined : exclusively(() => working(() => take(batch)));
    },
    settle: () => exclusively(() => working(writeAll)),
    async moveWatermark() {
      if (busy || worker.lease === undefined || leaving !== undefined || halted !== undefined) return undefined;
      // At rest, at every tick of each of thirty projections.
      if (fault === undefined && !hasUnwritten() && folded === (stored ?? '')) return undefined;
      return exclusively(() => working(moveWatermark));
    },
    seeHead(head) {
      if (head <= worker.applied()) caughtUp = true;
    },
    halt(message) {
      stop({ poison: undefined, error: { message, event: null } });
    },
    showStandby(position, poison) {
      folded = position;
      stored = position === '' ? undefined : position;
      halted = poison === undefined ? undefined : { poison, error: poisonError(poison) };
    },
    noteFault(error) {
      fault = { message: error instanceof Error ? error.message : String(error), event: null };
      options.onFault(worker, error);
    },
  };
  return worker;

  /** What was folded and not written, or is being written. */
  function hasUnwritten(): boolean {
    return fold.changedCount() > 0 || writing !== undefined;
  }

  function retrying<T>(task: () => Promise<T>): Promise<T> {
    return persistently(task, { backoff, signal, onFault: worker.noteFault });
  }

  async function prepare(): Promise<number> {
    await writing?.catch(() => {});
    writing = undefined;
    fold.forget();
    // What was folded and not written is forgotten: until the checkpoint is known, no more than this is written.
    folded = stored ?? '';
    isUnwritten = false;
    // It is not read before it is live, and by then it is complete.
    await readStore.ensureCollection(spec, worker.live ? {} : { indexes: 'later' });
    const parkings = await options.parkings();
    parked = await parkings.parkedIds(projection);
    if ((await parkings.halts([projection])).has(id)) await parkings.clearHalt(projection);
    const fence = await claimCheckpoint();
    folded = stored ?? '';
    isPrepared ||= target !== undefined;
    pendingEvents = 0;
    caughtUp = false;
    halted = undefined;
    fault = undefined;
    leaving = undefined;
    return fence;
  }

  /**
   * Sets this owner's fence on the checkpoint, so that a former owner can no longer move it. A checkpoint ahead of the
   * log is reset to the start, the only certain position, since it does not show how far the documents are (ADR 0022).
   */
  async function claimCheckpoint(): Promise<number> {
    const fills = await options.fills();
    for (;;) {
      const checkpoint = (await readStore.checkpoints([id])).get(id);
      const ours = worker.lease?.fence ?? 0;
      stored = checkpoint?.position;
      if (checkpoint !== undefined && checkpoint.fence > ours) return checkpoint.fence;
      const isAhead = !(await logEnd.reaches(stored ?? ''));
      target = (await fills.targets([projection])).get(id);
      if (target === undefined || isAhead) {
        // A checkpoint without a target is from a release that stored none: it is as whole as it was to its readers.
        target = isAhead || (stored ?? '') === '' ? await options.head() : (stored ?? '');
        await fills.begin(projection, target);
      }
      isStoredWhole = !isAhead && (stored ?? '') >= target;
      if (checkpoint?.fence === ours && !isAhead) return ours;
      const claim = { name: id, expected: stored ?? null, position: isAhead ? '' : (stored ?? ''), fence: ours };
      const outcome = await readStore.commitBatch({ collection: spec, documents: [], checkpoint: claim });
      if (outcome !== 'committed') continue;
      if (isAhead) options.onStartedAgain(worker, stored ?? '');
      stored = claim.position;
      return ours;
    }
  }

  async function working(work: () => Promise<Left | undefined>): Promise<Left | undefined> {
    if (signal.aborted) return 'stopped';
    if (worker.lease === undefined) return 'lost';
    if (leaving !== undefined) return leaving;
    busy = true;
    try {
      leaving = await work();
      if (leaving === undefined) fault = undefined;
      return leaving;
    } catch (error) {
      if (signal.aborted) return 'stopped';
      if (error instanceof DocumentTooLarge) singlyUpTo = folded;
      // Caused neither by the store's availability nor by a single event: retried, after a longer pause each time.
      worker.halt(error instanceof Error ? error.message : String(error));
      leaving = 'halted';
      return leaving;
    } finally {
      busy = false;
      options.onMoved();
    }
  }

  /**
   * Most batches hold nothing for most projections: at rest, moving over one takes no turn of anything. True when that
   * is all there is to do.
   */
  function passOver(batch: LogBatch): boolean {
    const isAtRest = exclusively.activeCount === 0 && exclusively.pendingCount === 0 && !hasUnwritten();
    const isFollowing = worker.lease !== undefined && leaving === undefined && !signal.aborted && isStoredWhole;
    if (!isAtRest || !isFollowing || folded < singlyUpTo) return false;
    if (batch.events.some((event) => event.position > folded && fold.takes(event))) return false;
    passed(batch);
    fault = undefined;
    options.onMoved();
    return true;
  }

  /** Its events are folded, or of no concern to the projection. */
  function passed(batch: LogBatch): void {
    if (batch.position > folded) folded = batch.position;
    caughtUp = batch.caughtUp;
  }

  async function take(batch: LogBatch): Promise<Left | undefined> {
    const events = batch.events.filter((event) => event.position > folded);
    const left = folded < singlyUpTo ? await takeSingly(events) : undefined;
    if (left !== undefined) return left;
    const poison = await retrying(() => fold.fold(events.filter((event) => event.position > folded)));
    if (poison !== undefined) return haltAt(poison, events);
    pendingEvents = hasUnwritten() ? pendingEvents + events.length : 0;
    passed(batch);
    const most = isStoredWhole ? PENDING : PENDING_IN_FILLING;
    const full = fold.changedCount() >= most.documents || pendingEvents >= most.events;
    if (caughtUp) return (hasUnwritten() ? await writeAll() : undefined) ?? storeWhole();
    return full ? startWrite() : undefined;
  }

  /** The first time that it is whole is stored at once, for other instances and for the next start. */
  async function storeWhole(): Promise<Left | undefined> {
    if (isStoredWhole || target === undefined || folded < target) return undefined;
    isStoredWhole = true;
    return folded === (stored ?? '') ? undefined : commit([], folded);
  }

  /** An event whose document is too large is poison like one that cannot be folded. Returns why it left, if it did. */
  async function takeSingly(events: LogBatch['events']): Promise<Left | undefined> {
    for (const event of events) {
      const before = folded;
      const poison = await retrying(() => fold.fold([event]));
      if (poison !== undefined) return haltAt(poison, []);
      folded = event.position;
      try {
        const left = await writeAll();
        if (left !== undefined) return left;
      } catch (error) {
        if (!(error instanceof DocumentTooLarge)) throw error;
        fold.forget();
        folded = before;
        isUnwritten = false;
        return haltAt(poisonOf(event, error), []);
      }
    }
    return undefined;
  }

  /** Writes everything before the poison event, and halts there. */
  async function haltAt(poison: Poison, events: LogBatch['events']): Promise<Left> {
    const before = events.findLast((event) => event.position < poison.position);
    if (before !== undefined) folded = before.position;
    const left = await writeAll();
    if (left !== undefined) return left;
    const parkings = await retrying(options.parkings);
    await retrying(() => parkings.recordHalt(projection, poison));
    stop({ poison, error: poisonError(poison) });
    return 'halted';
  }

  function stop(reason: { poison: Poison | undefined; error: ProjectionError }): void {
    halted = reason;
    options.onHalted(worker, reason.error);
    options.onMoved();
  }

  async function writeAll(): Promise<Left | undefined> {
    return (await startWrite()) ?? finishWrite();
  }

  async function startWrite(): Promise<Left | undefined> {
    const left = await finishWrite();
    const documents = fold.changed();
    pendingEvents = 0;
    if (left !== undefined || documents.length === 0) return left;
    // Making rows of the documents takes as long as folding them.
    if (budget.isSpent()) await budget.rest();
    writing = commit(documents, folded);
    // Its failure is handled where it is awaited.
    writing.catch(() => {});
    fold.written();
    return undefined;
  }

  async function finishWrite(): Promise<Left | undefined> {
    try {
      const left = await writing;
      isUnwritten ||= left !== undefined;
      return left;
    } catch (error) {
      isUnwritten = true;
      throw error;
    } finally {
      writing = undefined;
    }
  }

  async function commit(documents: ReturnType<typeof fold.changed>, position: string): Promise<Left | undefined> {
    const { lease } = worker;
    if (lease === undefined) return 'lost';
    const checkpoint = { name: id, expected: stored ?? null, position, fence: lease.fence };
    const outcome = await retrying(() => readStore.commitBatch({ collection: spec, documents, checkpoint }));
    if (outcome === 'fenced') {
      leaving = 'fenced';
      return leaving;
    }
    stored = position;
    if (documents.length > 0) {
      options.onWritten(worker, { position, documentIds: documents.map((document) => document._id) });
    }
    return undefined;
  }

  async function moveWatermark(): Promise<Left | undefined> {
    const left = await writeAll();
    return left === undefined && folded !== (stored ?? '') ? commit([], folded) : left;
  }
}

function poisonError(poison: Poison): ProjectionError {
  const { eventId, eventType, stream, position, message } = poison;
  return { message, event: { id: eventId, type: eventType, stream, position } };
}
