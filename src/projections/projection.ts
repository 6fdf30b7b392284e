import type { RecordedEvent } from '../events/event.ts';
import type { Document, Index } from '../readstore/read-store.ts';

/**
 * A read model: data and a pure fold. `keys` names the documents an event changes; `evolve` gives the document after the event, or
 * the same reference when the event changes nothing. The engine sets `_position` and drops what a document has seen already, so
 * `evolve` never needs to. `version` goes up with every change of shape or fold and leads to a rebuild beside the live one.
 */
export type Projection<D extends Document = Document> = {
  readonly name: string;
  readonly version: number;
  readonly takes: readonly string[];
  readonly keys: (event: RecordedEvent) => readonly string[];
  readonly evolve: (document: D | undefined, event: RecordedEvent, key: string) => Omit<D, '_position'> | undefined;
  readonly indexes: readonly Index[];
};
