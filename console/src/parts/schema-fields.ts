import type { Choice } from './select.tsx';

type Json = Readonly<Record<string, unknown>>;

export type SchemaField = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: 'text' | 'secret' | 'number' | 'boolean' | 'day' | 'choice' | 'list' | 'object' | 'json';
  readonly required: boolean;
  readonly choices: readonly Choice[];
  readonly schema: Json;
};

/** `transactionsPerDay` reads `Transactions per day`. */
export function readable(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function kindOf(schema: Json): SchemaField['kind'] {
  const { type, format, enum: values, writeOnly } = schema;
  if (Array.isArray(values)) return 'choice';
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return 'list';
  // Of a structure without properties only the description says what belongs in it.
  if (type === 'object') return schema.properties === undefined ? 'json' : 'object';
  if (format === 'password' || writeOnly === true) return 'secret';
  return format === 'date' ? 'day' : 'text';
}

/** The properties of an object's JSON Schema in their order. */
export function fieldsOf(schema: Json): SchemaField[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, property]) => ({
    name,
    label: typeof property.title === 'string' ? property.title : readable(name),
    ...(typeof property.description === 'string' ? { hint: property.description } : {}),
    kind: kindOf(property),
    required: required.has(name),
    choices: Array.isArray(property.enum)
      ? property.enum.map((value) => ({ value: String(value), label: String(value) }))
      : [],
    schema: property,
  }));
}
