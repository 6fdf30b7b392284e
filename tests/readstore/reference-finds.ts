import type { Condition, Document, Filter, Find, Sort } from '../../src/readstore/read-store.ts';

/** What the port specifies, implemented slowly and simply; the stores are compared with it. */
export function referenceFind<D extends Document>(documents: Iterable<D>, find: Find): D[] {
  const keys = totalOrder(find.sort);
  const matches = [...documents].filter((document) => holds(document, find.filter));
  const ordered = matches.sort((one, other) => compareBy(keys, sortValues(one, keys), sortValues(other, keys)));
  const { after } = find;
  const rest =
    after === undefined ? ordered : ordered.filter((each) => compareBy(keys, sortValues(each, keys), after) > 0);
  return rest.slice(0, find.limit);
}

export function referenceCount(
  documents: Iterable<Document>,
  filter: Filter,
  limit = Number.POSITIVE_INFINITY,
): number {
  return Math.min(limit, [...documents].filter((document) => holds(document, filter)).length);
}

/** The `after` that continues after this document. */
export function keysetOf(document: Document, sort: Sort): (string | number)[] {
  return sortValues(document, totalOrder(sort));
}

function totalOrder(sort: Sort): Sort {
  return [...sort, { field: '_id', direction: sort.at(-1)?.direction ?? 'asc' }];
}

function sortValues(document: Document, keys: Sort): (string | number)[] {
  return keys.map((key) => {
    const value = at(document, key.field);
    if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`${key.field} is not fit to sort by`);
    return value;
  });
}

function compareBy(keys: Sort, one: readonly (string | number)[], other: readonly (string | number)[]): number {
  for (const [place, key] of keys.entries()) {
    const difference = compareValues(one[place] ?? '', other[place] ?? '');
    if (difference !== 0) return key.direction === 'asc' ? difference : -difference;
  }
  return 0;
}

function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}

function holds(document: Document, filter: Filter): boolean {
  return filter.every((condition) => meets(at(document, condition.field), condition));
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
      if ((typeof value !== 'string' && typeof value !== 'number') || typeof value !== typeof condition.value)
        return false;
      const difference = compareValues(value, condition.value);
      if (condition.op === 'gt') return difference > 0;
      if (condition.op === 'gte') return difference >= 0;
      return condition.op === 'lt' ? difference < 0 : difference <= 0;
    }
  }
}

function at(document: Document, field: string): unknown {
  let value: unknown = document;
  for (const key of field.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return value;
}
