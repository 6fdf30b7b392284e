import { WEBHOOK_TYPES } from '../../events/webhook.ts';
import type { WebhookDocument } from '../../projections/webhooks.ts';
import type { Delivery } from '../../webhooks/deliveries.ts';
import { logPosition } from '../core/parameters.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

export const webhookTypeSchema = z.enum([...WEBHOOK_TYPES, '*']).openapi('WebhookType');

const fields = {
  id: z.string(),
  url: z.string(),
  types: z.array(webhookTypeSchema).openapi({ description: '`*` stands for all types, also later ones.' }),
  companies: z.array(z.string()),
  description: z.string().nullable(),
  status: z.enum(['active', 'paused', 'disabled', 'archived']),
  disabledReason: z
    .enum(['RECEIVER_GONE', 'FAILED_FOR_THREE_DAYS'])
    .nullable()
    .openapi({ description: 'The receiver answered 410, or a delivery failed for three days; resume it to go on.' }),
  disabledAt: instant.nullable(),
  secretGraceUntil: instant
    .nullable()
    .openapi({ description: 'When the previous secret stops signing; null if the secret was never rotated.' }),
  archivedAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
};

export const webhookSchema = z.strictObject(fields).openapi('Webhook');

export const webhookWithSecretSchema = z
  .strictObject({
    ...fields,
    secret: z.string().openapi({ description: '`whsec_` and base64: signs the messages. Shown only in this answer.' }),
  })
  .openapi('WebhookWithSecret');

export function webhookResource(webhook: WebhookDocument): z.input<typeof webhookSchema> {
  const { id, url, types, companies, description, status, disabledReason, disabledAt } = webhook;
  const { graceUntil, archivedAt, createdAt, updatedAt } = webhook;
  return {
    id,
    url,
    types: [...types] as z.input<typeof webhookTypeSchema>[],
    companies: [...companies],
    description,
    status,
    disabledReason,
    disabledAt,
    secretGraceUntil: graceUntil,
    archivedAt,
    createdAt,
    updatedAt,
  };
}

const attempted = {
  status: z.int().nullable().openapi({ description: 'The HTTP status; null when there was no answer.' }),
  error: z.string().nullable().openapi({ description: 'Why there was no answer: a code, such as TIMEOUT.' }),
  durationMs: z.int().min(0),
  response: z.string().nullable().openapi({ description: 'The first 1 KiB of the answer.' }),
};

export const testedSchema = z
  .strictObject({ delivered: z.boolean(), messageId: z.string(), ...attempted })
  .openapi('WebhookTest');

export const deliverySchema = z
  .strictObject({
    id: z.string(),
    messageId: z.string().openapi({ description: 'The header `webhook-id`, the same for every attempt.' }),
    type: z.enum(WEBHOOK_TYPES),
    status: z.enum(['pending', 'delivered', 'replaced']).openapi({
      description: '`replaced`: a replay delivers the event again.',
    }),
    position: logPosition,
    attempts: z.array(z.strictObject({ at: instant, ...attempted })).openapi({ description: 'The last 20.' }),
    attemptCount: z.int().min(0),
    nextAttemptAt: instant.nullable(),
    createdAt: instant,
    endedAt: instant.nullable(),
  })
  .openapi('WebhookDelivery');

export function deliveryResource(delivery: Delivery): z.input<typeof deliverySchema> {
  const { id, messageId, type, status, eventPosition, attempts, attemptCount } = delivery;
  const { nextAttemptAt, createdAt, endedAt } = delivery;
  return {
    id,
    messageId,
    type: type as (typeof WEBHOOK_TYPES)[number],
    status,
    position: eventPosition,
    attempts: attempts.map(({ at, status: answered, error, durationMs, response }) => ({
      at,
      status: answered,
      error,
      durationMs,
      response,
    })),
    attemptCount,
    nextAttemptAt,
    createdAt,
    endedAt,
  };
}
