import type { RecordedEvent } from '../../../src/events/event.ts';
import { projections } from '../../../src/projections/all.ts';
import { collectionName } from '../../../src/projections/engine/runnable.ts';
import { foldEvents } from '../../../src/projections/fold-event.ts';
import type { Document } from '../../../src/readstore/read-store.ts';
import { canonicalJson } from '../../../src/shared/hash.ts';
import { jsonOf, type StoreDisk } from '../simulated-read-store.ts';

/** Every stored document is what a fresh fold of the whole log gives, and none is missing. */
export function checkReadModels(events: readonly RecordedEvent[], disk: StoreDisk): string[] {
  const faults: string[] = [];
  for (const projection of projections) {
    const fresh: ReadonlyMap<string, Document> = foldEvents(projection, events);
    const stored = disk.collections.get(collectionName(projection)) ?? new Map<string, Document>();
    for (const [id, document] of fresh) {
      const found = stored.get(id);
      if (found === undefined) faults.push(`${projection.name} lacks ${id}`);
      else if (!isSame(found, document)) {
        faults.push(`${projection.name} has ${id} as ${JSON.stringify(found)}, not ${JSON.stringify(document)}`);
      }
    }
    for (const id of stored.keys())
      if (!fresh.has(id)) faults.push(`${projection.name} has ${id}, which no fold gives`);
  }
  return faults;
}

function isSame(stored: Document, other: Document): boolean {
  // Members in the same order, as nearly always, are compared without sorting them.
  return jsonOf(stored) === JSON.stringify(other) || canonicalJson(stored) === canonicalJson(other);
}
