import type { Context } from 'hono';
import type { Answer } from './answer.ts';

/** How long a browser may keep what it was allowed. */
const PREFLIGHT_SECONDS = 600;
const METHODS = 'GET, POST, PUT, PATCH, DELETE';

const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
  'prefer',
  'x-api-key',
  'x-api-secret',
  'x-company-id',
  'x-min-log-position',
  'x-request-id',
  'x-tenant-id',
].join(', ');

const ANSWER_HEADERS = [
  'allow',
  'content-disposition',
  'etag',
  'idempotency-replayed',
  'location',
  'preference-applied',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'repr-digest',
  'retry-after',
  'x-log-position',
  'x-request-id',
  'x-row-count',
  'x-sync-id',
  'x-sync-status',
].join(', ');

/**
 * The headers with which a page of a listed origin may read the answer (Fetch Standard, CORS protocol); none for any
 * other. Never with credentials: a cookie of the console is for its own pages alone.
 */
export function originHeaders(allowed: readonly string[], context: Context): Readonly<Record<string, string>> {
  if (allowed.length === 0) return {};
  const origin = context.req.header('origin');
  if (origin === undefined || !allowed.includes(origin)) return { vary: 'origin' };
  return { vary: 'origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': ANSWER_HEADERS };
}

/** The answer to a browser that asks whether a page of a listed origin may send a request; null for any other. */
export function preflightAnswer(allowed: readonly string[], context: Context): Answer | null {
  const { req } = context;
  const origin = req.header('origin');
  if (req.method !== 'OPTIONS' || origin === undefined || !allowed.includes(origin)) return null;
  if (req.header('access-control-request-method') === undefined) return null;
  return {
    status: 200,
    headers: {
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    },
    body: '',
  };
}
