import type { RecordedEvent } from '../../src/events/event.ts';
import type { Figures } from '../../src/projections/analytics/packed-figures.ts';
import { plus, quarterOf, type Sums } from '../../src/projections/analytics/sums.ts';
import { openRegistry } from '../../src/projections/engine/live-versions.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import type { Document, Index, ReadStore } from '../../src/readstore/read-store.ts';

type FormerDocument = Document & { readonly days: Record<string, Record<string, Figures>> };

/**
 * Stores the sums of the events as the version before the present one did, and makes that version the live one: figures
 * by name, of each UTC day and quarter hour, without totals.
 */
export async function storeFormerSums(readStore: ReadStore, model: Sums, events: readonly RecordedEvent[]) {
  const documents = new Map<string, FormerDocument>();
  for (const event of events) {
    for (const { key, month, at, slot, figures, dimensions, details } of model.changesOf(event)) {
      const { tenantId, companyId } = event.metadata;
      const fresh = { ...dimensions, ...details, _id: key, tenantId, companyId: companyId ?? '', month, days: {} };
      const before = documents.get(key) ?? fresh;
      const [day, quarter] = at === null ? ['ever', 'ever'] : [at.slice(0, 10), slot ?? String(quarterOf(at))];
      const name = quarter.replaceAll(/\b0(\d)\b/g, '$1');
      const days: FormerDocument['days'] = { ...before.days };
      days[day] = { ...days[day], [name]: plus(days[day]?.[name] ?? {}, figures) };
      documents.set(key, { ...before, days, _position: event.position });
    }
  }
  const { name, version } = model.projection;
  const indexes: Index[] = [{ fields: ['tenantId', 'month'] }];
  const former = collectionSpec({ name, version: version - 1, indexes });
  await readStore.ensureCollection(former);
  await readStore.collection(former).putMany([...documents.values()]);
  const registry = await openRegistry(readStore);
  const _position = '9'.repeat(16);
  await registry.putMany([{ _id: name, _position, live: version - 1, previous: null, verified: null }]);
}
