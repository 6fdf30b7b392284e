import { type Handler, Hono } from 'hono';
import { consoleAnswer, wantsPage } from '../console/serve-console.ts';
import { namesBeside } from '../paging/names-beside-ids.ts';
import { createDocs } from '../reference/docs.ts';
import { operations } from '../routes/all.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { refuseOtherToken } from './authenticate-caller.ts';
import { conditional, isSingle } from './conditional.ts';
import { type Expandable, success } from './envelope.ts';
import { ApiError } from './errors.ts';
import { type Exchange, handleExchange } from './handle-exchange.ts';
import type { HttpServices } from './http-services.ts';
import { onlyOnce } from './idempotency.ts';
import type { Call, Operation, Reply, Streamed } from './operation.ts';
import { preflightAnswer } from './other-origins.ts';
import { toCall } from './request.ts';

/** All operations, or only the health checks in the role `worker`, as one fetch handler; it does not listen. */
export function createApp(services: HttpServices, part: 'all' | 'health' = 'all'): Hono {
  const app = new Hono();
  const offered = operations.filter((one) => one.access !== 'operator-token' || services.operatorTokenHash !== null);
  const open = part === 'all' ? offered : offered.filter((one) => one.tag === 'Health');
  // One handler for each method and path, without middleware: Hono then calls it directly.
  for (const one of open) {
    app.on(one.method.toUpperCase(), honoPath(one.path), (context) =>
      handleExchange(services, context, one.id, (exchange) => carriedOut(one, exchange)),
    );
  }
  if (part === 'all') {
    for (const { path, answer } of createDocs(services.console)) {
      app.get(path, (context) => handleExchange(services, context, null, () => answer(context)));
    }
    serveConsole(app, services);
  }
  const { metrics } = services;
  if (metrics !== null) {
    app.get('/metrics', (context) =>
      handleExchange(services, context, null, async () => {
        refuseOtherToken(metrics.tokenHash, context);
        const { type, body } = await metrics.text();
        return { status: 200, headers: { 'content-type': type }, body };
      }),
    );
  }
  const refuse = refusal(open);
  app.notFound((context) =>
    handleExchange(services, context, null, () => {
      const preflight = preflightAnswer(services.corsOrigins, context);
      if (preflight !== null) return preflight;
      throw refuse(context.req.method, context.req.path);
    }),
  );
  return app;
}

/** The address of the service itself leads a browser to the console. */
function serveConsole(app: Hono, services: HttpServices): void {
  const files = services.console;
  if (files === null) return;
  const page: Handler = (context) => handleExchange(services, context, null, () => consoleAnswer(files, context));
  app.get('/console', page);
  app.get('/console/*', page);
  app.get('/', (context) =>
    handleExchange(services, context, null, () => {
      if (!wantsPage(context)) throw new ApiError('ROUTE_NOT_FOUND');
      return { status: 302, headers: { location: '/console' }, body: '' };
    }),
  );
}

async function carriedOut(operation: Operation, exchange: Exchange): Promise<Answer> {
  return onlyOnce(operation, exchange, await toCall(operation, exchange), async (call) =>
    toAnswer(operation, call, await withNames(call, await withinBudgets(operation, exchange, call))),
  );
}

/** @throws TenantBusy, TenantLimitReached, and whatever the operation throws */
async function withinBudgets(
  { costly, adds, media, handle }: Operation,
  exchange: Exchange,
  call: Call<never, never, never>,
): Promise<Reply<unknown> | Streamed> {
  const { costlyRequests, tenantLimits } = exchange.services;
  const { tenantId } = call.caller;
  if (media !== null) {
    exchange.endExport = costlyRequests.beginExport(tenantId);
    return handle(call);
  }
  if (adds !== null) {
    const amount = adds === 'ruleBytes' ? Buffer.byteLength(exchange.body) : 1;
    return tenantLimits.add(tenantId, adds, amount, () => handle(call));
  }
  if (!costly(call.query)) return handle(call);
  const { signal } = call;
  return costlyRequests
    .admit(tenantId, () => handle(call), signal)
    .catch((error: unknown) => {
      // The client disconnected: nobody reads this answer, and it is not a failure of the service.
      throw signal.aborted ? new ApiError('REQUEST_MALFORMED') : error;
    });
}

/** Adds what `expand` asks for to a result, whichever operation it is of. */
async function withNames(
  call: Call<never, { readonly expand?: readonly Expandable[] }, never>,
  reply: Reply<unknown> | Streamed,
): Promise<Reply<unknown> | Streamed> {
  const kinds = call.query.expand;
  if (kinds === undefined || 'stream' in reply) return reply;
  const expanded = await namesBeside(call, kinds, reply.result);
  return { ...reply, result: { ...(reply.result as object), expanded } };
}

function toAnswer(operation: Operation, call: Call<never, never, never>, reply: Reply<unknown> | Streamed): Answer {
  const { services } = call;
  if ('stream' in reply) return { status: 200, headers: withPosition(reply.headers), body: reply.stream };
  const body = { status: true as const, result: reply.result };
  if (services.checkAnswers) success(operation.result).parse(JSON.parse(JSON.stringify(body)));
  const headers = withPosition({ 'x-log-position': reply.position ?? '', ...reply.headers });
  const answer = jsonAnswer(reply.status, body, headers);
  return isSingle(operation) ? conditional(answer, call.header('if-none-match')) : answer;
}

/** Before the first event there is no position, and the header is left out. */
function withPosition({ 'x-log-position': position = '', ...others }: Reply<unknown>['headers'] & object) {
  return position === '' ? others : { 'x-log-position': position, ...others };
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/**
 * A known path with an unknown method: 405 with the methods allowed; for transactions with the reason. Any other path:
 * 404.
 */
function refusal(open: readonly Operation[]): (method: string, path: string) => ApiError {
  const paths = [...Map.groupBy(open, (one: Operation) => one.path)].map(([path, some]) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    allow: some.map((one) => one.method.toUpperCase()).join(', '),
  }));
  return (method, path) => {
    const found = paths.find(({ pattern }) => pattern.test(path));
    if (found === undefined) return new ApiError('ROUTE_NOT_FOUND');
    const immutable = found.path === '/banks/transactions/{id}' && ['PUT', 'PATCH', 'DELETE'].includes(method);
    return new ApiError(immutable ? 'TRANSACTION_IMMUTABLE' : 'METHOD_NOT_ALLOWED', {}, { allow: found.allow });
  };
}
