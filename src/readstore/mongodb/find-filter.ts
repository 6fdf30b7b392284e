import type { Condition as StoredCondition, Filter as StoredFilter } from 'mongodb';
import { afterPrefix, fieldPath, orderKeys } from '../ordering.ts';
import type { Condition, Filter, Find, Scalar, Sort } from '../read-store.ts';
import { storedKey } from './stored-keys.ts';

/** A document as it is stored. */
export type Stored = { _id: string; _position: string; [field: string]: unknown };

type Test = { [operator: string]: unknown };

/**
 * The filter of a find. A value only ever follows an operator, and only if it is a primitive, so nothing from outside
 * can become an operator. Equality and order also match members of an array: fields with arrays are filtered with `has`
 * and `hasPrefix`.
 */
export function filterOf(filter: Filter, sort: Sort, after: Find['after']): StoredFilter<Stored> {
  const clauses: object[] = filter.map((condition) => ({ [storedField(condition.field)]: testOf(condition) }));
  if (after !== undefined) clauses.push(...keysetClauses(orderKeys(sort), after));
  return clauses.length === 0 ? {} : ({ $and: clauses } as StoredFilter<Stored>);
}

export function sortOf(sort: Sort): Map<string, 1 | -1> {
  return new Map(orderKeys(sort).map((key) => [storedField(key.field), key.direction === 'asc' ? 1 : -1]));
}

export function storedField(field: string): string {
  return fieldPath(field).map(storedKey).join('.');
}

function testOf(condition: Condition): StoredCondition<unknown> & Test {
  switch (condition.op) {
    case 'eq':
      return { $eq: primitive(condition.value) };
    case 'in':
      return { $in: condition.value.map(primitive) };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { [`$${condition.op}`]: primitive(condition.value) };
    case 'prefix':
      return within(primitive(condition.value));
    case 'has':
      return { $elemMatch: { $eq: primitive(condition.value) } };
    case 'hasPrefix':
      return { $elemMatch: within(primitive(condition.value)) };
    default:
      throw new RangeError('not a condition');
  }
}

function within(prefix: string): Test {
  const next = afterPrefix(prefix);
  return next === undefined ? { $gte: prefix } : { $gte: prefix, $lt: next };
}

function primitive<T extends Scalar>(value: T): T {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  throw new RangeError('only primitive values reach a filter');
}

function keysetClauses(keys: Sort, after: readonly (string | number)[]): object[] {
  if (after.length < keys.length) throw new RangeError(`after needs ${keys.length} values, got ${after.length}`);
  const places = keys.map((key, at) => ({
    field: storedField(key.field),
    beyond: key.direction === 'asc' ? '$gt' : '$lt',
    value: primitive(after[at] ?? ''),
  }));
  const branches = places.map(({ field, beyond, value }, at) => {
    const equal = places.slice(0, at).map((place) => ({ [place.field]: { $eq: place.value } }));
    return { $and: [...equal, { [field]: { [beyond]: value } }] };
  });
  const [first] = places;
  if (first === undefined || places.length === 1) return branches;
  // Follows from the branches; stated so that an index can start from it.
  return [{ [first.field]: { [`${first.beyond}e`]: first.value } }, { $or: branches }];
}
