import type { Context } from 'hono';
import type { Caller } from '../../identity/caller.ts';
import { isStreamId } from '../../log/streams.ts';
import { companies } from '../../projections/tenancy.ts';
import { openReader } from '../../queries/reader.ts';
import { authenticateCaller, refuseWithoutRight } from './authenticate-caller.ts';
import { clientAddress } from './client-address.ts';
import { ApiError, type Issue, validationFailed } from './errors.ts';
import type { Exchange } from './handle-exchange.ts';
import { parseJson } from './json.ts';
import { type Call, isWrite, type Operation } from './operation.ts';
import { isLogPosition } from './parameters.ts';
import { refusePartial, waitUntilReached } from './wait-until-reached.ts';
import type { z } from './zod.ts';

const JSON_MEDIA = /^application\/json(\s*;\s*charset=("utf-8"|utf-8))?$/i;
const MOST_ESCAPE_ISSUES = 20;
const WAIT = /(?:^|,)\s*wait\s*=\s*(\d{1,3})\s*(?:,|;|$)/;
const LONGEST_WAIT_SECONDS = 30;
const BODY_LIMIT_BYTES = 256 * 1024;

/**
 * The company that x-company-id names, checked to belong to the tenant and to be open to the caller. @throws ApiError
 */
async function companyOf(
  operation: Operation,
  { services, context }: Exchange,
  caller: Caller,
): Promise<string | null> {
  const named = context.req.header('x-company-id');
  if (named === undefined || named === '') {
    if (isWrite(operation)) throw new ApiError('COMPANY_REQUIRED');
    return null;
  }
  const companyId = named.slice(0, 256);
  if (!(await services.isCompany(caller.tenantId, companyId))) {
    await refusePartial(services, [companies.name]);
    throw new ApiError('COMPANY_NOT_FOUND');
  }
  if (caller.companies !== null && !caller.companies.includes(companyId)) {
    throw new ApiError('PERMISSION_DENIED', { required: 'company' });
  }
  return companyId;
}

/** Runs before everything that costs more than authentication. @throws ApiError RATE_LIMITED, TENANT_BUSY */
async function countRequest({ services, headers }: Exchange, { tenantId, actor }: Caller): Promise<void> {
  const taken = services.rateLimits.take(`${tenantId}/${actor.type}/${actor.id}`);
  const { admitted, limit, remaining, resetSeconds } = taken instanceof Promise ? await taken : taken;
  headers['ratelimit-limit'] = String(limit);
  headers['ratelimit-remaining'] = String(remaining);
  headers['ratelimit-reset'] = String(resetSeconds);
  if (!admitted) throw new ApiError('RATE_LIMITED', {}, { 'retry-after': String(resetSeconds) });
  services.costlyRequests.seen(tenantId);
  const counted = services.tenantRateLimits.take(`tenant/${tenantId}`);
  const ofTenant = counted instanceof Promise ? await counted : counted;
  if (!ofTenant.admitted) throw new ApiError('TENANT_BUSY', {}, { 'retry-after': String(ofTenant.resetSeconds) });
}

/** What an admin manages belongs to the tenant and to no company, whichever the request names. */
function companiesSeen({ access }: Operation, caller: Caller, companyId: string | null): readonly string[] | null {
  if (access === 'admin') return null;
  return companyId === null ? caller.companies : [companyId];
}

const ANYONE: Caller = {
  tenantId: '',
  actor: { type: 'system', id: 'anyone' },
  scopes: [],
  companies: [],
  role: null,
  sessionId: null,
};

/** All checks before the handler. @throws ApiError */
export async function toCall(operation: Operation, exchange: Exchange): Promise<Call<never, never, never>> {
  const { services, context, requestId } = exchange;
  const known = await authenticateCaller(operation, services, context);
  exchange.caller = known;
  if (known !== null) {
    await countRequest(exchange, known);
    refuseWithoutRight(operation, known);
  }
  const companyId = known === null || known.tenantId === '' ? null : await companyOf(operation, exchange, known);
  const caller = known ?? ANYONE;
  const query = parseQuery(operation, context);
  const params = parseParams(operation, context);
  const body = await parseBody(operation, exchange);
  await refusePartial(services, operation.reads);
  await waitForReadModels(operation, exchange);
  const { commandLog: log, clock, newId } = services;
  const { tenantId, actor } = caller;
  return {
    services,
    caller,
    params: params as never,
    query: query as never,
    body: body as never,
    companyId,
    reader: openReader(services.readModels, tenantId, companiesSeen(operation, caller, companyId)),
    context: { log, clock, newId, tenantId, companyId, actor, correlationId: requestId },
    waitSeconds: operation.prefersWait ? waitSeconds(context.req.header('prefer')) : null,
    // Created on first use: most requests never need it.
    get signal() {
      return context.req.raw.signal;
    },
    get address() {
      return clientAddress(context, services.trustedProxies);
    },
    header: (name) => context.req.header(name) ?? null,
    trailers: (values) => Object.assign(exchange.trailers, values),
  };
}

