import type { RecordedEvent } from '../events/event.ts';
import type { Document } from '../readstore/read-store.ts';

/** Where in the log a document begins, and when its last event was recorded (ISO 8601 UTC). */
export type LogPlace = { readonly recordedPosition: string; readonly changedAt: string };

export type PlacedDocument = Document & LogPlace;

/** The document after the event, with its place in the log. @param before undefined for a new document */
export function placed<Body extends object>(
  before: LogPlace | undefined,
  body: Body,
  event: Pick<RecordedEvent, 'position' | 'recordedAt'>,
): Body & LogPlace {
  return { ...body, recordedPosition: before?.recordedPosition ?? event.position, changedAt: event.recordedAt };
}
