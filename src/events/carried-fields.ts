import { canonicalJson } from '../shared/hash.ts';
import type { NewEvent, RecordedEvent } from './event.ts';

function valueAt(data: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), data);
}

/**
 * Which of the fields, given by path, have the same value in the event's data as in an earlier event. A newer release
 * wrote and checked them there; an older one, whose closed schema refuses them, may carry them over but never add them
 * (ADR 0024).
 */
export function carriedFields(
  event: Pick<NewEvent, 'data'>,
  fields: readonly string[],
  earlier: readonly Pick<RecordedEvent, 'data'>[],
): string[] {
  return fields.filter((path) => {
    const value = valueAt(event.data, path);
    if (value === undefined) return false;
    const text = canonicalJson(value);
    return earlier.some(({ data }) => {
      const stored = valueAt(data, path);
      return stored !== undefined && canonicalJson(stored) === text;
    });
  });
}
