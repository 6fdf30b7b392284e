/** The part of JSON Schema that the OpenAPI document uses; anything else in a schema is refused. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  /** Of an object: which properties it needs besides those that are required; without a type: alternatives. */
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly description?: string;
  readonly deprecated?: boolean;
};

const UNDERSTOOD = new Set([
  ...['$ref', 'type', 'enum', 'anyOf', 'allOf', 'oneOf', 'properties', 'required', 'additionalProperties', 'items'],
  ...['description', 'deprecated', 'default', 'example', 'format', 'pattern', 'minLength', 'maxLength', 'minimum'],
  // What two properties must not both be is left to the service.
  ...['maximum', 'minItems', 'maxItems', 'uniqueItems', 'not'],
]);

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/**
 * The TypeScript type of what the schema accepts, as source text. Bounds and patterns have no counterpart.
 * @throws Error for a keyword or a type that is not understood
 */
export function typeOf(schema: Schema): string {
  const unknown = Object.keys(schema).filter((name) => !UNDERSTOOD.has(name) && !name.startsWith('x-'));
  if (unknown.length > 0) throw new Error(`the generator does not understand ${unknown.join(', ')}`);
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.allOf !== undefined) return schema.allOf.map(inUnion).join(' & ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(inUnion).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (typeof schema.type === 'object') return schema.type.map((type) => inUnion({ ...schema, type })).join(' | ');
  if (schema.type === undefined) {
    if (schema.oneOf !== undefined) return schema.oneOf.map(inUnion).join(' | ');
    if (schema.properties !== undefined) throw new Error('the generator does not understand properties of no object');
    return 'unknown';
  }
  if (schema.type === 'array') return `${grouped(typeOf(schema.items ?? {}))}[]`;
  if (schema.type === 'object') return objectType(schema);
  const primitive = PRIMITIVES[schema.type];
  if (primitive === undefined) throw new Error(`the generator does not understand the type ${schema.type}`);
  return primitive;
}

/** `#/components/schemas/Rule` as `Rule`. */
export function nameOf(reference: string): string {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1];
  if (name === undefined) throw new Error(`${reference} is no named schema`);
  return name;
}

/** A comment above a declaration; empty for no text. */
export function commentOf({ description = '', deprecated = false }: Schema): string {
  const text = [description, ...(deprecated ? ['@deprecated'] : [])].join(' ').trim().replaceAll('*/', '* /');
  if (text === '') return '';
  const lines: string[] = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length > 100) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.length === 1 ? `/** ${text} */\n` : `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
}

function objectType({ properties = {}, required = [], additionalProperties = true, oneOf }: Schema): string {
  const members = Object.entries(properties).map(
    ([name, one]) => `${commentOf(one)}${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(one)};`,
  );
  if (members.length === 0) {
    if (additionalProperties === false) return 'Record<string, never>';
    return `Record<string, ${additionalProperties === true ? 'unknown' : typeOf(additionalProperties)}>`;
  }
  const isOpen = typeof additionalProperties === 'object';
  const others = isOpen ? [`[name: string]: ${typeOf(additionalProperties)};`] : [];
  const whole = `{\n${[...members, ...others].join('\n')}\n}`;
  if (oneOf === undefined) return whole;
  const alternatives = oneOf.map((alternative) => {
    const needed = (alternative.required ?? []).map((name) => `${quoted(name)}: ${typeOf(properties[name] ?? {})}`);
    return `{ ${needed.join('; ')} }`;
  });
  return `${whole} & (${alternatives.join(' | ')})`;
}

function inUnion(schema: Schema): string {
  return grouped(typeOf(schema));
}

function grouped(type: string): string {
  return / [|&] /.test(type) && !/^\{[^{}]*\}$/.test(type) ? `(${type})` : type;
}

export function quoted(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
