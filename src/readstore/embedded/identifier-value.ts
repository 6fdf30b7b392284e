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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_LENGTH = 36;
const DIGEST = /^[0-9a-f]{32}$/;
const POSITION = /^[0-9]{16}$/;

/** The forms of what follows a UUID and a slash, and of a value that begins with no UUID. */
const [THEN_UUID, THEN_POSITION, THEN_TEXT] = [0, 1, 2];
const DIGEST_ALONE = Uint8Array.of(0);

/**
 * An identifier as stored in a column: a UUID, what begins with a UUID and a slash, and 32 hexadecimal digits in
 * bytes, anything else as {@link columnValue}. Different values stay different. Values of one form are ordered as their
 * texts are, those of different forms not; all that begin with the same UUID and a slash stand together.
 */
export function identifierValue(value: unknown): SqlValue {
  if (typeof value !== 'string' || value.length < 32) return columnValue(value);
  if (value.length === 32) return DIGEST.test(value) ? Buffer.concat([DIGEST_ALONE, hex(value)]) : value;
  const start = value.slice(0, UUID_LENGTH);
  if (!UUID.test(start)) return value;
  if (value.length === UUID_LENGTH) return uuid(value);
  if (value[UUID_LENGTH] !== '/') return value;
  const rest = value.slice(UUID_LENGTH + 1);
  if (UUID.test(rest)) return Buffer.concat([uuid(start), Uint8Array.of(THEN_UUID), uuid(rest)]);
  if (POSITION.test(rest)) return Buffer.concat([uuid(start), Uint8Array.of(THEN_POSITION), hex(rest)]);
  return Buffer.concat([uuid(start), Uint8Array.of(THEN_TEXT), Buffer.from(rest)]);
}

/**
 * The values of a column that begin with the text, as a lower bound that is part of them and an upper one that is not;
 * undefined for a text that is not a UUID and a slash.
 */
export function identifiersFrom(start: string): { readonly from: Uint8Array; readonly to: Uint8Array } | undefined {
  const id = start.slice(0, UUID_LENGTH);
  if (start !== `${id}/` || !UUID.test(id)) return undefined;
  const bytes = uuid(id);
  // The UUID alone, without a slash, comes before these.
  return {
    from: Buffer.concat([bytes, Uint8Array.of(THEN_UUID)]),
    to: Buffer.concat([bytes, Uint8Array.of(THEN_TEXT + 1)]),
  };
}

function uuid(text: string): Buffer {
  return hex(text.replaceAll('-', ''));
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, 'hex');
}
