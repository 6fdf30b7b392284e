import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { pino } from 'pino';
import { DEFAULT_HEADERS } from '../../src/http/core/answer.ts';
import { newId } from '../../src/shared/ids.ts';
import { API } from '../fixtures/api.ts';

const TRUSTED_FOR_MS = 500;
const WINDOW_MS = 60_000;
const LIMIT = 1_000_000;
const ETAG_CHARACTERS = 22;

/** What the service does around every request, written plainly: credentials, company, limit, headers and log line. */
export function guarded(): MiddlewareHandler {
  const logger = pino({ level: 'info' }, pino.destination({ dest: '/dev/null', sync: false }));
  const mayEnter = credentialCheck();
  const take = fixedWindow();
  return async (context, next) => {
    const startedMs = Date.now();
    const requestId = context.req.header('x-request-id') ?? newId();
    const key = context.req.header('x-api-key') ?? '';
    if (!mayEnter(key, context.req.header('x-api-secret') ?? '')) return context.text('', 401);
    if (context.req.header('x-company-id') !== API.companyId) return context.text('', 403);
    const { remaining, resetSeconds } = take(key);
    if (remaining < 0) return context.text('', 429);
    await next();
    logger.info(
      {
        requestId,
        method: context.req.method,
        path: context.req.path,
        operation: context.req.routePath,
        status: context.res.status,
        durationMs: Date.now() - startedMs,
        tenant: 'tenant-one',
        caller: key,
      },
      'request',
    );
    setHeaders(context, requestId, remaining, resetSeconds);
    return undefined;
  };
}

/** JSON with the tag that the service sends for a single resource. */
export function taggedJson(context: Context, result: unknown): Response {
  const body = JSON.stringify({ status: true, result });
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, ETAG_CHARACTERS);
  return context.body(body, 200, { 'content-type': 'application/json; charset=utf-8', etag: `W/"${tag}"` });
}

function setHeaders(context: Context, requestId: string, remaining: number, resetSeconds: number): void {
  const { headers } = context.res;
  for (const [name, value] of Object.entries(DEFAULT_HEADERS)) headers.set(name, value);
  headers.set('x-request-id', requestId);
  headers.set('ratelimit-limit', String(LIMIT));
  headers.set('ratelimit-remaining', String(remaining));
  headers.set('ratelimit-reset', String(resetSeconds));
}

/** A keyed hash of the secret, compared in constant time; a check counts for half a second, as in the service. */
function credentialCheck(): (key: string, secret: string) => boolean {
  const pepper = randomBytes(32);
  const hashOf = (text: string): Buffer => createHmac('sha256', pepper).update(text).digest();
  const kept = hashOf(API.secret);
  const trusted = new Map<string, number>();
  return (key, secret) => {
    const name = hashOf(`${key}\n${secret}`).toString('base64');
    const now = Date.now();
    if ((trusted.get(name) ?? 0) > now) return true;
    if (key !== API.key || !timingSafeEqual(hashOf(secret), kept)) return false;
    trusted.set(name, now + TRUSTED_FOR_MS);
    return true;
  };
}

function fixedWindow(): (key: string) => { readonly remaining: number; readonly resetSeconds: number } {
  let windowMs = 0;
  let used = new Map<string, number>();
  return (key) => {
    const now = Date.now();
    const start = Math.floor(now / WINDOW_MS) * WINDOW_MS;
    if (start !== windowMs) {
      windowMs = start;
      used = new Map();
    }
    const taken = (used.get(key) ?? 0) + 1;
    used.set(key, taken);
    return { remaining: LIMIT - taken, resetSeconds: Math.ceil((windowMs + WINDOW_MS - now) / 1_000) };
  };
}
