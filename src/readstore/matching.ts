import { orderKeys, valueAt } from './ordering.ts';
import type { Condition, Document, Filter, Sort } from './read-store.ts';

/**
 * The port's filters and order applied in memory, to documents that are in no store, such as those as of another time.
 */

/**
 * Orders text by code point, as both stores do: UTF-16 order differs for characters outside the basic multilingual
 * plane.
 */
function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}

function meets(value: unknown, condition: Condition): boolean {
  switch (condition.op) {
    case 'eq':
      return (value ?? null) === condition.value;
    case 'in':
      return condition.value.some((each) => each === value);
    case 'prefix':
      return typeof value === 'string' && value.startsWith(condition.value);
    case 'has':
      return Array.isArray(value) && value.includes(condition.value);
    case 'hasPrefix':
      return Array.isArray(value) && value.some((each) => typeof each === 'string' && each.startsWith(condition.value));
    default: {
      if ((typeof value !== 'string' && typeof value !== 'number') || typeof value !== typeof condition.value) {
        return false;
      }
      const difference = compareValues(value, condition.value);
      if (condition.op === 'gt') return difference > 0;
      if (condition.op === 'gte') return difference >= 0;
      return condition.op === 'lt' ? difference < 0 : difference <= 0;
    }
  }
}

export function matches(document: Document, filter: Filter): boolean {
  return filter.every((condition) => meets(valueAt(document, condition.field.split('.')), condition));
}

/** Compares keysets, as `keysetOf` of ordering.ts makes them, in the sort's total order. */
export function compareKeysets(
  sort: Sort,
): (one: readonly (string | number)[], other: readonly (string | number)[]) => number {
  const keys = orderKeys(sort);
  return (one, other) => {
    for (const [place, { direction }] of keys.entries()) {
      const difference = compareValues(one[place] ?? '', other[place] ?? '');
      if (difference !== 0) return direction === 'asc' ? difference : -difference;
    }
    return 0;
  };
}
