/** The part of JSON Schema that the document uses; references are resolved. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: { readonly required: readonly string[] };
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: unknown;
};

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
};

/** An operation as the document describes it to a client. */
export type Documented = {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** `x-required-access`; null where anyone may call. */
  readonly access: string | null;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly bodyRequired: boolean;
  readonly statuses: ReadonlySet<number>;
  /** By status: the codes that its description names. */
  readonly codes: ReadonlyMap<number, readonly string[]>;
};

type Raw = {
  operationId: string;
  'x-required-access'?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: unknown }> };
  responses: Record<string, { description: string }>;
};

type RawDocument = {
  paths: Record<string, Record<string, Raw>>;
  components: { schemas: Record<string, unknown> };
};

/** Every operation that the document lists. */
export async function documentedOperations(url: string): Promise<Documented[]> {
  const { paths, components } = (await (await fetch(`${url}/openapi.json`)).json()) as RawDocument;
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (value === null || typeof value !== 'object') return value;
    const { $ref, allOf, ...rest } = value as { $ref?: string; allOf?: unknown[] } & Record<string, unknown>;
    const named = $ref === undefined ? {} : resolved(components.schemas[$ref.split('/').at(-1) ?? '']);
    const own = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, resolved(part)]));
    return Object.assign({}, named, ...(allOf ?? []).map(resolved), own);
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => ({
      id: raw.operationId,
      method: method.toUpperCase(),
      path,
      access: raw['x-required-access'] ?? null,
      parameters: (raw.parameters ?? []).map((one) => ({ ...one, schema: resolved(one.schema) as Schema })),
      body: resolved(raw.requestBody?.content['application/json']?.schema) as Schema | undefined,
      bodyRequired: raw.requestBody?.required ?? false,
      statuses: new Set(Object.keys(raw.responses).map(Number)),
      codes: new Map(
        Object.entries(raw.responses).map(([status, { description }]) => [
          Number(status),
          [...description.matchAll(/`([A-Z][A-Z_]+)`:/g)].map(([, code]) => String(code)),
        ]),
      ),
    })),
  );
}

export function parametersOf(one: Documented, where: Parameter['in']): readonly Parameter[] {
  return one.parameters.filter((parameter) => parameter.in === where);
}

/** The path with its parameters filled in. */
export function filledPath(one: Documented, values: Readonly<Record<string, string>>): string {
  return one.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
