import type { RecordedEvent } from '../events/event.ts';
import type { Projection } from '../projections/projection.ts';
import type { Document } from '../readstore/read-store.ts';

/**
 * A document as it stands once the events are folded in: what a write answers with, without waiting for the projection.
 * @param base the document as the read model has it, for read models of several streams; events it has seen already are passed over
 * @throws RangeError when the events make no document
 */
export function documentAfter<D extends Document>(
  projection: Projection<D>,
  events: readonly RecordedEvent[],
  base?: D,
): D {
  const takes = new Set(projection.takes);
  let document = base;
  for (const event of events) {
    if (!takes.has(event.type)) continue;
    if (base !== undefined && event.position <= base._position) continue;
    for (const key of projection.keys(event)) {
      const next = projection.evolve(document, event, key);
      if (next !== undefined) document = { ...next, _position: event.position } as D;
    }
  }
  if (document === undefined) throw new RangeError(`no ${projection.name} document comes of these events`);
  return document;
}
