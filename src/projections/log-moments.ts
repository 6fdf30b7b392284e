import { type EventType, eventTypes } from '../events/registry.ts';
import type { Document } from '../readstore/read-store.ts';
import type { Projection } from './projection.ts';

/** Every type: for read models that take the whole log. */
export const EVERY_TYPE: readonly EventType[] = Object.keys(eventTypes) as EventType[];

/**
 * The first event of each minute with events, in the whole log: it maps a moment to a position. It holds no data of any
 * tenant.
 */
export type LogMomentDocument = Document & {
  readonly minute: string;
  readonly firstPosition: string;
  readonly firstRecordedAt: string;
};

const MINUTE_LENGTH = 'YYYY-MM-DDTHH:MM'.length;

export function minuteOf(instant: string): string {
  return instant.slice(0, MINUTE_LENGTH);
}

export const logMoments: Projection<LogMomentDocument> = {
  name: 'log-moments',
  version: 1,
  takes: EVERY_TYPE,
  keys: (event) => [minuteOf(event.recordedAt)],
  evolve: (document, event, key) =>
    document ?? { _id: key, minute: key, firstPosition: event.position, firstRecordedAt: event.recordedAt },
  indexes: [{ fields: ['minute'] }],
};
