import {
  type EventCodec,
  type EventMetadata,
  EventSchemaError,
  type RecordedEvent,
  type StreamEvent,
} from '../../events/event.ts';
import type { StoredEvent } from './reading.ts';

function isOurs(metadata: unknown): metadata is EventMetadata {
  return (
    typeof metadata === 'object' &&
    metadata !== null &&
    'schemaVersion' in metadata &&
    typeof metadata.schemaVersion === 'number'
  );
}

/** @throws EventSchemaError when the event was not written by this service, or its type or version was never defined */
export function streamEvent(stored: StoredEvent, codec: EventCodec): StreamEvent {
  const { metadata } = stored;
  if (!stored.isJson || !isOurs(metadata)) {
    throw new EventSchemaError(
      stored.type,
      `the event ${stored.id} in ${stored.streamId} was not written by this service`,
    );
  }
  const { schemaVersion, data } = codec.upcast(stored.type, metadata.schemaVersion, stored.data);
  const lifted = metadata.schemaVersion !== schemaVersion;
  return {
    id: stored.id,
    type: stored.type,
    data,
    metadata: lifted ? { ...metadata, schemaVersion } : metadata,
    stream: stored.streamId,
    revision: Number(stored.revision),
    recordedAt: stored.created.toISOString(),
    ...(lifted ? { asStored: { schemaVersion: metadata.schemaVersion, data: stored.data } } : {}),
  };
}

/** The same with its position. @throws EventSchemaError likewise */
export function recorded(stored: StoredEvent, position: string, codec: EventCodec): RecordedEvent {
  return { ...streamEvent(stored, codec), position };
}
