import { type EventCodec, EventSchemaError, type NewEvent } from '../events/event.ts';
import { yieldToOthers } from '../shared/yield-to-others.ts';
import { type Append, AppendTooLarge } from './log.ts';
import { type Category, parseStreamName } from './streams.ts';

/** EventStoreDB's limit for one append; the embedded log has the same, so that both accept the same appends. */
const MAX_APPEND_BYTES = 1024 * 1024;
/** Events prepared in one iteration of the event loop, but for those of the last append. */
const AT_ONCE = 250;

/** An event as it is stored: `data` and `metadata` are JSON text. */
export type PreparedEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
};

/** A checked append. `expected` is the revision of the stream's last event, -1 for a stream that does not exist. */
export type PreparedAppend = {
  readonly stream: string;
  readonly category: Category;
  readonly expected: number;
  readonly events: readonly PreparedEvent[];
  readonly bytes: number;
};

// Lower case only: EventStoreDB returns ids in lower case, and a changed id is another event.
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * The text of each metadata object of one call: the events of a page share one, and serialising it takes a third of the
 * time.
 */
type MetadataTexts = Map<NewEvent['metadata'], string>;

function prepareEvent(event: NewEvent, codec: EventCodec, texts: MetadataTexts): PreparedEvent {
  if (!UUID.test(event.id) || event.id === NIL_UUID) {
    throw new EventSchemaError(event.type, 'the event id is not a UUID in lower case');
  }
  codec.check(event);
  const metadata = texts.get(event.metadata) ?? jsonText(event.type, event.metadata);
  texts.set(event.metadata, metadata);
  return { id: event.id, type: event.type, data: jsonText(event.type, event.data), metadata };
}

function jsonText(type: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new EventSchemaError(type, `not a JSON value: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (text === undefined) throw new EventSchemaError(type, 'not a JSON value');
  return text;
}

/** As EventStoreDB counts: the stored bytes and the type's name in UTF-16. */
function storedBytes(event: PreparedEvent): number {
  return Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata) + 2 * event.type.length;
}

/**
 * Checks one append as every log must before it writes.
 * @throws RangeError for no events, a stream name that is not ours or an expected revision that is no whole number
 * @throws EventSchemaError for an event the codec refuses, an id that is not a UUID or data that JSON cannot hold
 * @throws AppendTooLarge over 1 MiB
 */
export function prepareAppend(append: Append, codec: EventCodec, texts: MetadataTexts = new Map()): PreparedAppend {
  if (append.events.length === 0) throw new RangeError('an append needs at least one event');
  if (append.expected !== 'no-stream' && (!Number.isSafeInteger(append.expected) || append.expected < 0)) {
    throw new RangeError(`not a revision: ${append.expected}`);
  }
  const { category } = parseStreamName(append.stream);
  const events = append.events.map((event) => prepareEvent(event, codec, texts));
  const bytes = events.reduce((sum, event) => sum + storedBytes(event), 0);
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLarge(bytes);
  return {
    stream: append.stream,
    category,
    expected: append.expected === 'no-stream' ? -1 : append.expected,
    events,
    bytes,
  };
}

/**
 * {@link prepareAppend} for many, some at a time, since each takes some 50 µs: nothing is written unless all of them
 * are valid. @throws RangeError for a stream named twice
 */
export async function prepareAppends(appends: readonly Append[], codec: EventCodec): Promise<PreparedAppend[]> {
  const streams = new Set(appends.map((append) => append.stream));
  if (streams.size !== appends.length) throw new RangeError('no two appends of one call may name the same stream');
  const texts: MetadataTexts = new Map();
  const prepared: PreparedAppend[] = [];
  let since = 0;
  for (const append of appends) {
    if (since >= AT_ONCE) {
      await yieldToOthers();
      since = 0;
    }
    prepared.push(prepareAppend(append, codec, texts));
    since += append.events.length;
  }
  return prepared;
}
