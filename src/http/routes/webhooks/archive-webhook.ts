import { archiveWebhook } from '../../../commands/webhooks.ts';
import { documentId } from '../../../shared/ids.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { webhookSchema } from '../../resources/webhook.ts';
import { webhookReply, webhookToChange } from './webhook-of.ts';

export const archiveWebhookOperation = operation({
  id: 'archiveWebhook',
  method: 'patch',
  path: '/banks/webhooks/{id}/archive',
  tag: 'Webhooks',
  summary: 'Archive a webhook for good; its secrets are destroyed',
  access: 'webhooks:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'WEBHOOK_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: webhookSchema,
  handle: async (call) => {
    const { services, params, context } = call;
    await webhookToChange(call);
    const reply = webhookReply(200, await archiveWebhook(context, params.id));
    const { secrets, deliveries } = services.webhooks;
    await secrets.destroy(context.tenantId, params.id);
    await deliveries.forget(documentId(context.tenantId, params.id));
    return reply;
  },
});
