import { createWebhook } from '../../../commands/webhooks.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { positionOfChangeCursor } from '../../paging/change-cursor.ts';
import { webhookWithSecretSchema } from '../../resources/webhook.ts';
import { refuseReceiver, refuseSettings, webhookFields, webhookReply } from './webhook-of.ts';

export const createWebhookOperation = operation({
  id: 'createWebhook',
  method: 'post',
  path: '/banks/webhooks',
  tag: 'Webhooks',
  summary: 'Deliver events to a receiver',
  description:
    'Signed as Standard Webhooks says. At least once, and in order for each resource; 2xx within 15 s is success, ' +
    'anything else is tried again for three days. Needs the scope that reads each type. The secret is shown only in ' +
    'this answer.',
  access: 'webhooks:write',
  adds: 'webhooks',
  body: z.strictObject({
    url: webhookFields.url,
    types: webhookFields.types,
    companies: webhookFields.companies.optional(),
    description: webhookFields.description.optional(),
    from: z.string().min(1).max(4096).optional().openapi({
      description: '`now` (default), or a cursor of `/banks/changes`: events after it are delivered.',
    }),
  }),
  successes: [201],
  result: webhookWithSecretSchema,
  errors: ['CURSOR_INVALID', 'WEBHOOK_URL_REFUSED'],
  handle: async (call) => {
    const { services, body, context, companyId } = call;
    const { tenantId } = context;
    const { url, types, companies = [companyId ?? ''], description = null, from = 'now' } = body;
    await refuseSettings(call, { types, companies });
    await refuseReceiver(services, url);
    const fromPosition =
      from === 'now' ? await services.log.head() : positionOfChangeCursor(services.cursorKey, tenantId, from);
    const webhookId = context.newId();
    const secret = await services.webhooks.secrets.create(tenantId, webhookId);
    const settings = { url, types, companies, description };
    const reply = webhookReply(201, await createWebhook(context, webhookId, { ...settings, fromPosition }));
    return { ...reply, result: { ...reply.result, secret } };
  },
});
