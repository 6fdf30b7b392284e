import type { RecordedEvent } from '../events/event.ts';
import { foldEvents } from '../projections/fold-event.ts';
import type { Projection } from '../projections/projection.ts';
import type { Document } from '../readstore/read-store.ts';

/**
 * The documents that the events of one stream make, by id: what a read model holds of it, for read models whose
 * documents each come from one stream. Events after the position are left out. `start`: what the events before these
 * made.
 */
export function foldStream<D extends Document>(
  projection: Projection<D>,
  events: readonly RecordedEvent[],
  position?: string,
  start?: ReadonlyMap<string, D>,
): Map<string, D> {
  const counted = position === undefined ? events : events.filter((event) => event.position <= position);
  return foldEvents(projection, counted, start);
}
