import type { RecordedEvent } from '../events/event.ts';
import { foldEvents } from '../projections/fold-event.ts';
import type { Projection } from '../projections/projection.ts';
import type { Document } from '../readstore/read-store.ts';

/**
 * A document after the events: a write answers with it without waiting for the projection. The events of one append
 * have one position, so only `base` shows what was folded before.
 * @param base the document as the read model has it, for read models of several streams; events it already includes are
 * left out
 * @throws RangeError when the events make no document
 */
export function documentAfter<D extends Document>(
  projection: Projection<D>,
  events: readonly RecordedEvent[],
  base?: D,
): D {
  const unseen = base === undefined ? events : events.filter((event) => event.position > base._position);
  const start = base === undefined ? new Map<string, D>() : new Map([[base._id, base]]);
  const document = [...foldEvents(projection, unseen, start).values()].at(-1);
  if (document === undefined) throw new RangeError(`no ${projection.name} document comes from these events`);
  return document;
}
