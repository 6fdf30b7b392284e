import { isSingle } from '../core/conditional.ts';
import { isWrite, type Operation } from '../core/operation.ts';
import { logPosition } from '../core/parameters.ts';
import { z } from '../core/zod.ts';

const requestId = z
  .string()
  .openapi({ description: 'That of the request, or a new one; the correlation id of the events it caused.' });
const retryAfter = z.int().openapi({ description: 'Seconds after which a retry may succeed.' });
const position = logPosition.optional().openapi({
  description:
    'The log position of the last event of this request, or the one the answer shows. Sent as `x-min-log-position`, it ' +
    'makes a read include it.',
});

/** On every answer that counts against a limit. */
const RATE = {
  'ratelimit-limit': z.int().openapi({ description: 'Requests that the key or user may make per minute.' }),
  'ratelimit-remaining': z.int().openapi({ description: 'Requests left in the current window.' }),
  'ratelimit-reset': z.int().openapi({ description: 'Seconds until the window resets.' }),
};

const REPLAYED = z
  .enum(['true'])
  .optional()
  .openapi({ description: 'The answer is that of an earlier request with the same idempotency key.' });

const ETAG = z
  .string()
  .openapi({ description: 'Of the content. Sent as `if-none-match`, it is answered with 304 while it is the same.' });

/** Of requests for work that may outlast them. */
const WORK = {
  location: z.string().openapi({ description: 'The path of the sync or setup.' }),
  'x-sync-id': z.string().openapi({ description: 'Its id.' }),
  'x-sync-status': z
    .enum(['queued', 'running', 'completed', 'failed', 'cancelled'])
    .openapi({ description: 'Its status when the answer was made.' }),
};

export function successHeaders(one: Operation): z.ZodObject {
  const counted = one.access !== 'anyone';
  return z.object({
    'x-request-id': requestId,
    ...(counted ? RATE : {}),
    ...(one.prefersWait ? WORK : {}),
    ...(isWrite(one) || one.reads.length > 0 ? { 'x-log-position': position } : {}),
    ...(isSingle(one) ? { etag: ETAG } : {}),
    ...(isWrite(one) && one.repeatable ? { 'idempotency-replayed': REPLAYED } : {}),
  });
}

export function failureHeaders(status: number): z.ZodObject {
  const later = status === 429 || status === 503;
  return z.object({ 'x-request-id': requestId, ...(later ? { 'retry-after': retryAfter.optional() } : {}) });
}
