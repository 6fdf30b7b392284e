import type { RecordedEvent } from '../../src/events/event.ts';
import { type Category, streamName } from '../../src/log/streams.ts';
import { documentBefore, evolveDocument, takesEvent } from '../../src/projections/fold-event.ts';
import type { Projection } from '../../src/projections/projection.ts';
import type { Document } from '../../src/readstore/read-store.ts';

export const TENANT = 'tenant';

let position = 0;
const revisions = new Map<string, number>();

/** The fact as the log would give it back: the next position, and the next revision of its stream. */
export function recordedEvent(
  category: Category,
  id: string,
  fact: { readonly type: string; readonly data: unknown },
  tenantId = TENANT,
): RecordedEvent {
  position += 1;
  const stream = streamName(category, tenantId, id);
  const revision = revisions.get(stream) ?? 0;
  revisions.set(stream, revision + 1);
  return {
    id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
    ...fact,
    metadata: {
      schemaVersion: 1,
      tenantId,
      companyId: 'company',
      actor: { type: 'api-key', id: 'key' },
      correlationId: 'request',
      causationId: null,
    },
    stream,
    revision,
    position: String(position).padStart(16, '0'),
    recordedAt: '2026-01-05T10:00:00.000Z',
  };
}

/** All documents of one projection after the events, the engine's dropping of what was seen already included. */
export function foldOne<D extends Document>(
  projection: Projection<D>,
  events: readonly RecordedEvent[],
  start: ReadonlyMap<string, D> = new Map(),
): Map<string, D> {
  const documents = new Map(start);
  for (const event of events) {
    if (!takesEvent(projection, event)) continue;
    for (const key of projection.keys(event)) {
      const before = documents.get(key);
      if (before !== undefined && before._position >= event.position) continue;
      const next = evolveDocument(projection, documentBefore(projection, documents, key), event, key);
      if (next !== undefined) documents.set(key, next);
    }
  }
  return documents;
}
