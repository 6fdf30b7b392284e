import type { Schema, Schemas } from './document.ts';

export type Member = { readonly name: string; readonly schema: Schema; readonly required: boolean };

/** A schema as a person reads it. */
export type Shape = {
  /** "array of Sync", "string (date-time) or null". */
  readonly type: string;
  readonly description: string;
  /** Bounds and the like, each a short text. */
  readonly facts: readonly string[];
  /** The values that are allowed, where they are listed. */
  readonly values: readonly string[];
  readonly pattern: string | null;
  readonly members: readonly Member[];
  readonly deprecated: boolean;
};

const REF = '#/components/schemas/';

/** The schema without references and without `allOf`; the name is that of the component. */
export function resolved(schema: Schema, schemas: Schemas): Schema & { readonly name?: string } {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(REF.length);
    const { $ref: _, ...beside } = schema;
    return { ...resolved(schemas[name] ?? {}, schemas), name, ...beside };
  }
  if (schema.allOf === undefined) return schema;
  const { allOf, ...own } = schema;
  const all = [...allOf, own].map((one) => resolved(one, schemas));
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required = [] }) => required),
  };
}

/** What is behind a list, however deep, and the values of a map. */
function inner(schema: Schema, schemas: Schemas): Schema {
  const given = resolved(schema, schemas);
  return given.items === undefined ? given : inner(given.items, schemas);
}

const isNull = (schema: Schema): boolean => schema.type === 'null';
const variantsOf = (schema: Schema): readonly Schema[] =>
  (schema.anyOf ?? schema.oneOf ?? []).filter((one) => !isNull(one));

export function typeOf(schema: Schema, schemas: Schemas): string {
  const given = resolved(schema, schemas);
  const orNull = (text: string, or: boolean): string => (or ? `${text} or null` : text);
  const all = given.anyOf ?? given.oneOf;
  if (all !== undefined && given.properties === undefined) {
    const types = [...new Set(variantsOf(given).map((one) => typeOf(one, schemas)))];
    return orNull(given.name ?? types.join(' or '), all.some(isNull));
  }
  const types = typeof given.type === 'string' ? [given.type] : (given.type ?? []);
  const [type = given.properties === undefined ? 'any' : 'object'] = types.filter((one) => one !== 'null');
  return orNull(oneType(type, given, schemas), types.includes('null'));
}

function oneType(type: string, given: Schema & { readonly name?: string }, schemas: Schemas): string {
  if (type === 'array') return `array of ${typeOf(given.items ?? {}, schemas)}`;
  if (given.name !== undefined) return given.name;
  if (given.format !== undefined) return `${type} (${given.format})`;
  const values = mapValues(given);
  return type === 'object' && values !== null ? `map of ${typeOf(values, schemas)}` : type;
}

function mapValues({ additionalProperties }: Schema): Schema | null {
  return typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
    ? additionalProperties
    : null;
}

function membersOf(schema: Schema, schemas: Schemas): Member[] {
  const given = inner(schema, schemas);
  const { properties = {}, required = [] } = given;
  const members = Object.entries(properties).map(([name, one]) => ({
    name,
    schema: one,
    required: required.includes(name),
  }));
  if (members.length > 0) return members;
  const variants = variantsOf(given);
  if (variants.length === 1 && variants[0] !== undefined) return membersOf(variants[0], schemas);
  const withMembers = variants.filter((one) => membersOf(one, schemas).length > 0);
  if (withMembers.length > 0) {
    return variants.map((one, index) => ({ name: variantName(one, index, schemas), schema: one, required: false }));
  }
  const values = mapValues(given);
  return values === null || membersOf(values, schemas).length === 0
    ? []
    : [{ name: 'any name', schema: values, required: false }];
}

/** A variant is called by its component, or by the value that is only its own. */
function variantName(schema: Schema, index: number, schemas: Schemas): string {
  const given = resolved(schema, schemas);
  const constant = Object.entries(given.properties ?? {}).find(([, one]) => one.enum?.length === 1);
  if (given.name !== undefined) return `either ${given.name}`;
  return constant === undefined ? `variant ${index + 1}` : `with ${constant[0]} ${String(constant[1].enum?.[0])}`;
}

function between(least: number | undefined, most: number | undefined, what: string): string[] {
  if (least === undefined && most === undefined) return [];
  if (least === most) return [`exactly ${least}${what}`];
  if (most === undefined) return [`at least ${least}${what}`];
  if (least === undefined) return [`at most ${most}${what}`];
  return [`${least} to ${most}${what}`];
}

export function shapeOf(schema: Schema, schemas: Schemas): Shape {
  const given = resolved(schema, schemas);
  const values = given.enum ?? inner(given, schemas).enum ?? [];
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return {
    type: typeOf(schema, schemas),
    description: schema.description ?? given.description ?? '',
    facts: [
      ...between(given.minimum, given.maximum === Number.MAX_SAFE_INTEGER ? undefined : given.maximum, ''),
      ...between(given.minLength, given.maxLength, ' characters'),
      ...between(given.minItems, given.maxItems, ' items'),
      ...(given.uniqueItems ? ['each once'] : []),
      ...(given.default === undefined ? [] : [`default ${text(given.default)}`]),
      ...(given.example === undefined || typeof given.example === 'object' ? [] : [`such as ${text(given.example)}`]),
    ],
    values: values.map(text),
    pattern: given.pattern ?? null,
    members: membersOf(schema, schemas),
    deprecated: given.deprecated ?? false,
  };
}
