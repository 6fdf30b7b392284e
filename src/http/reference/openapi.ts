import { getRefId, OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { isSingle } from '../core/conditional.ts';
import { codeTable, failureSchema, success } from '../core/envelope.ts';
import { type ErrorCode, errorCodes } from '../core/errors.ts';
import { type Access, isWrite, type Operation, takesIdempotencyKey } from '../core/operation.ts';
import { logPosition } from '../core/parameters.ts';
import { z } from '../core/zod.ts';
import { givenConditionsSchema } from '../resources/rule.ts';
import { webhookMessageSchemas } from '../resources/webhook-message.ts';
import { operations } from '../routes/all.ts';
import recorded from './examples.json' with { type: 'json' };
import { type DocumentedParameter, parameterText } from './parameter-texts.ts';
import { failureHeaders, successHeaders } from './response-headers.ts';
import { webhookOf } from './webhook-operations.ts';

const ANY_REQUEST: readonly ErrorCode[] = [
  'BODY_TOO_LARGE',
  'DEPENDENCY_UNAVAILABLE',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'REQUEST_MALFORMED',
  'REQUEST_TIMEOUT',
];

/** Of the HTTP contract; the version of the service is that of its package. */
export const CONTRACT_VERSION = '1.0.0';

/** Every code the operation can answer with: its own, and those that follow from its declaration. */
export function codesOf(one: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([...one.errors, ...ANY_REQUEST, 'QUERY_PARAMETER_UNKNOWN']);
  if (one.access !== 'anyone') codes.add('RATE_LIMITED').add('TENANT_BUSY');
  if (one.adds !== null) codes.add('TENANT_LIMIT_REACHED');
  if (one.access === 'operator-token') {
    for (const code of ['AUTHENTICATION_REQUIRED', 'AUTHENTICATION_INVALID', 'ROUTE_NOT_FOUND'] as const)
      codes.add(code);
  } else if (one.access !== 'anyone') {
    for (const code of ['AUTHENTICATION_REQUIRED', 'AUTHENTICATION_INVALID', 'PERMISSION_DENIED'] as const)
      codes.add(code);
    codes.add('COMPANY_NOT_FOUND').add('TENANT_REQUIRED');
  }
  if (isWrite(one)) {
    codes.add('COMPANY_REQUIRED');
    codes.add('CONCURRENT_CHANGE');
  }
  if (one.params !== undefined || one.query !== undefined) codes.add('VALIDATION_FAILED');
  if (one.body !== undefined) {
    for (const code of ['VALIDATION_FAILED', 'BODY_MALFORMED', 'MEDIA_TYPE_UNSUPPORTED'] as const) codes.add(code);
  }
  if (one.query?.shape.cursor !== undefined) codes.add('CURSOR_INVALID');
  if (takesIdempotencyKey(one)) {
    for (const code of ['HEADER_INVALID', 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const)
      codes.add(code);
  }
  if (one.reads.length > 0) {
    codes.add('READ_MODEL_BEHIND');
    codes.add('HEADER_INVALID');
  }
  return [...codes].sort();
}

function headersOf(one: Operation): Record<string, z.ZodType> {
  const company = z.string().openapi({ description: 'The company that the request is about.' });
  const tenant = z.string().openapi({
    description: 'Needed with a token of an outside issuer whose person is in several tenants: which one it is about.',
  });
  return {
    ...(one.access === 'anyone' || one.access === 'operator-token'
      ? {}
      : { 'x-company-id': isWrite(one) ? company : company.optional(), 'x-tenant-id': tenant.optional() }),
    ...(one.reads.length === 0
      ? {}
      : {
          'x-min-log-position': logPosition
            .optional()
            .openapi({ description: 'Wait up to 5 s until the read model has reached this x-log-position.' }),
        }),
    ...(takesIdempotencyKey(one)
      ? {
          'idempotency-key': z
            .string()
            .regex(/^[\x21-\x7e]{1,255}$/)
            .optional()
            .openapi({ description: 'The same request repeated within 24 hours gets the first answer again.' }),
        }
      : {}),
    ...(one.prefersWait
      ? {
          prefer: z
            .string()
            .optional()
            .openapi({ description: '`wait=N`: wait up to N seconds (at most 30) for the work to finish.' }),
        }
      : {}),
    ...(one.alsoMedia === 'text/event-stream'
      ? {
          'last-event-id': z.string().optional().openapi({
            description: 'With `accept: text/event-stream`: the id of the last event, instead of `after`.',
          }),
        }
      : {}),
    ...(isSingle(one) ? { 'if-none-match': z.string().optional() } : {}),
    'x-request-id': z.string().optional(),
  };
}

const PERSONAL = new Set<Access>(['user', 'admin', 'operator-token']);

function securityOf(one: Operation): Record<string, string[]>[] {
  return PERSONAL.has(one.access) ? [{ bearer: [] }] : [{ apiKey: [], apiSecret: [] }, { bearer: [] }];
}

function responsesOf(one: Operation) {
  const byStatus = Map.groupBy(codesOf(one), (code) => errorCodes[code][0]);
  const failures = [...byStatus].map(([status, codes]) => [
    String(status),
    {
      description: codes.map((code) => `\`${code}\`: ${errorCodes[code][1]}`).join('\n\n'),
      headers: failureHeaders(status),
      content: { 'application/json': { schema: failureSchema } },
    },
  ]);
  const example = examples[one.id];
  const successes = one.successes.map((status) => [
    String(status),
    {
      description: { 200: 'Done', 201: 'Created', 202: 'Accepted; the work continues in the background.' }[status],
      headers: successHeaders(one),
      content:
        one.media !== null
          ? { [one.media]: { schema: z.string(), ...exampleOf(example?.response) } }
          : {
              'application/json': {
                schema: success(one.result).openapi(`${pascal(one.id)}Response`),
                ...(example?.status === status ? exampleOf(example.response) : {}),
              },
              ...(one.alsoMedia === null ? {} : { [one.alsoMedia]: { schema: z.string() } }),
            },
    },
  ]);
  const unchanged = isSingle(one)
    ? [
        [
          '304',
          {
            description: 'The resource is as it was: `if-none-match` names its `etag`.',
            headers: successHeaders(one),
          },
        ],
      ]
    : [];
  return Object.fromEntries([...successes, ...unchanged, ...failures]);
}

type Example = { readonly request?: unknown; readonly status: number; readonly response: unknown };

/** One exchange for each operation, recorded by the test of every operation. */
const examples: Readonly<Record<string, Example | undefined>> = recorded;

function exampleOf(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}

/** `listUsers` as `ListUsers`. */
function pascal(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

/** The OpenAPI 3.1 document, made from the same schemas that requests are checked with. */
export function openApiDocument(): object {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'apiKey', { type: 'apiKey', in: 'header', name: 'x-api-key' });
  registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  registry.registerComponent('securitySchemes', 'apiSecret', { type: 'apiKey', in: 'header', name: 'x-api-secret' });
  // Bodies refer to it, but are checked by the condition language instead of this schema.
  registry.register('RuleConditionsGiven', givenConditionsSchema);
  for (const one of operations) {
    registry.registerPath({
      operationId: one.id,
      method: one.method,
      path: one.path,
      tags: [one.tag],
      summary: one.summary,
      ...(one.description === undefined ? {} : { description: one.description }),
      security: one.access === 'anyone' ? [] : securityOf(one),
      ...(one.access === 'anyone' ? {} : { 'x-required-access': one.access }),
      ...(one.alsoNeeds === null ? {} : { 'x-also-required-access': one.alsoNeeds }),
      'x-error-codes': codesOf(one),
      request: {
        ...(one.params === undefined ? {} : { params: one.params }),
        ...(one.query === undefined ? {} : { query: one.query }),
        headers: z.object(headersOf(one)),
        ...(one.body === undefined || isEmpty(one.body)
          ? {}
          : {
              body: {
                required: !one.bodyOptional,
                content: {
                  'application/json': { schema: bodyOf(one), ...exampleOf(examples[one.id]?.request) },
                },
              },
            }),
      },
      responses: responsesOf(one),
    });
  }
  for (const [type, schema] of Object.entries(webhookMessageSchemas)) registry.registerWebhook(webhookOf(type, schema));
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Bank connections, transactions and automation',
      version: CONTRACT_VERSION,
      description: `Every failure has the same closed envelope, \`Failure\`. Its \`code\`: ${codeTable()}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: TAGS.map(([name, description]) => ({ name, description })),
  });
  describeParameters(document);
  describeDefaults(document);
  return document;
}

/**
 * Says the default of a field in its description instead of `default`: generators take a field with a default for one
 * that is always there, and then clients must send it.
 */
function describeDefaults({ components = {} }: Document): void {
  for (const schema of Object.values(components.schemas ?? {}) as { properties?: Record<string, DefaultedField> }[]) {
    for (const field of Object.values(schema.properties ?? {})) {
      if (field.default === undefined) continue;
      field.description = [field.description, `\`${textOf(field.default)}\` unless given.`].filter(Boolean).join(' ');
      delete field.default;
    }
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

type DefaultedField = { default?: unknown; description?: string };

type Document = ReturnType<OpenApiGeneratorV31['generateDocument']>;

/** Adds the general meaning of each parameter that has no description of its own. */
function describeParameters({ paths = {} }: Document): void {
  for (const [path, item] of Object.entries(paths)) {
    for (const { parameters = [] } of Object.values(item as Record<string, { parameters?: DocumentedParameter[] }>)) {
      for (const parameter of parameters) {
        const description = parameter.schema?.description ?? parameterText(parameter, path);
        if (parameter.description === undefined && description !== undefined) parameter.description = description;
      }
    }
  }
}

/** Clients that are generated from a body without fields send `null` for it. */
function isEmpty(body: z.ZodType): boolean {
  return body instanceof z.ZodObject && Object.keys(body.shape).length === 0;
}

/** The body's schema under a name of its own, unless it already has one. */
function bodyOf({ id, body }: Operation): z.ZodObject {
  const schema = body as z.ZodObject;
  return getRefId(schema) === undefined ? schema.openapi(`${pascal(id)}Request`) : schema;
}

/** In the order of a first day. */
const TAGS = [
  ['Health', 'Whether the service is alive and ready, and its version.'],
  ['Signing in', 'Sessions of people, and the signed-in user.'],
  ['Connections', 'Connections to banks: credentials, setup, syncs and their health.'],
  ['Transactions', 'What the banks report, each transaction once.'],
  ['Rules', 'Rules that attach references and tags to transactions.'],
  ['Rule runs', 'Previews, backfills and reverts of rules over existing transactions.'],
  ['Assignments', 'References attached to transactions, by rules or by hand.'],
  ['Schedules', 'When connections are synced by themselves.'],
  ['Changes', 'What came or changed since a cursor, to keep a copy in step.'],
  ['Webhooks', 'Messages to your own server about what happens.'],
  ['Analytics', 'Figures over transactions, assignments and syncs.'],
  ['Audit', 'What happened, when, by whom and why, and the proofs of it.'],
  ['People', 'Users and companies of the tenant.'],
  ['API keys', 'Keys for programs.'],
  ['Operator', 'Tenants of an installation.'],
] as const;
