import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import { ConcurrencyError } from '../commands/command.ts';
import { LogUnavailable } from '../log/log.ts';
import { ReadStoreUnavailable } from '../readstore/read-store.ts';
import { createDocs } from './docs.ts';
import { success } from './envelope.ts';
import { ApiError, errorCodes, type Issue } from './errors.ts';
import type { House } from './house.ts';
import type { Operation } from './operation.ts';
import { authenticated, toCall } from './request.ts';
import { operations } from './routes/all.ts';

const BODY_LIMIT_BYTES = 256 * 1024;
const REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/;

type Variables = { requestId: string };

/** The whole doorway, or of a pure worker its health alone, as one fetch handler; it does not listen. */
export function createApp(house: House, part: 'all' | 'health' = 'all'): Hono<{ Variables: Variables }> {
  const app = new Hono<{ Variables: Variables }>();

  app.use(async (context, next) => {
    const given = context.req.header('x-request-id');
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : house.newId();
    context.set('requestId', requestId);
    const startedMs = house.clock.now();
    await next();
    // Not by context.header, which at this point would make the answer anew as a stream and cost as much as a whole request.
    context.res.headers.set('x-request-id', requestId);
    const { method, path } = context.req;
    const durationMs = house.clock.now() - startedMs;
    house.logger.info({ requestId, method, path, status: context.res.status, durationMs }, 'request');
  });
  app.use(secureHeaders());
  // The rest of the body is never read, so nothing more can come over this connection.
  const tooLarge = (): never => {
    throw new ApiError('BODY_TOO_LARGE', {}, { connection: 'close' });
  };
  const countedLimit = bodyLimit({ maxSize: BODY_LIMIT_BYTES, onError: tooLarge });
  app.use((context, next) => {
    // A body that states its length is no longer than that: to count it would take a stream, which costs as much as a whole request.
    if (context.req.header('transfer-encoding') !== undefined) return countedLimit(context, next);
    return Number(context.req.header('content-length') ?? 0) > BODY_LIMIT_BYTES ? tooLarge() : next();
  });
  app.onError((error, context) => failure(house, toApiError(error), error, context.get('requestId')));

  const open = part === 'all' ? operations : operations.filter((one) => one.tag === 'Health');
  for (const one of open) {
    app.on(one.method.toUpperCase(), honoPath(one.path), async (context) => {
      const parts = { house, operation: one, context, requestId: context.get('requestId') };
      const reply = await one.handle(await toCall(parts, await authenticated(parts)));
      if (reply instanceof Response) return reply;
      const body = { status: true as const, result: reply.result };
      if (house.checkAnswers) success(one.result).parse(body);
      const position = reply.position ?? undefined;
      return context.json(body, reply.status, {
        'cache-control': 'no-store',
        ...(position === undefined ? {} : { 'x-log-position': position }),
        ...reply.headers,
      });
    });
  }
  if (part === 'all') app.route('/', createDocs());
  refuseOtherMethods(app, open);
  app.notFound((context) => failure(house, new ApiError('ROUTE_NOT_FOUND'), null, context.get('requestId')));
  return app;
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** A known path with a method it does not have: 405 with what it has; a transaction says why it never will. */
function refuseOtherMethods(app: Hono<{ Variables: Variables }>, open: readonly Operation[]): void {
  const byPath = Map.groupBy(open, (one: Operation) => one.path);
  for (const [path, some] of byPath) {
    const allow = some.map((one) => one.method.toUpperCase()).join(', ');
    app.all(honoPath(path), (context) => {
      const immutable = path === '/banks/transactions/{id}' && ['PUT', 'PATCH', 'DELETE'].includes(context.req.method);
      throw new ApiError(immutable ? 'TRANSACTION_IMMUTABLE' : 'METHOD_NOT_ALLOWED', {}, { allow });
    });
  }
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof LogUnavailable || error instanceof ReadStoreUnavailable) {
    return new ApiError('DEPENDENCY_UNAVAILABLE', {}, { 'retry-after': '1' });
  }
  if (error instanceof ConcurrencyError) return new ApiError('CONCURRENT_CHANGE');
  return new ApiError('INTERNAL_ERROR');
}

function failure(house: House, error: ApiError, cause: unknown, requestId: string): Response {
  const [status, message] = errorCodes[error.code];
  if (status >= 500) house.logger.error({ requestId, code: error.code, err: cause }, 'request failed');
  const issues = error.meta.issues as readonly Issue[] | undefined;
  const result = issues?.map((issue) => ({
    type: 'field',
    validatorType: issue.code,
    path: issue.path,
    label: issue.message,
  }));
  const body = {
    status: false,
    code: error.code,
    message,
    meta: { requestId, ...error.meta },
    ...(result === undefined ? {} : { result }),
  };
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...error.headers } });
}