function issuesOf(error: z.ZodError, input: unknown): Issue[] {
  return error.issues.flatMap((issue): Issue[] => {
    const path = issue.path.map(String).join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: [path, key.slice(0, 64)].filter((part) => part !== '').join('.'),
        code: 'unrecognized_key',
        message: 'is not a known property',
      }));
    }
    const missing = issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined;
    return [{ path, code: missing ? 'required' : issue.code, message: missing ? 'is required' : issue.message }];
  });
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}

function parseQuery(operation: Operation, context: Context): unknown {
  refuseInvalidEscapes(context.req.url);
  const given = context.req.queries();
  const known = operation.query?.shape ?? {};
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) {
    throw new ApiError('QUERY_PARAMETER_UNKNOWN', {
      parameters: unknown.slice(0, 20).map((name) => name.slice(0, 64)),
    });
  }
  const single = Object.fromEntries(
    Object.entries(given).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
  const parsed = operation.query?.safeParse(single);
  if (parsed === undefined) return {};
  if (!parsed.success) throw validationFailed(issuesOf(parsed.error, single));
  return parsed.data;
}

/** An escape that is not UTF-8 would be read as a different text. @throws ApiError VALIDATION_FAILED */
function refuseInvalidEscapes(url: string): void {
  const start = url.indexOf('?');
  if (start < 0 || !url.includes('%', start)) return;
  const invalid = url
    .slice(start + 1)
    .split('&')
    .filter((part) => !isPercentEncoded(part));
  if (invalid.length === 0) return;
  const issues = invalid.slice(0, MOST_ESCAPE_ISSUES).map((part) => ({
    path: (part.split('=')[0] ?? '').slice(0, 64),
    code: 'invalid_format',
    message: 'is not UTF-8 in percent-encoding',
  }));
  throw validationFailed(issues);
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function parseParams(operation: Operation, context: Context): unknown {
  const given = context.req.param();
  const parsed = operation.params?.safeParse(given);
  if (parsed === undefined) return {};
  if (!parsed.success) throw validationFailed(issuesOf(parsed.error, given));
  if (!Object.values(given).every(isStreamId)) throw new ApiError(operation.notFound);
  return parsed.data;
}

async function parseBody(operation: Operation, exchange: Exchange): Promise<unknown> {
  const { context } = exchange;
  refuseLongBody(context);
  if (operation.body === undefined) return {};
  const text = await textOf(context).catch((error: unknown) => {
    // The client disconnected or took too long: nobody reads this answer, and it is no failure of the service.
    throw error instanceof ApiError ? error : new ApiError('REQUEST_MALFORMED');
  });
  exchange.body = text;
  const mediaType = context.req.header('content-type');
  if (text === '' && operation.bodyOptional) return parsedBody(operation, {});
  if (mediaType === undefined || !JSON_MEDIA.test(mediaType.trim())) throw new ApiError('MEDIA_TYPE_UNSUPPORTED');
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw new ApiError('BODY_MALFORMED');
  }
  return parsedBody(operation, value);
}

/** The rest of the body is never read, so no further request can arrive on this connection. */
function tooLong(): ApiError {
  return new ApiError('BODY_TOO_LARGE', {}, { connection: 'close' });
}

function refuseLongBody(context: Context): void {
  if (Number(context.req.header('content-length') ?? 0) > BODY_LIMIT_BYTES) throw tooLong();
}

/** A body with a stated length cannot be longer than that; any other is counted while it arrives. */
async function textOf(context: Context): Promise<string> {
  if (context.req.header('transfer-encoding') === undefined)
    return decoded([new Uint8Array(await context.req.arrayBuffer())]);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of context.req.raw.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BODY_LIMIT_BYTES) throw tooLong();
    chunks.push(chunk);
  }
  return decoded(chunks);
}

/**
 * With replacement characters the stored text would differ from the one that was sent. @throws ApiError BODY_MALFORMED
 */
function decoded(chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new ApiError('BODY_MALFORMED');
  }
}

function parsedBody(operation: Operation, value: unknown): unknown {
  const prototype = prototypeMember(value);
  if (prototype !== null) {
    const path = prototype.slice(0, 200);
    throw validationFailed([{ path, code: 'unrecognized_key', message: 'is not a known property' }]);
  }
  const parsed = operation.body?.safeParse(value);
  if (parsed === undefined) return {};
  if (!parsed.success) throw validationFailed(issuesOf(parsed.error, value));
  return parsed.data;
}

/** The path of a member `__proto__`, which schemas of open objects drop silently; null without one. */
function prototypeMember(value: unknown, path = ''): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const found = name === '__proto__' ? at : prototypeMember(member, at);
    if (found !== null) return found;
  }
  return null;
}

/** RFC 7240 `wait`, at most 30; null without. */
function waitSeconds(prefer: string | undefined): number | null {
  const seconds = WAIT.exec(prefer ?? '')?.[1];
  return seconds === undefined ? null : Math.min(LONGEST_WAIT_SECONDS, Number(seconds));
}

async function waitForReadModels(operation: Operation, { services, context }: Exchange): Promise<void> {
  const position = context.req.header('x-min-log-position');
  if (position === undefined || operation.reads.length === 0) return;
  if (!isLogPosition(position)) throw new ApiError('HEADER_INVALID', { header: 'x-min-log-position' });
  await waitUntilReached(services, operation.reads, position);
}
