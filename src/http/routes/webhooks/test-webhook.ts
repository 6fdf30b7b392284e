import { isoTime } from '../../../shared/clock.ts';
import { TenantBusy } from '../../../traffic/costly-requests.ts';
import { signedHeaders } from '../../../webhooks/signature.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { testedSchema } from '../../resources/webhook.ts';
import { webhookToChange } from './webhook-of.ts';

export const testWebhookOperation = operation({
  id: 'testWebhook',
  method: 'post',
  path: '/banks/webhooks/{id}/test',
  tag: 'Webhooks',
  summary: 'Send `webhook.test` now, and show what the receiver answered',
  description: 'Also while it is paused or disabled. It is tried once, and is not among the deliveries.',
  access: 'webhooks:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'WEBHOOK_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: testedSchema,
  errors: ['WEBHOOK_ARCHIVED'],
  handle: async (call) => {
    const { services, params, context, signal } = call;
    const { archived, settings } = await webhookToChange(call);
    if (archived) throw new ApiError('WEBHOOK_ARCHIVED');
    const { secrets, post } = services.webhooks;
    const end = services.heldRequests.begin(context.tenantId);
    if (end === null) throw new TenantBusy();
    try {
      const nowMs = services.clock.now();
      const id = `msg_${context.newId()}`;
      const data = { webhookId: params.id };
      const body = JSON.stringify({ type: 'webhook.test', timestamp: isoTime(nowMs), data });
      const headers = signedHeaders({ id, body }, await secrets.valid(context.tenantId, params.id), nowMs);
      const answered = await post(settings.url, { headers, body }, AbortSignal.any([signal, services.stopping]));
      const { status } = answered;
      const delivered = status !== null && status >= 200 && status < 300;
      return { status: 200, result: { delivered, messageId: id, ...answered } };
    } finally {
      end();
    }
  },
});
