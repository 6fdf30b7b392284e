import type { StoredEvent } from './store.ts';

/** What servers before 22.6 send as the position of an event read from its stream. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn;
const VARINT = 0;
const BYTES = 2;

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return bytes;
}

function number(field: number, value: bigint): Buffer {
  return Buffer.from([(field << 3) | VARINT, ...varint(value)]);
}

function bytes(field: number, content: Buffer | string): Buffer {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([Buffer.from([(field << 3) | BYTES, ...varint(BigInt(body.length))]), body]);
}

function entry(field: number, key: string, value: string): Buffer {
  return bytes(field, Buffer.concat([bytes(1, key), bytes(2, value)]));
}

/**
 * A ReadResp with the event, as bytes. Encoded by hand, because the generated classes need 50 µs for it and whole logs
 * are read: field numbers are those of `streams.proto` and `shared.proto`.
 */
export function encodeEvent(event: StoredEvent, placed: boolean): Buffer {
  const position = placed ? event.position : NO_POSITION;
  const record = Buffer.concat([
    bytes(1, bytes(2, event.id)),
    bytes(2, bytes(3, event.stream)),
    number(3, BigInt(event.revision)),
    number(4, position),
    number(5, position),
    entry(6, 'type', event.type),
    entry(6, 'created', event.created),
    entry(6, 'content-type', event.contentType),
    bytes(7, event.metadata),
    bytes(8, event.data),
  ]);
  return bytes(1, Buffer.concat([bytes(1, record), placed ? number(3, position) : bytes(4, '')]));
}
