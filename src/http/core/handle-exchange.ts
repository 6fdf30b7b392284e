import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { ConcurrencyError } from '../../commands/command.ts';
import type { Caller } from '../../identity/caller.ts';
import { IssuerUnavailable } from '../../identity/outside-issuer.ts';
import { SeveralTenants } from '../../identity/several-tenants.ts';
import { LogUnavailable } from '../../log/log.ts';
import { ReadStoreBusy, ReadStoreUnavailable } from '../../readstore/read-store.ts';
import { TenantBusy } from '../../traffic/costly-requests.ts';
import { TenantLimitReached } from '../../traffic/tenant-limits.ts';
import { type Answer, failureAnswer, toResponse } from './answer.ts';
import { compressed } from './compress.ts';
import { ApiError } from './errors.ts';
import type { HttpServices } from './http-services.ts';
import { originHeaders } from './other-origins.ts';
import { Stalled, watchedStream } from './watched-stream.ts';

const REQUEST_ID = /^[A-Za-z0-9._:-]{8,128}$/;

/** Dependencies without which the service cannot answer at the moment. */
const UNAVAILABLE = [LogUnavailable, ReadStoreUnavailable, IssuerUnavailable];

/** What the Node server passes along with a request; absent where the app is called without a server. */
export type NodeBindings = { readonly outgoing?: ServerResponse };

/** A request in progress, and what is known about it so far. */
export type Exchange = {
  readonly services: HttpServices;
  readonly context: Context;
  readonly requestId: string;
  /** Null until the credentials are verified; stays null where anyone may call. */
  caller: Caller | null;
  /** The text of the request's body; empty until it was read. */
  body: string;
  /** Releases what a streamed answer holds of its tenant's budget; may be called more than once. */
  endExport: () => void;
  /** Of a streamed answer; complete when its body is. */
  readonly trailers: Record<string, string>;
  /** Headers of the answer, whatever its outcome. */
  readonly headers: Record<string, string>;
};

/** Every request gets an id, an answer and a log line, whatever fails while it is handled. */
export async function handleExchange(
  services: HttpServices,
  context: Context,
  operationId: string | null,
  answer: (exchange: Exchange) => Answer | Promise<Answer>,
): Promise<Response> {
  const given = context.req.header('x-request-id');
  const requestId = given !== undefined && REQUEST_ID.test(given) ? given : services.newId();
  const startedMs = services.clock.now();
  const countedMs = services.metrics === null ? 0 : performance.now();
  const exchange: Exchange = {
    services,
    context,
    requestId,
    caller: null,
    body: '',
    endExport: () => {},
    trailers: {},
    headers: { 'x-request-id': requestId, ...originHeaders(services.corsOrigins, context) },
  };
  let answered: Answer;
  try {
    answered = await answer(exchange);
  } catch (error) {
    const failure = toApiError(error);
    answered = failureAnswer(failure, requestId);
    // A request for a position that is not reached yet gets a 503 too, which is no failure of the service.
    const isFault = answered.status >= 500 && failure.code !== 'READ_MODEL_BEHIND';
    if (isFault) services.logger.error({ requestId, code: failure.code, err: error }, 'request failed');
  }
  const { method } = context.req;
  services.logger.info(
    {
      requestId,
      method,
      path: loggedPath(context.req.path),
      operation: operationId,
      status: answered.status,
      durationMs: services.clock.now() - startedMs,
      ...(exchange.caller === null ? {} : { tenant: exchange.caller.tenantId, caller: exchange.caller.actor.id }),
    },
    'request',
  );
  services.metrics?.answered(operationId, answered.status, performance.now() - countedMs);
  if (answered.status === 429) await services.heldRefusals.hold();
  answered = await coded(exchange, answered);
  if (answered.body instanceof ReadableStream) answered = { ...answered, body: watched(exchange, answered.body) };
  else exchange.endExport();
  return toResponse(answered, exchange.headers);
}

/** Tokens and secrets are shown there: how small a text becomes by compression says something about it. */
const SHOWS_SECRETS = /^\/(auth|operator|banks\/webhooks)(\/|$)/;

function coded({ context, trailers }: Exchange, answer: Answer): Answer | Promise<Answer> {
  const { outgoing } = (context.env ?? {}) as NodeBindings;
  const { req } = context;
  const isLeft = req.method === 'HEAD' || SHOWS_SECRETS.test(req.path);
  const accepted = isLeft ? undefined : req.header('accept-encoding');
  if (accepted === undefined && !(answer.body instanceof ReadableStream)) return answer;
  return compressed(answer, accepted, {
    given: () => trailers,
    send(values) {
      if (Object.keys(values).length > 0) outgoing?.addTrailers(values);
    },
  });
}

/**
 * A body that fails halfway, or is not read, leaves a log line, and the connection is closed, so that the client
 * notices.
 */
function watched(exchange: Exchange, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const { services, context, requestId } = exchange;
  const { outgoing } = (context.env ?? {}) as NodeBindings;
  return watchedStream(body, {
    stalling: services.stalling,
    onEnd(failure) {
      exchange.endExport();
      if (failure === null) return;
      if (failure instanceof Stalled) services.logger.info({ requestId }, 'a client stopped reading its answer');
      else services.logger.error({ requestId, err: failure }, 'streaming an answer failed');
      outgoing?.destroy();
    },
  });
}

const NO_ID = /^bc[a-z]_|^eyJ|[^A-Za-z0-9._~-]/;
const LONGEST_ID = 64;

/** The path as it is logged: a secret sent in place of an id is left out. */
export function loggedPath(path: string): string {
  const safe = (segment: string): boolean => segment.length <= LONGEST_ID && !NO_ID.test(segment);
  return path
    .split('/')
    .map((segment) => (safe(segment) ? segment : '[removed]'))
    .join('/');
}

/** The failure that the caller gets for whatever was thrown. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TenantBusy || error instanceof ReadStoreBusy) {
    return new ApiError('TENANT_BUSY', {}, { 'retry-after': '1' });
  }
  if (UNAVAILABLE.some((kind) => error instanceof kind)) {
    return new ApiError('DEPENDENCY_UNAVAILABLE', {}, { 'retry-after': '1' });
  }
  if (error instanceof TenantLimitReached) {
    return new ApiError('TENANT_LIMIT_REACHED', { what: error.what, limit: error.limit });
  }
  if (error instanceof SeveralTenants) return new ApiError('TENANT_REQUIRED', { tenants: error.tenants });
  if (error instanceof ConcurrencyError) return new ApiError('CONCURRENT_CHANGE');
  return new ApiError('INTERNAL_ERROR');
}
