import type { RecordedEvent } from '../../events/event.ts';
import type { KnownEvent } from '../../events/registry.ts';
import type { Collection, Document } from '../../readstore/read-store.ts';
import { createLoopBudget, type LoopBudget } from '../../shared/loop-budget.ts';
import { documentBefore, evolveDocument, evolveDocumentByAll, takesEvent } from '../fold-event.ts';
import type { Projection } from '../projection.ts';
import { erased, type RunnableProjection } from './runnable.ts';

/**
 * An event that a projection cannot fold: its `keys` or `evolve` threw, or a document would be larger than the store
 * accepts.
 */
export type Poison = {
  readonly eventId: string;
  readonly eventType: string;
  readonly stream: string;
  readonly position: string;
  readonly message: string;
};

/** A fold in progress: documents read, changed and not yet written. Not for concurrent use. */
export type ProjectionFold = {
  /** Whether the event is of a type that the projection folds. */
  readonly takes: (event: RecordedEvent) => boolean;
  /**
   * Folds the events in their order, up to the first poison event. Reads missing documents in one call and changes
   * nothing if that fails. An event is atomic: one that is poison for any of its documents changes none.
   */
  readonly fold: (events: readonly RecordedEvent[]) => Promise<Poison | undefined>;
  /** Documents changed since the last `written`. */
  readonly changed: () => Document[];
  readonly changedCount: () => number;
  /**
   * The changed documents are being written, and those before them have been: they are kept until the next call, since
   * the store may not have them yet.
   */
  readonly written: () => void;
  /** Drops everything held: documents must be read from the store again. */
  readonly forget: () => void;
};

type Step = { readonly event: KnownEvent; readonly keys: readonly string[] };

/**
 * Documents cached from batch to batch, so that frequently used ones are not read each time; sums of a busy month take
 * a megabyte each.
 */
const KEPT_DOCUMENTS = 150;

/** Fewer than would hold the event loop for a millisecond. */
const MOST_TOGETHER = 64;

/** For which all folds that share a budget keep the event loop at a stretch. */
export const FOLD_STRETCH_MS = 8;

export function startFold(
  runnable: RunnableProjection,
  collection: Pick<Collection, 'getMany'>,
  isParked: (eventId: string) => boolean,
  budget: LoopBudget = createLoopBudget(FOLD_STRETCH_MS),
): ProjectionFold {
  const projection = erased(runnable);
  const documents = new Map<string, Document | undefined>();
  const changed = new Set<string>();

  return {
    takes: (event) => takesEvent(projection, event),
    async fold(events) {
      const taken = events.filter((event) => takesEvent(projection, event)).filter((event) => !isParked(event.id));
      const { steps, poison } = await stepsOf(projection, taken, budget);
      const missing = new Set<string>();
      const need = (key: string | undefined) => {
        if (key !== undefined && !documents.has(key)) missing.add(key);
      };
      for (const { keys } of steps) {
        for (const key of keys) {
          need(key);
          if (projection.base !== undefined) need(projection.base(key));
        }
      }
      if (missing.size > 0) {
        if (budget.isSpent()) await budget.rest();
        const found = await collection.getMany([...missing]);
        for (const key of missing) documents.set(key, found.get(key));
      }
      return (await foldSteps(projection, steps, { documents, changed, budget })) ?? poison;
    },
    changed: () => Array.from(changed, (key) => documents.get(key)).filter((document) => document !== undefined),
    changedCount: () => changed.size,
    written() {
      if (documents.size > KEPT_DOCUMENTS) {
        for (const key of documents.keys()) if (!changed.has(key)) documents.delete(key);
      }
      changed.clear();
    },
    forget() {
      changed.clear();
      documents.clear();
    },
  };
}

async function stepsOf(
  projection: Projection,
  events: readonly KnownEvent[],
  budget: LoopBudget,
): Promise<{ steps: Step[]; poison?: Poison }> {
  const steps: Step[] = [];
  for (const event of events) {
    if (budget.isSpent()) await budget.rest();
    try {
      steps.push({ event, keys: projection.keys(event) });
    } catch (error) {
      return { steps, poison: poisonOf(event, error) };
    }
  }
  return { steps };
}

type Held = {
  readonly documents: Map<string, Document | undefined>;
  readonly changed: Set<string>;
  readonly budget: LoopBudget;
};

async function foldSteps(projection: Projection, steps: readonly Step[], held: Held): Promise<Poison | undefined> {
  const { documents, changed, budget } = held;
  for (let at = 0; at < steps.length; ) {
    if (budget.isSpent()) await budget.rest();
    const together = foldTogether(projection, steps, at, held);
    if (together > 0) {
      at += together;
      continue;
    }
    const { event, keys } = steps[at] as Step;
    const results: Document[] = [];
    try {
      for (const key of keys) {
        const next = evolveUnseen(projection, documents, event, key);
        if (next !== undefined) results.push(next);
      }
    } catch (error) {
      return poisonOf(event, error);
    }
    for (const document of results) {
      documents.set(document._id, document);
      changed.add(document._id);
    }
    at += 1;
  }
  return undefined;
}

/**
 * Folds the steps from `at` on that have one key, the same, where the projection can; returns their number. None where
 * an event is poison: each is then folded by itself, which finds it.
 */
function foldTogether(
  projection: Projection,
  steps: readonly Step[],
  at: number,
  { documents, changed }: Held,
): number {
  const { evolveAll } = projection;
  const key = steps[at]?.keys[0];
  if (evolveAll === undefined || key === undefined) return 0;
  const unseen: KnownEvent[] = [];
  let position = documents.get(key)?._position ?? '';
  let end = at;
  for (; end < steps.length && end - at < MOST_TOGETHER && isOnlyKey(steps[end], key); end += 1) {
    const { event } = steps[end] as Step;
    if (event.position <= position) continue;
    unseen.push(event);
    position = event.position;
  }
  try {
    const before = documentBefore(projection, documents, key);
    const next = evolveDocumentByAll({ evolveAll }, before, unseen, key);
    if (next !== undefined) {
      documents.set(key, next);
      changed.add(key);
    }
    return end - at;
  } catch {
    return 0;
  }
}

function isOnlyKey(step: Step | undefined, key: string): boolean {
  return step?.keys.length === 1 && step.keys[0] === key;
}

/** The document after the event; undefined when it already includes the event or the event changes nothing. */
function evolveUnseen(
  projection: Projection,
  documents: ReadonlyMap<string, Document | undefined>,
  event: KnownEvent,
  key: string,
): Document | undefined {
  const document = documents.get(key);
  if (document !== undefined && document._position >= event.position) return undefined;
  return evolveDocument(projection, documentBefore(projection, documents, key), event, key);
}

export function poisonOf(event: RecordedEvent, error: unknown): Poison {
  const message = error instanceof Error ? error.message : String(error);
  return { eventId: event.id, eventType: event.type, stream: event.stream, position: event.position, message };
}
