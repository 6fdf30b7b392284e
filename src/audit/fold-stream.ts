import type { RecordedEvent } from '../events/event.ts';
import type { Projection } from '../projections/projection.ts';
import type { Document } from '../readstore/read-store.ts';

/**
 * The documents that the events of one stream make, by id: what a read model holds of it, for read models whose documents each come of one
 * stream. Events after the position are left out. `start`: what the events before these made.
 */
export function foldStream<D extends Document>(
  projection: Projection<D>,
  events: readonly RecordedEvent[],
  position?: string,
  start: ReadonlyMap<string, D> = new Map(),
): Map<string, D> {
  const takes = new Set(projection.takes);
  const documents = new Map(start);
  for (const event of events) {
    if (!takes.has(event.type) || (position !== undefined && event.position > position)) continue;
    for (const key of projection.keys(event)) {
      const next = projection.evolve(documents.get(key), event, key);
      if (next !== undefined) documents.set(key, { ...next, _position: event.position } as D);
    }
  }
  return documents;
}
