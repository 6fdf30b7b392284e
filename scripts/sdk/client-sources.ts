import { execFileSync } from 'node:child_process';
import { commentOf, nameOf, quoted, type Schema, typeOf } from './schema-types.ts';

type Parameter = Schema & {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
};
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type DocumentedOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
};
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  /** The messages that receivers get, by their types. */
  readonly webhooks: Readonly<Record<string, { readonly post: Pick<Required<DocumentedOperation>, 'requestBody'> }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Members of the client that are no operation. */
const TAKEN = ['each', 'changes', 'with', 'waitFor', 'constructor', 'then'];
const JSON_TYPE = 'application/json';
const HEADER =
  '// Made from the OpenAPI document by a test; `PIN=sdk npx vitest run --project all tests/sdk` makes it anew.\n';

/** The generated files of the client by name, formatted. */
export function clientSources(document: ApiDocument): Readonly<Record<'types.ts' | 'operations.ts', string>> {
  const { schemas } = document.components;
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => describe(method, path, one, schemas)),
  );
  const envelopes = new Set(all.map(({ envelope }) => envelope));
  const named = Object.entries(schemas).filter(
    ([name, schema]) => !envelopes.has(name) && name !== 'Failure' && !isEmpty(schema),
  );
  const types = [
    HEADER,
    `import type { CallOptions, WaitOptions } from './options.ts';\n`,
    ...named.map(([name, schema]) => `${commentOf(schema)}export type ${name} = ${typeOf(schema)};\n`),
    `export type WebhookContent = ${messageTypes(document.webhooks)};\n`,
    ...all.flatMap(({ declarations }) => declarations),
    `/** Every operation by its id: its path parameters in order, then its body or else its query, then options. */`,
    `export interface Operations {\n${all.map(({ method }) => method).join('\n')}\n}\n`,
    '/** The lists that have pages, as iterators over the items of all of them. */',
    `export interface EachItem {\n${all.flatMap(({ each }) => each).join('\n')}\n}\n`,
  ].join('\n');
  const rows = all.map(({ id, row }) => `${id}: ${JSON.stringify(row)},`).join('\n');
  const operations = `${HEADER}\n${TABLE_COMMENT}\nexport const OPERATIONS = {\n${rows}\n} as const;\n`;
  return { 'types.ts': formatted(types, 'types.ts'), 'operations.ts': formatted(operations, 'operations.ts') };
}

const TABLE_COMMENT = [
  '/**',
  ' * Method and path, then: whether it is `public`, so that credentials are not sent; what it takes: `body`, `query`,',
  ' * a `company`, a position to read `after`, an idempotency `key`, seconds to `wait`; whether it is a list in `pages`;',
  ' * whether its answer may be a `stream` of text.',
  ' */',
].join('\n');

type Described = {
  readonly id: string;
  /** The named schema of its envelope; undefined for an answer that is only text. */
  readonly envelope: string | undefined;
  readonly declarations: readonly string[];
  readonly method: string;
  readonly each: readonly string[];
  readonly row: string;
};

function describe(
  method: string,
  path: string,
  { operationId: id, summary, security, parameters = [], requestBody, responses }: DocumentedOperation,
  schemas: ApiDocument['components']['schemas'],
): Described {
  if (TAKEN.includes(id)) throw new Error(`the client has a member ${id} of its own`);
  const pascal = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
  const headers = new Set(parameters.flatMap((one) => (one.in === 'header' ? [one.name] : [])));
  const query = parameters.filter((one) => one.in === 'query');
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const hasBody = body !== undefined && !isEmpty(resolved(body, schemas));
  const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  const answer = content[JSON_TYPE]?.schema;
  const envelope = answer?.$ref === undefined ? undefined : nameOf(answer.$ref);
  const result = envelope === undefined ? undefined : schemas[envelope]?.properties?.result;
  const isPaged = query.some(({ name }) => name === 'cursor') && result?.properties?.nextCursor !== undefined;
  const hasCsv = query.some(({ name, schema }) => name === 'format' && (schema.enum ?? []).includes('csv'));

  const declarations: string[] = [];
  if (query.length > 0) declarations.push(`export type ${pascal}Query = ${queryType(query)};\n`);
  let resultType = 'Response';
  if (result?.$ref !== undefined) resultType = nameOf(result.$ref);
  else if (result !== undefined) {
    resultType = `${pascal}Result`;
    declarations.push(`export type ${resultType} = ${typeOf(result)};\n`);
  }

  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => `${name}: string`);
  const options = headers.has('prefer') ? 'WaitOptions' : 'CallOptions';
  const inputs = (queryNamed: string): string => {
    const given: string[] = [...inPath];
    if (hasBody) given.push(`body${requestBody?.required ? '' : '?'}: ${typeOf(body)}`);
    else if (query.length > 0) given.push(`query${query.some(({ required }) => required) ? '' : '?'}: ${queryNamed}`);
    const also = hasBody && query.length > 0 ? ` & { query?: ${queryNamed} }` : '';
    return [...given, `options?: ${options}${also}`].join(', ');
  };
  const comment = commentOf({ description: `${summary}: \`${method.toUpperCase()} ${path}\`` });
  const asText = hasCsv ? `${id}(${inputs(`${pascal}Query & { format: 'csv' }`)}): Promise<Response>;\n` : '';
  return {
    id,
    envelope,
    declarations,
    method: `${comment}${asText}${id}(${inputs(`${pascal}Query`)}): Promise<${resultType}>;`,
    each: isPaged
      ? [
          `${comment}${id}(${inputs(`${pascal}Query`)}): AsyncGenerator<${resultType}['items'][number], void, undefined>;`,
        ]
      : [],
    row: [
      method.toUpperCase(),
      path,
      ...(security.length === 0 ? ['public'] : []),
      ...(hasBody ? ['body'] : []),
      ...(query.length > 0 ? ['query'] : []),
      ...(headers.has('x-company-id') ? ['company'] : []),
      ...(headers.has('x-min-log-position') ? ['after'] : []),
      ...(headers.has('idempotency-key') ? ['key'] : []),
      ...(headers.has('prefer') ? ['wait'] : []),
      ...(isPaged ? ['pages'] : []),
      ...(result === undefined || hasCsv ? ['stream'] : []),
    ].join(' '),
  };
}

function messageTypes(webhooks: ApiDocument['webhooks']): string {
  return typeOf({
    anyOf: Object.values(webhooks).map(({ post }) => post.requestBody.content[JSON_TYPE]?.schema ?? {}),
  });
}

function resolved(schema: Schema, schemas: ApiDocument['components']['schemas']): Schema {
  return schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {});
}

/** A closed object without properties: nothing that a caller could send. */
function isEmpty({ type, properties = {}, additionalProperties }: Schema): boolean {
  return type === 'object' && additionalProperties === false && Object.keys(properties).length === 0;
}

/** In a query `true` and `false` are words; callers give them as booleans. */
function queryType(query: readonly Parameter[]): string {
  const members = query.map(({ name, required, description, schema }) => {
    const isBoolean = schema.enum?.length === 2 && schema.enum.includes('true') && schema.enum.includes('false');
    const comment = commentOf(description === undefined ? schema : { ...schema, description });
    return `${comment}${quoted(name)}${required ? '' : '?'}: ${isBoolean ? 'boolean' : typeOf(schema)};`;
  });
  return `{\n${members.join('\n')}\n}`;
}

function formatted(source: string, name: string): string {
  return execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=sdk/src/${name}`], {
    input: source,
    encoding: 'utf8',
  });
}
