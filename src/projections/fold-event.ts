import type { RecordedEvent } from '../events/event.ts';
import type { EventType, KnownEvent } from '../events/registry.ts';
import type { Document } from '../readstore/read-store.ts';
import type { Projection } from './projection.ts';

type Takes<Type extends EventType> = { readonly takes: readonly Type[] };

const typesTaken = new WeakMap<readonly EventType[], ReadonlySet<string>>();

/** True for an event of a type that the projection takes; its data then has the type that the registry declares. */
export function takesEvent<Type extends EventType>(
  { takes }: Takes<Type>,
  event: RecordedEvent,
): event is KnownEvent<Type> {
  let types = typesTaken.get(takes);
  if (types === undefined) {
    types = new Set(takes);
    typesTaken.set(takes, types);
  }
  return types.has(event.type);
}

/** What `evolve` receives: the document, or the one it continues where it does not exist yet. */
export function documentBefore<D extends Document, Type extends EventType>(
  projection: Projection<D, Type>,
  documents: ReadonlyMap<string, D | undefined>,
  key: string,
): D | undefined {
  const document = documents.get(key);
  const base = document === undefined ? projection.base?.(key) : undefined;
  return base === undefined ? document : documents.get(base);
}

/**
 * The document after one event; undefined when the event changes nothing. This is the only place that calls `evolve`.
 * @throws Error when the fold returns a document with another id, and whatever the fold throws
 */
export function evolveDocument<D extends Document, Type extends EventType>(
  projection: Projection<D, Type>,
  document: D | undefined,
  event: KnownEvent<Type>,
  key: string,
): D | undefined {
  return placedAt(event.position, document, projection.evolve(document, event, key), key);
}

/**
 * The document after events that have no other key, for a projection that folds several at once. This is the only place
 * that calls `evolveAll`. @throws as {@link evolveDocument}; then it is not said which event is at fault
 */
export function evolveDocumentByAll<D extends Document, Type extends EventType>(
  { evolveAll }: Required<Pick<Projection<D, Type>, 'evolveAll'>>,
  document: D | undefined,
  events: readonly KnownEvent<Type>[],
  key: string,
): D | undefined {
  const last = events.at(-1);
  return last && placedAt(last.position, document, evolveAll(document, events, key), key);
}

function placedAt<D extends Document>(
  position: string,
  document: D | undefined,
  next: Omit<D, '_position'> | undefined,
  key: string,
): D | undefined {
  if (next === undefined || next === document) return undefined;
  if (next._id !== key) throw new Error(`the document for key ${key} came back as ${next._id}`);
  // The fold made it. To copy each document once more was the largest single cost of folding.
  const own = next as unknown as { -readonly [Field in keyof D]: D[Field] };
  own._position = position;
  return own as D;
}

/** The documents after the events, by id. Every event is folded: the caller leaves out those that `start` includes. */
export function foldEvents<D extends Document, Type extends EventType>(
  projection: Projection<D, Type>,
  events: Iterable<RecordedEvent>,
  start: ReadonlyMap<string, D> = new Map(),
): Map<string, D> {
  const documents = new Map(start);
  for (const event of events) {
    if (!takesEvent(projection, event)) continue;
    for (const key of projection.keys(event)) {
      const next = evolveDocument(projection, documentBefore(projection, documents, key), event, key);
      if (next !== undefined) documents.set(key, next);
    }
  }
  return documents;
}
