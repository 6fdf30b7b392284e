import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from '../core/zod.ts';

const SIGNED_HEADERS = z.object({
  'webhook-id': z.string().openapi({ description: 'The same for every attempt: receive each message once by it.' }),
  'webhook-timestamp': z.string().openapi({ description: 'When it was sent, in seconds since 1970.' }),
  'webhook-signature': z.string().openapi({
    description: '`v1,` and the base64 of an HMAC-SHA-256 over `id.timestamp.body`; one for each secret, with spaces.',
  }),
});

/** How a receiver sees a message of the type. */
export function webhookOf(type: string, schema: z.ZodType): Parameters<OpenAPIRegistry['registerWebhook']>[0] {
  return {
    method: 'post',
    path: type,
    operationId: type,
    tags: ['Webhooks'],
    // The signature is in its headers.
    security: [],
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
