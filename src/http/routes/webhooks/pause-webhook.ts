import { pauseWebhook } from '../../../commands/webhooks.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { webhookSchema } from '../../resources/webhook.ts';
import { webhookReply, webhookToChange } from './webhook-of.ts';

export const pauseWebhookOperation = operation({
  id: 'pauseWebhook',
  method: 'patch',
  path: '/banks/webhooks/{id}/pause',
  tag: 'Webhooks',
  summary: 'Pause a webhook; its events are delivered once it is resumed',
  access: 'webhooks:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'WEBHOOK_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: webhookSchema,
  errors: ['WEBHOOK_ARCHIVED'],
  handle: async (call) => {
    await webhookToChange(call);
    return webhookReply(200, await pauseWebhook(call.context, call.params.id));
  },
});
