import type { EventType, KnownEvent } from '../events/registry.ts';
import type { Document, Index, ReadOften } from '../readstore/read-store.ts';

/**
 * A read model: data and a pure fold. `keys` names the documents an event changes; `evolve` returns the document after
 * the event as an object of its own, or the same reference when the event changes nothing. The engine sets `_position`
 * in it and skips events that a document already includes, so `evolve` need not. `version` is increased with every
 * change of shape or fold, which leads to a rebuild beside the live version.
 * `Type` is the union of the types in `takes`: a fold receives these and no others, and one that forgets a case does
 * not compile. `keys` and `evolve` are methods, so that a projection of some types can be passed where any projection
 * is accepted.
 */
export type Projection<D extends Document = Document, Type extends EventType = EventType> = {
  readonly name: string;
  readonly version: number;
  readonly takes: readonly Type[];
  keys(event: KnownEvent<Type>): readonly string[];
  /**
   * Where a document does not exist yet, the key of the one that it continues: `evolve` receives that one. For read
   * models with a document for each version of something.
   */
  base?(key: string): string | undefined;
  evolve(document: D | undefined, event: KnownEvent<Type>, key: string): Omit<D, '_position'> | undefined;
  /**
   * The document as `evolve` leaves it after one event after the other: for documents that many events in a row change
   * and that take long to copy. Only for a read model in which no event leaves a document of its keys as it was. The
   * engine calls it with events whose only key this is.
   */
  evolveAll?(
    document: D | undefined,
    events: readonly KnownEvent<Type>[],
    key: string,
  ): Omit<D, '_position'> | undefined;
  readonly indexes: readonly Index[];
  /**
   * What the versions before get besides the indexes they have, as long as they are read; unless given, those of this
   * one. A version with other fields gains nothing by them.
   */
  readonly formerIndexes?: readonly Index[];
  /** As in `CollectionSpec`. */
  readonly isReadOften?: ReadOften;
};
