import type { CredentialsJsonSchema } from '../credentials.ts';
import type { Phrase } from './phrase-finder.ts';

/** Shorter values occur in unrelated texts by chance; they are masked by the names of their fields. */
const SHORTEST = 4;

/**
 * Every text and number in the credentials of a connection that must not be shown. What a bank declares as not secret
 * is left out if it is a number or a structure (a fault script, a number of rows), since its parts occur in every
 * answer; a text is kept, since credentials are write-only, unless the bank declares that it may be shown.
 */
export function secretValues(
  credentials: Readonly<Record<string, unknown>>,
  fields: CredentialsJsonSchema['properties'] = {},
): string[] {
  const isOpen = (name: string): boolean => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return field !== undefined && !(field.writeOnly ?? field.type === 'string');
  };
  const values = new Set<string>();
  const waiting: unknown[] = Object.entries(credentials).flatMap(([name, value]) => (isOpen(name) ? [] : [value]));
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value));
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    for (const text of [String(value), String(value).trim()]) if (text.length >= SHORTEST) values.add(text);
  }
  return [...values];
}

/** A value in base64, at each of its three alignments and in either alphabet. */
export function base64Phrases(value: string): Phrase[] {
  return bytesOf(value).flatMap((bytes) =>
    [0, 1, 2].flatMap((before) => {
      const filled = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
      // Only characters whose six bits all come from the value are the same at any place.
      const own = filled.slice(Math.ceil((8 * before) / 6), Math.floor((8 * (before + bytes.length)) / 6));
      const widen = [before === 0 ? 0 : 1, (before + bytes.length) % 3 === 0 ? 0 : 1] as const;
      return [...new Set([own, own.replaceAll('+', '-').replaceAll('/', '_')])].map((text) => ({ text, widen }));
    }),
  );
}

/** In hexadecimal digits; to be found regardless of case. */
export function hexPhrases(value: string): Phrase[] {
  return bytesOf(value).map((bytes) => ({ text: bytes.toString('hex') }));
}

/** In UTF-8, and in ISO 8859-1 if that can represent it and gives other bytes. */
function bytesOf(value: string): Buffer[] {
  const utf8 = Buffer.from(value, 'utf8');
  const latin1 = Buffer.from(value, 'latin1');
  return latin1.toString('latin1') === value && !latin1.equals(utf8) ? [utf8, latin1] : [utf8];
}
