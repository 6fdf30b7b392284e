export type SqlValue = string | number | null | Uint8Array;

const FALSE = new Uint8Array([0]);
const TRUE = new Uint8Array([1]);
const COMPOUND = new Uint8Array([2]);
/** Stands for null in a term table, whose key columns cannot be null. */
export const ABSENT = new Uint8Array([]);

/**
 * A JSON value as stored in a column. Booleans and compound values become blobs, a class of their own in SQLite's order
 * (null < numbers < text < blobs), so that they never equal the number 1 or a text. What it returned stays as it is.
 */
export function columnValue(value: unknown): SqlValue {
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  return value instanceof Uint8Array ? value : COMPOUND;
}
