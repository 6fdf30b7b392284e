import fc from 'fast-check';
import type { Schema } from './documented.ts';

/**
 * Without blanks at either end, since names are trimmed; with letters of several scripts, characters outside the basic
 * multilingual plane and combining ones.
 */
function textOf({ minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  const unit = fc.constantFrom(...'abzAZ019 -_.,;:!?\'"<>&/\\%=+@', 'ı', 'İ', 'ß', 'ж', '中', '\u0301', '\u200d', '😀');
  const longest = Math.max(1, Math.floor(Math.min(maxLength, 40) / 2));
  return fc
    .string({ unit, minLength: 0, maxLength: longest })
    .map((text) => `${'a'.repeat(Math.max(1, minLength - 1))}${text}`.slice(0, Math.max(1, maxLength - 1)))
    .map((text) => (text.trim().length < minLength || /[\s\ud800-\udbff]$/.test(text) ? `${text.slice(0, -1)}z` : text))
    .map((text) => (text.length < minLength ? text.padEnd(minLength, 'z') : text));
}

function stringOf(schema: Schema): fc.Arbitrary<string> {
  const { example, pattern, format, minLength = 0, maxLength = 400 } = schema;
  if (format === 'email') return fc.uuid().map((id) => `${id}@example.com`);
  if (typeof example === 'string') return fc.constant(example);
  if (pattern === undefined) return textOf(schema);
  const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength;
  return fc.stringMatching(new RegExp(pattern)).filter(fits);
}

/** Without the last of the names if the value has all of them, which is not allowed. */
function withoutLast(value: Record<string, unknown>, together: readonly string[]): Record<string, unknown> {
  const all = together.length > 0 && together.every((name) => name in value);
  return all ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== together.at(-1))) : value;
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  const { minimum, maximum, items = {}, minItems = 0, maxItems = 5, properties = {}, required = [] } = schema;
  switch (type) {
    case 'string':
      return stringOf(schema);
    case 'integer':
      return fc.integer({ min: minimum ?? 0, max: maximum ?? 1_000_000 });
    case 'number':
      return fc.double({ min: minimum ?? -1e6, max: maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const lengths = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 5)) };
      return schema.uniqueItems ? fc.uniqueArray(arbitraryOf(items), lengths) : fc.array(arbitraryOf(items), lengths);
    }
    case 'object': {
      const parts = Object.entries(properties).map(([name, part]) => [name, arbitraryOf(part)] as const);
      const whole = fc.record(Object.fromEntries(parts), { requiredKeys: [...required], noNullPrototype: true });
      const { required: together = [] } = schema.not ?? {};
      return whole.map((value) => withoutLast(value, together));
    }
    default:
      throw new RangeError(`no such type: ${type}`);
  }
}

/** The document uses `oneOf` only for properties that exclude each other. */
function onlyOne(schema: Schema, variants: readonly Schema[], chosen: number): Schema {
  const required = variants[chosen]?.required ?? [];
  const excluded = variants.flatMap((variant) => variant.required ?? []).filter((name) => !required.includes(name));
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !excluded.includes(name));
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: [...(schema.required ?? []), ...required],
  };
}

/**
 * Values that fit the schema. Where the schema has an example of a text, the example is used: which other texts are
 * valid is described in words only.
 */
export function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) {
    const { anyOf, ...shared } = schema;
    return fc.oneof(
      ...anyOf.map((one) =>
        arbitraryOf({ ...shared, ...one, required: [...(shared.required ?? []), ...(one.required ?? [])] }),
      ),
    );
  }
  if (schema.oneOf !== undefined) {
    const { oneOf, ...shared } = schema;
    return fc.oneof(...oneOf.map((_, chosen) => arbitraryOf(onlyOne(shared, oneOf, chosen))));
  }
  if (schema.type === undefined) return fc.constant({});
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return fc.oneof(...types.map((type) => ofType(type, schema)));
}
