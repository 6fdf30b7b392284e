/** The envelope of every fact. It is stored for ever: change it only by addition. */

/** Who caused an event. `system` ids name the worker ("sync", "automation", "bootstrap"). */
export type Actor = { readonly type: 'api-key' | 'user' | 'operator' | 'system'; readonly id: string };

export type EventMetadata = {
  /** Version of the data's schema when it was written; older ones are upcast on read. */
  readonly schemaVersion: number;
  readonly tenantId: string;
  readonly companyId: string | null;
  readonly actor: Actor;
  /** The request id (or the run id for background work) that caused this event. */
  readonly correlationId: string;
  /** The event id that led to this one, when one did. */
  readonly causationId: string | null;
};

/** An event about to be appended. `id` is a UUID and makes a repeated append recognisable. */
export type NewEvent<Type extends string = string, Data = unknown> = {
  readonly id: string;
  readonly type: Type;
  readonly data: Data;
  readonly metadata: EventMetadata;
  /**
   * Paths of fields in `data` that have the same value in an earlier event and are accepted although the schema refuses
   * them. Not stored.
   */
  readonly carried?: readonly string[];
};

/** An event as its stream returns it, already at its type's newest schema version. */
export type StreamEvent<Type extends string = string, Data = unknown> = NewEvent<Type, Data> & {
  readonly stream: string;
  /** 0-based place in its stream, without gaps. */
  readonly revision: number;
  /** When the log recorded it, ISO 8601 UTC with milliseconds. */
  readonly recordedAt: string;
  /** The stored data, where it was written in an older version of the schema: proofs are made over it. */
  readonly asStored?: { readonly schemaVersion: number; readonly data: unknown };
};

/** An event as the log returns it. */
export type RecordedEvent<Type extends string = string, Data = unknown> = StreamEvent<Type, Data> & {
  /** Place in the whole log: opaque, fixed width, ordered by plain string comparison, not dense. */
  readonly position: string;
};

/** Checks events before they are stored and upcasts old ones when they are read. Passed to every log adapter. */
export type EventCodec = {
  /** @throws EventSchemaError when the type is unknown or the data does not fit its closed schema. */
  readonly check: (event: NewEvent) => void;
  /**
   * An unknown type is returned as it is. @throws EventSchemaError when there is no upcaster for that version of the
   * type.
   */
  readonly upcast: (type: string, schemaVersion: number, data: unknown) => { schemaVersion: number; data: unknown };
};

export class EventSchemaError extends Error {
  readonly eventType: string;
  /** Paths of the fields that the schema refuses; none where something else is wrong. */
  readonly fields: readonly string[];
  constructor(eventType: string, message: string, fields: readonly string[] = []) {
    super(`${eventType}: ${message}`);
    this.name = 'EventSchemaError';
    this.eventType = eventType;
    this.fields = fields;
  }
}
