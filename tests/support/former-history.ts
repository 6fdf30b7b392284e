import { openRegistry } from '../../src/projections/engine/live-versions.ts';
import { collectionSpec, versionedName } from '../../src/projections/engine/runnable.ts';
import { type HistoryEntry, history } from '../../src/projections/history.ts';
import type { Document, Index, ReadStore } from '../../src/readstore/read-store.ts';

const INDEXES: readonly Index[] = [
  { fields: ['tenantId', 'position', '_id', 'recordedAt'] },
  { fields: ['tenantId', 'eventType', 'position'] },
  { fields: ['tenantId', 'correlationId', 'position'] },
  { fields: ['tenantId', 'eventId'] },
];

/**
 * Stores the entries as version 2 of the history did, one document each, and makes that version the live one.
 * @returns its indexes
 */
export async function storeFormerHistory(
  readStore: ReadStore,
  entries: readonly HistoryEntry[],
): Promise<readonly Index[]> {
  const former = { name: history.name, version: 2 };
  const spec = collectionSpec({ ...former, indexes: INDEXES });
  await readStore.ensureCollection(spec);
  const documents = entries.map(({ companyId, ...entry }) => ({
    _id: `${entry.tenantId}/${entry.position}`,
    _position: entry.position,
    ...entry,
    ...(companyId !== null && { companyId }),
  }));
  const name = versionedName(former);
  const checkpoint = { name, expected: null, position: entries.at(-1)?.position ?? '', fence: 1 };
  await readStore.commitBatch<Document>({ collection: spec, documents, checkpoint });
  const live = { live: former.version, previous: null, verified: null };
  await (await openRegistry(readStore)).putMany([{ _id: history.name, _position: '9'.repeat(16), ...live }]);
  return INDEXES;
}
