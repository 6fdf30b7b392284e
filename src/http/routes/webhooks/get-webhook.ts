import { webhooks } from '../../../projections/webhooks.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { webhookResource, webhookSchema } from '../../resources/webhook.ts';
import { webhookOf } from './webhook-of.ts';

export const getWebhookOperation = operation({
  id: 'getWebhook',
  method: 'get',
  path: '/banks/webhooks/{id}',
  tag: 'Webhooks',
  summary: 'One webhook',
  access: 'webhooks:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'WEBHOOK_NOT_FOUND',
  result: webhookSchema,
  reads: [webhooks],
  handle: async (call) => ({ status: 200, result: webhookResource(await webhookOf(call, call.params.id)) }),
});
