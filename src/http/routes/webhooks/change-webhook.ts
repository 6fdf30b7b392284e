import { changeWebhook } from '../../../commands/webhooks.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { webhookSchema } from '../../resources/webhook.ts';
import { refuseReceiver, refuseSettings, webhookFields, webhookReply, webhookToChange } from './webhook-of.ts';

export const changeWebhookOperation = operation({
  id: 'changeWebhook',
  method: 'patch',
  path: '/banks/webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Change what a webhook delivers, or where to',
  description: 'Other types and companies apply to later events. Needs the scope that reads each of its types.',
  access: 'webhooks:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'WEBHOOK_NOT_FOUND',
  body: z.strictObject({
    url: webhookFields.url.optional(),
    types: webhookFields.types.optional(),
    companies: webhookFields.companies.optional(),
    description: webhookFields.description.optional(),
  }),
  result: webhookSchema,
  errors: ['WEBHOOK_ARCHIVED', 'WEBHOOK_URL_REFUSED'],
  handle: async (call) => {
    const { services, params, body, context } = call;
    const { settings } = await webhookToChange(call);
    await refuseSettings(call, { ...settings, ...body });
    if (body.url !== undefined) await refuseReceiver(services, body.url);
    return webhookReply(200, await changeWebhook(context, params.id, body));
  },
});
