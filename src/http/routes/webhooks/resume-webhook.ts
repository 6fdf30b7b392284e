import { resumeWebhook } from '../../../commands/webhooks.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { webhookSchema } from '../../resources/webhook.ts';
import { webhookReply, webhookToChange } from './webhook-of.ts';

export const resumeWebhookOperation = operation({
  id: 'resumeWebhook',
  method: 'patch',
  path: '/banks/webhooks/{id}/resume',
  tag: 'Webhooks',
  summary: 'Resume a paused or disabled webhook; what failed is tried anew',
  access: 'webhooks:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'WEBHOOK_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: webhookSchema,
  errors: ['WEBHOOK_ARCHIVED'],
  handle: async (call) => {
    await webhookToChange(call);
    return webhookReply(200, await resumeWebhook(call.context, call.params.id));
  },
});
