import { z } from '../core/zod.ts';

/** ISO 8601 UTC with milliseconds, as in every answer. */
export const instant = z.iso.datetime({ precision: 3 }).openapi({ format: 'date-time' });

/**
 * The same object without its nulls: the interface declares these fields without null, so unknown values are left out.
 */
export function withoutNulls<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], null> } {
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(present) as { [Name in keyof Fields]?: Exclude<Fields[Name], null> };
}
