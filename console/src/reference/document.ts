/** The parts of an OpenAPI 3.1 document that the reference shows. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly example?: unknown;
  readonly deprecated?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};
export type Schemas = Readonly<Record<string, Schema>>;

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
};
type Media = { readonly schema?: Schema; readonly example?: unknown };
export type Content = Readonly<Record<string, Media>>;
export type Response = {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema?: Schema }>>;
  readonly content?: Content;
};
type Operation = {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
  readonly 'x-required-access'?: string;
  readonly 'x-also-required-access'?: string;
  readonly 'x-error-codes'?: readonly string[];
};
type Items = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
type ErrorDetails = { readonly status: number; readonly summary: string; readonly description: string };
export type OpenApi = {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Items;
  readonly webhooks?: Items;
  readonly components?: { readonly schemas?: Schemas };
};

/** An operation, or a message that the service sends to a receiver. */
export type Entry = Operation & {
  readonly kind: 'operation' | 'message';
  readonly method: string;
  /** Of a message its type. */
  readonly path: string;
  readonly group: string;
};
export type Group = { readonly name: string; readonly description: string; readonly entries: readonly Entry[] };
export type CodeEntry = ErrorDetails & { readonly code: string; readonly entries: readonly Entry[] };
export type Reference = {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** In the order of the document's tags, the messages last. */
  readonly groups: readonly Group[];
  readonly entries: ReadonlyMap<string, Entry>;
  /** By code, in the order of the enumeration. */
  readonly codes: ReadonlyMap<string, CodeEntry>;
  readonly schemas: Schemas;
};

const MESSAGES = 'Webhook messages';

/** @throws Error when the service does not answer with the document */
export async function loadReference(): Promise<Reference> {
  const answer = await fetch('/openapi.json');
  if (!answer.ok) throw new Error(`The service answered ${answer.status} for /openapi.json.`);
  return readReference((await answer.json()) as OpenApi);
}

export function readReference({ info, tags = [], paths, webhooks = {}, components = {} }: OpenApi): Reference {
  const operations = entriesOf(paths, 'operation');
  const groups: Group[] = tags.map(({ name, description = '' }) => ({
    name,
    description,
    entries: operations.filter(({ group }) => group === name),
  }));
  const untagged = operations.filter(({ group }) => !tags.some(({ name }) => name === group));
  if (untagged.length > 0) groups.push({ name: 'Other', description: '', entries: untagged });
  const messages = entriesOf(webhooks, 'message');
  if (messages.length > 0) {
    groups.push({ name: MESSAGES, description: 'What a receiver of a webhook gets.', entries: messages });
  }
  const schemas = components.schemas ?? {};
  return {
    title: info.title,
    version: info.version,
    description: info.description ?? '',
    groups: groups.filter(({ entries }) => entries.length > 0),
    entries: new Map([...operations, ...messages].map((entry) => [entry.operationId, entry])),
    codes: codesOf(schemas, operations),
    schemas,
  };
}

function entriesOf(items: Items, kind: Entry['kind']): Entry[] {
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      kind,
      method: method.toUpperCase(),
      path,
      group: kind === 'message' ? MESSAGES : (operation.tags?.[0] ?? ''),
    })),
  );
}

function codesOf(schemas: Schemas, operations: readonly Entry[]): Map<string, CodeEntry> {
  const { ErrorCode = {} } = schemas as Record<string, { 'x-error-details'?: Record<string, ErrorDetails> }>;
  return new Map(
    Object.entries(ErrorCode['x-error-details'] ?? {}).map(([code, details]) => {
      const entries = operations.filter(({ 'x-error-codes': codes = [] }) => codes.includes(code));
      return [code, { code, ...details, entries }];
    }),
  );
}
