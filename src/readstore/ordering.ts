import type { Sort } from './read-store.ts';

/** The rules common to both stores: field paths, text order, and how an order becomes total. */

const FIELD = /^[^."'\\$\p{Cc}]+(\.[^."'\\$\p{Cc}]+)*$/u;

/** @throws RangeError for a field that cannot be named; fields come from our own code, never from a caller */
export function fieldPath(field: string): readonly string[] {
  if (!FIELD.test(field)) throw new RangeError(`not a field: ${JSON.stringify(field)}`);
  return field.split('.');
}

/** Undefined where the path leads through anything but an object. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/**
 * The sort with `_id` at its end, in the last key's direction; fields after an `_id` are dropped, since they order
 * nothing.
 */
export function orderKeys(sort: Sort): Sort {
  const id = sort.findIndex((key) => key.field === '_id');
  if (id >= 0) return sort.slice(0, id + 1);
  return [...sort, { field: '_id', direction: sort.at(-1)?.direction ?? 'asc' }];
}

/** The `after` that continues after a document, for a sort. */
export function keysetOf(sort: Sort): (document: unknown) => (string | number)[] {
  const paths = orderKeys(sort).map((key) => fieldPath(key.field));
  return (document) => paths.map((path) => valueAt(document, path) as string | number);
}

/** The least string greater than every string with this prefix, by code point; undefined when there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < 0x10ffff) {
      // Surrogates are not characters and cannot be encoded in UTF-8, so they are skipped.
      const next = last === 0xd7ff ? 0xe000 : last + 1;
      return String.fromCodePoint(...points, next);
    }
  }
  return undefined;
}
