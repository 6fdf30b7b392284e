import type { RecordedEvent } from '../../../src/events/event.ts';
import type { Projection } from '../../../src/projections/projection.ts';
import type { Document } from '../../../src/readstore/read-store.ts';
import type { ScriptedEvent } from './scripted-log.ts';

/** A read model whose documents would show an event that was missed or folded twice, or out of order. */
export type SumDocument = Document & { readonly sum: number; readonly seen: readonly string[] };

const dataOf = (event: RecordedEvent): ScriptedEvent['data'] => event.data as ScriptedEvent['data'];

/**
 * Takes `Added`, and `Shared` for its key and for `all`; `Looked` changes nothing. `poison` names keys that it cannot
 * fold. `together` gets the number of events of each call that folds several at once; unset, each is folded by itself.
 */
export function sums(
  options: { name?: string; version?: number; poison?: ReadonlySet<string>; together?: number[] } = {},
): Projection<SumDocument> {
  const { name = 'sums', version = 1, poison = new Set(), together } = options;
  const runnable = {
    name,
    version,
    takes: ['Added', 'Shared', 'Looked'],
    keys: (event: RecordedEvent) => (event.type === 'Shared' ? [dataOf(event).key, 'all'] : [dataOf(event).key]),
    evolve(document: SumDocument | undefined, event: RecordedEvent, key: string) {
      if (poison.has(dataOf(event).key) && (event.type !== 'Shared' || key === 'all')) {
        throw new Error(`cannot take ${dataOf(event).key}`);
      }
      if (event.type === 'Looked') return document;
      return {
        _id: key,
        sum: (document?.sum ?? 0) + dataOf(event).amount,
        seen: [...(document?.seen ?? []), event.id],
      };
    },
    indexes: [{ fields: ['sum'] }],
  };
  const evolveAll = (document: SumDocument | undefined, events: readonly RecordedEvent[], key: string) => {
    together?.push(events.length);
    return events.reduce((sum, event) => runnable.evolve(sum, event, key) as SumDocument | undefined, document);
  };
  const keysChanged = (event: RecordedEvent) => (event.type === 'Looked' ? [] : runnable.keys(event));
  // Its events are made up, so the registry has no type for them.
  return { ...runnable, ...(together && { evolveAll, keys: keysChanged }) } as unknown as Projection<SumDocument>;
}

/** The expected documents of {@link sums}, computed in the simplest way. */
export function expectedSums(
  events: readonly ScriptedEvent[],
  without: ReadonlySet<string> = new Set(),
): Map<string, SumDocument> {
  const expected = new Map<string, SumDocument>();
  for (const event of events) {
    if ((event.type !== 'Added' && event.type !== 'Shared') || without.has(event.id)) continue;
    for (const _id of event.type === 'Shared' ? [event.data.key, 'all'] : [event.data.key]) {
      const before = expected.get(_id);
      expected.set(_id, {
        _id,
        _position: event.position,
        sum: (before?.sum ?? 0) + event.data.amount,
        seen: [...(before?.seen ?? []), event.id],
      });
    }
  }
  return expected;
}
