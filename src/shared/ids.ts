import { hash, randomFillSync } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';

/** Fixed for ever: the namespace of every computed id of this service. */
const NAMESPACE = Buffer.from('5b0f4a5e6f0c5d7e9a3b2c1d8e7f6a90', 'hex');

/** Makes fresh ids (UUIDv7, RFC 9562). Passed in where ids are needed, so that tests can fix them. */
export type NewId = () => string;

export const newId: NewId = () => {
  const random = randomBytes();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // The topmost bit stays free, so that a millisecond's ids can go on counting.
    sequence = random.readUInt32BE(0) >>> 1;
  } else {
    sequence = (sequence + 1) >>> 0;
    if (sequence === 0) lastMs += 1;
  }
  return uuidV7({ random, msecs: lastMs, seq: sequence | 0 });
};

/** Ids of one process ascend, also within a millisecond (RFC 9562, section 6.2, method 1). */
let lastMs = Number.NEGATIVE_INFINITY;
let sequence = 0;

const RANDOM_BYTES = 16;
/** Random bytes are fetched for many ids at once: one at a time, that alone is most of the cost of an id. */
const pool = Buffer.alloc(256 * RANDOM_BYTES);
let used = pool.length;

function randomBytes(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += RANDOM_BYTES;
  return pool.subarray(used - RANDOM_BYTES, used);
}

/**
 * Ids that come again, in the same order, for the same seed and time. They are UUIDv7 of that time like any other, and
 * ascend.
 * @param seed at least as random as the ids are to be
 */
export function repeatableIds(seed: string, atMs: number): NewId {
  let made = 0;
  const first = hash('sha256', `${seed}:first`, 'buffer').readUInt32BE(0) >>> 1;
  return () => {
    const random = hash('sha256', `${seed}:${made}`, 'buffer').subarray(0, RANDOM_BYTES);
    const id = uuidV7({ random, msecs: atMs, seq: (first + made) | 0 });
    made += 1;
    return id;
  };
}

/**
 * A UUIDv5 (RFC 9562) of the parts; parts are length-prefixed, so no two lists of parts meet. Two are made for every
 * row of a sync, so it is done here in one call of the hash: the `uuid` package takes five times as long.
 * @throws URIError for a text with half a character in it, which would not survive UTF-8
 */
export function computedId(...parts: readonly string[]): string {
  const name = parts.map((part) => `${part.length}:${part}`).join('');
  if (!name.isWellFormed()) throw new URIError('an id cannot be computed from an unpaired surrogate');
  const bytes = Buffer.allocUnsafe(NAMESPACE.length + 3 * name.length);
  NAMESPACE.copy(bytes);
  const end = NAMESPACE.length + bytes.write(name, NAMESPACE.length);
  const hex = hash('sha1', bytes.subarray(0, end), 'hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The only possible id of a bank row: two connections, two workers and a replay compute the same. */
export function transactionId(tenantId: string, bankCode: string, providerStamp: string): string {
  return computedId('transaction', tenantId, bankCode, providerStamp);
}

/** Read-model document id: the tenant is always part of it. */
export function documentId(tenantId: string, ...parts: readonly string[]): string {
  return [tenantId, ...parts].join('/');
}
