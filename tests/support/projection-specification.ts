import { expect, vi } from 'vitest';
import type { RecordedEvent } from '../../src/events/event.ts';
import type { Projection } from '../../src/projections/projection.ts';
import type { Document } from '../../src/readstore/read-store.ts';
import type { Like } from './like.ts';
import { foldOne } from './recorded-events.ts';

type ReadModel<D extends Document> = Folded<D> & {
  /** One document and no other, of which only some fields are given. */
  readonly then: (document: Like<D>) => Folded<D>;
};

/** Without `then`, so that whoever gets it from `then` does not take it for a promise. */
type Folded<D extends Document> = {
  /** Further events, folded into the documents there are. */
  readonly when: (events: readonly RecordedEvent[]) => ReadModel<D>;
  /** These documents and no others, in the order of that field. */
  readonly thenDocuments: (documents: readonly Like<D>[], orderOf: (document: D) => number) => void;
  /** One document, and this of it, whole. */
  readonly thenOf: <Part>(part: (document: D) => Part, expected: Part) => Folded<D>;
  /** The documents that these events alone would make, positions apart. */
  readonly thenAsAfter: (events: readonly RecordedEvent[]) => void;
  readonly thenUnlikeAfter: (events: readonly RecordedEvent[]) => void;
  /** Events that were folded already change nothing, positions included. */
  readonly thenUnchangedBy: (events: readonly RecordedEvent[]) => void;
};

/** `given(projection, events).then(document)`. A failure points at the line of the test. */
export function given<D extends Document>(
  projection: Projection<D>,
  events: readonly RecordedEvent[],
  start: ReadonlyMap<string, D> = new Map(),
): ReadModel<D> {
  const documents = foldOne(projection, events, start);
  const folded: Folded<D> = {
    when: (further) => given(projection, further, documents),
    thenDocuments: vi.defineHelper((expected, orderOf) => {
      const inOrder = [...documents.values()].toSorted((a, b) => orderOf(a) - orderOf(b));
      expect(inOrder).toMatchObject(expected);
    }),
    thenOf: vi.defineHelper((part, expected) => {
      expect([...documents.values()].map(part)).toEqual([expected]);
      return folded;
    }),
    thenAsAfter: vi.defineHelper((others) =>
      expect(contents(documents)).toEqual(contents(foldOne(projection, others))),
    ),
    thenUnlikeAfter: vi.defineHelper((others) =>
      expect(contents(documents)).not.toEqual(contents(foldOne(projection, others))),
    ),
    thenUnchangedBy: vi.defineHelper((again) => expect(foldOne(projection, again, documents)).toEqual(documents)),
  };
  return {
    ...folded,
    // biome-ignore lint/suspicious/noThenProperty: the third word of given, when, then; a read model is never awaited.
    then: vi.defineHelper((document) => {
      expect([...documents.values()]).toMatchObject([document]);
      return folded;
    }),
  };
}

function contents(documents: ReadonlyMap<string, Document>): object[] {
  return [...documents.values()].map(({ _position, ...content }) => content);
}
