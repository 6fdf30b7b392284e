import type { RecordedEvent } from '../events/event.ts';
import { foldEvents } from '../projections/fold-event.ts';
import type { Projection } from '../projections/projection.ts';
import type { Document } from '../readstore/read-store.ts';

/**
 * Makes a document of events that are taken in order, a part at a time. The events of one append have one position, so
 * only `base` shows what was folded before.
 * @param base the document as the read model has it; events it already includes are left out
 */
export function foldDocument<D extends Document>(projection: Projection<D>, base?: D) {
  let documents = new Map(base === undefined ? [] : [[base._id, base]]);
  const found = (): D | undefined => [...documents.values()].at(-1);
  return {
    take(events: readonly RecordedEvent[]): void {
      const unseen = base === undefined ? events : events.filter((event) => event.position > base._position);
      documents = foldEvents(projection, unseen, documents);
    },
    found,
    /** @throws RangeError when the events make no document */
    document(): D {
      const document = found();
      if (document === undefined) throw new RangeError(`no ${projection.name} document comes from these events`);
      return document;
    },
  };
}

/**
 * A document after the events: a write answers with it without waiting for the projection.
 * @param base as for {@link foldDocument}, for read models of several streams
 * @throws RangeError when the events make no document
 */
export function documentAfter<D extends Document>(
  projection: Projection<D>,
  events: readonly RecordedEvent[],
  base?: D,
): D {
  const folded = foldDocument(projection, base);
  folded.take(events);
  return folded.document();
}
