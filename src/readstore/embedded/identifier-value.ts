import { columnValue, type SqlValue } from './column-value.ts';

/**
 * The fields that hold identifiers and are asked for by equality. Their values stand in every entry of every index over
 * them, and most are UUIDs, which take 36 bytes as text.
 */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  '_id',
  'tenantId',
  'accountId',
  'subAccountKey',
  'syncId',
  'ruleId',
  'eventId',
  'correlationId',
  'counterpartyKey',
  'descriptionKey',
]);

export function isIdentifier(field: string): boolean {
  return IDENTIFIERS.has(field);
}

const UUID_LENGTH = 36;
const DIGEST_LENGTH = 32;
const POSITION_LENGTH = 16;
const UUID_BYTES = 16;

/** The forms of what follows a UUID and a slash, and of a value that begins with no UUID. */
const [THEN_UUID, THEN_POSITION, THEN_TEXT] = [0, 1, 2];
const DIGEST_ALONE = 0;

/**
 * An identifier as stored in a column: a UUID, what begins with a UUID and a slash, and 32 hexadecimal digits in
 * bytes, anything else as {@link columnValue}. Different values stay different. Values of one form are ordered as their
 * texts are, those of different forms not; all that begin with the same UUID and a slash stand together.
 */
export function identifierValue(value: unknown): SqlValue {
  if (typeof value !== 'string' || value.length < DIGEST_LENGTH) return columnValue(value);
  const { length } = value;
  if (length === DIGEST_LENGTH) {
    const bytes = Buffer.allocUnsafe(1 + DIGEST_LENGTH / 2);
    bytes[0] = DIGEST_ALONE;
    return readDigits(value, 0, DIGEST_LENGTH, bytes, 1) ? bytes : value;
  }
  if (length === UUID_LENGTH) {
    const bytes = Buffer.allocUnsafe(UUID_BYTES);
    return readUuid(value, 0, bytes, 0) ? bytes : value;
  }
  if (value[UUID_LENGTH] !== '/') return value;
  return afterUuid(value) ?? value;
}

/** A UUID, a slash and anything else; undefined for what does not begin with a UUID. */
function afterUuid(value: string): Buffer | undefined {
  const [from, length] = [UUID_LENGTH + 1, value.length - UUID_LENGTH - 1];
  const most = UUID_BYTES + 1 + Buffer.byteLength(value) - from;
  const bytes = Buffer.allocUnsafe(most);
  if (!readUuid(value, 0, bytes, 0)) return undefined;
  const at = UUID_BYTES + 1;
  const form = (number: number, end: number): Buffer => {
    bytes[UUID_BYTES] = number;
    return bytes.subarray(0, end);
  };
  if (length === UUID_LENGTH && readUuid(value, from, bytes, at)) return form(THEN_UUID, at + UUID_BYTES);
  if (length === POSITION_LENGTH && isDecimal(value, from) && readDigits(value, from, length, bytes, at)) {
    return form(THEN_POSITION, at + POSITION_LENGTH / 2);
  }
  return form(THEN_TEXT, at + bytes.write(value.slice(from), at));
}

/**
 * The values of a column that begin with the text, as a lower bound that is part of them and an upper one that is not;
 * undefined for a text that is not a UUID and a slash.
 */
export function identifiersFrom(start: string): { readonly from: Uint8Array; readonly to: Uint8Array } | undefined {
  const bytes = Buffer.allocUnsafe(UUID_BYTES);
  if (start.length !== UUID_LENGTH + 1 || start[UUID_LENGTH] !== '/' || !readUuid(start, 0, bytes, 0)) return undefined;
  // The UUID alone, without a slash, comes before these.
  return {
    from: Buffer.concat([bytes, Uint8Array.of(THEN_UUID)]),
    to: Buffer.concat([bytes, Uint8Array.of(THEN_TEXT + 1)]),
  };
}

/** Where the groups of digits of a UUID begin, and their lengths; a hyphen stands before each but the first. */
const GROUPS = [
  [0, 8],
  [9, 4],
  [14, 4],
  [19, 4],
  [24, 12],
] as const;
const HYPHEN = 0x2d;

/** Writes the bytes of the UUID that begins at `from`; false, with anything written, for what is none in lower case. */
function readUuid(text: string, from: number, into: Uint8Array, at: number): boolean {
  let next = at;
  for (const [start, digits] of GROUPS) {
    if (start > 0 && text.charCodeAt(from + start - 1) !== HYPHEN) return false;
    if (!readDigits(text, from + start, digits, into, next)) return false;
    next += digits / 2;
  }
  return true;
}

/** Writes pairs of hexadecimal digits in lower case as bytes; false, with anything written, for other text. */
function readDigits(text: string, from: number, digits: number, into: Uint8Array, at: number): boolean {
  for (let nth = 0; nth < digits; nth += 2) {
    const [high, low] = [digitAt(text, from + nth), digitAt(text, from + nth + 1)];
    if (high < 0 || low < 0) return false;
    into[at + nth / 2] = high * 16 + low;
  }
  return true;
}

/** -1 for what is no hexadecimal digit in lower case. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}

function isDecimal(text: string, from: number): boolean {
  for (let at = from; at < text.length; at += 1) if (digitAt(text, at) > 9) return false;
  return true;
}
