import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { deliveryResource, deliverySchema } from '../../resources/webhook.ts';
import { webhookToChange } from './webhook-of.ts';

export const retryDeliveryOperation = operation({
  id: 'retryWebhookDelivery',
  method: 'post',
  path: '/banks/webhooks/{id}/deliveries/{deliveryId}/retry',
  tag: 'Webhooks',
  summary: 'Deliver one event again, soon and once, whatever came of it before',
  access: 'webhooks:write',
  params: z.strictObject({ id: identifier, deliveryId: identifier }),
  notFound: 'WEBHOOK_DELIVERY_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  successes: [202],
  result: deliverySchema,
  errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_ARCHIVED'],
  handle: async (call) => {
    const { services, params, context } = call;
    if ((await webhookToChange(call)).archived) throw new ApiError('WEBHOOK_ARCHIVED');
    const { deliveries } = services.webhooks;
    const delivery = await deliveries.get(context.tenantId, params.deliveryId);
    if (delivery?.webhookId !== params.id) throw new ApiError('WEBHOOK_DELIVERY_NOT_FOUND');
    await deliveries.requestRetry(context.tenantId, params.id, params.deliveryId);
    return { status: 202, result: deliveryResource(delivery) };
  },
});
