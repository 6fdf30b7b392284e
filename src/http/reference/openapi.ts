import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { failureSchema, success } from '../core/envelope.ts';
import { type ErrorCode, errorCodes } from '../core/errors.ts';
import { type Access, isWrite, type Operation, takesIdempotencyKey } from '../core/operation.ts';
import { logPosition } from '../core/parameters.ts';
import { z } from '../core/zod.ts';
import { givenConditionsSchema } from '../resources/rule.ts';
import { webhookMessageSchemas } from '../resources/webhook-message.ts';
import { operations } from '../routes/all.ts';

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
    'x-request-id': z.string().optional(),
  };
}

const PERSONAL = new Set<Access>(['user', 'admin', 'operator-token']);

function securityOf(one: Operation): Record<string, string[]>[] {
  return PERSONAL.has(one.access) ? [{ bearer: [] }] : [{ apiKey: [], apiSecret: [] }, { bearer: [] }];
}

const RATE_HEADERS = z.object({
  'ratelimit-limit': z.int().openapi({ description: 'Requests that the key or user may make per minute.' }),
  'ratelimit-remaining': z.int().openapi({ description: 'Requests left in the current window.' }),
  'ratelimit-reset': z.int().openapi({ description: 'Seconds until the window resets.' }),
});

const WORK_HEADERS = z.object({
  location: z.string().openapi({ description: 'The path of the sync or setup.' }),
  'x-sync-id': z.string().openapi({ description: 'Its id.' }),
  'x-sync-status': z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']),
});

function responsesOf(one: Operation) {
  const headers = one.access === 'anyone' ? {} : { headers: RATE_HEADERS };
  const byStatus = Map.groupBy(codesOf(one), (code) => errorCodes[code][0]);
  const failures = [...byStatus].map(([status, codes]) => [
    String(status),
    {
      description: codes.map((code) => `\`${code}\`: ${errorCodes[code][1]}`).join('\n\n'),
      content: { 'application/json': { schema: failureSchema } },
    },
  ]);
  const named = one.prefersWait ? { headers: WORK_HEADERS.extend(RATE_HEADERS.shape) } : headers;
  const successes = one.successes.map((status) => [
    String(status),
    {
      description: { 200: 'Done', 201: 'Created', 202: 'Accepted; the work continues in the background.' }[status],
      ...named,
      content:
        one.media !== null
          ? { [one.media]: { schema: z.string() } }
          : {
              'application/json': { schema: success(one.result) },
              ...(one.alsoMedia === null ? {} : { [one.alsoMedia]: { schema: z.string() } }),
            },
    },
  ]);
  return Object.fromEntries([...successes, ...failures]);
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
      ...(one.access === 'anyone' ? {} : { security: securityOf(one), 'x-required-access': one.access }),
      ...(one.alsoNeeds === null ? {} : { 'x-also-required-access': one.alsoNeeds }),
      request: {
        ...(one.params === undefined ? {} : { params: one.params }),
        ...(one.query === undefined ? {} : { query: one.query }),
        headers: z.object(headersOf(one)),
        ...(one.body === undefined
          ? {}
          : {
              body: {
                required: !one.bodyOptional,
                content: { 'application/json': { schema: one.body as z.ZodObject } },
              },
            }),
      },
      responses: responsesOf(one),
    });
  }
  for (const [type, schema] of Object.entries(webhookMessageSchemas)) registry.registerWebhook(webhookOf(type, schema));
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Bank connections, transactions and automation',
      version: CONTRACT_VERSION,
      description: errorTable(),
    },
    servers: [{ url: '/' }],
  });
}

const SIGNED_HEADERS = z.object({
  'webhook-id': z.string().openapi({ description: 'The same for every attempt: receive each message once by it.' }),
  'webhook-timestamp': z.string().openapi({ description: 'When it was sent, in seconds since 1970.' }),
  'webhook-signature': z.string().openapi({
    description: '`v1,` and the base64 of an HMAC-SHA-256 over `id.timestamp.body`; one for each secret, with spaces.',
  }),
});

function webhookOf(type: string, schema: z.ZodType): Parameters<OpenAPIRegistry['registerWebhook']>[0] {
  return {
    method: 'post',
    path: type,
    operationId: type,
    tags: ['Webhooks'],
    summary: `What a receiver of ${type} gets`,
    request: {
      headers: SIGNED_HEADERS,
      body: { required: true, content: { 'application/json': { schema: schema as z.ZodObject } } },
    },
    responses: {
      '2XX': { description: 'Delivered.' },
      '410': { description: 'The webhook is disabled.' },
      default: { description: 'It is delivered again, for three days.' },
    },
  };
}

function errorTable(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, [status, sentence]]) => `| ${status} | \`${code}\` | ${sentence} |`,
  );
  return [
    'Every failure has the same closed envelope. Branch on `code`, never on `message`.',
    '',
    '| status | code | meaning |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}
