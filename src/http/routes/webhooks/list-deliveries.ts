import { webhooks } from '../../../projections/webhooks.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { identifier, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageBy } from '../../paging/page.ts';
import { deliveryResource, deliverySchema } from '../../resources/webhook.ts';
import { webhookOf } from './webhook-of.ts';

export const listDeliveriesOperation = operation({
  id: 'listWebhookDeliveries',
  method: 'get',
  path: '/banks/webhooks/{id}/deliveries',
  tag: 'Webhooks',
  summary: 'The deliveries of a webhook that were attempted, newest event first',
  description: 'Each with its attempts and what the receiver answered. Kept for 30 days after it was delivered.',
  access: 'webhooks:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'WEBHOOK_NOT_FOUND',
  query: z.strictObject({ status: z.enum(['pending', 'delivered', 'replaced']).optional(), ...paging }),
  result: listOf(deliverySchema),
  reads: [webhooks],
  handle: async (call) => {
    const { id: webhookId, tenantId } = await webhookOf(call, call.params.id);
    const { status } = call.query;
    const asked = { tenantId, webhookId, ...(status === undefined ? {} : { status }) };
    const { deliveries } = call.services.webhooks;
    const page = await pageBy(
      call,
      `listWebhookDeliveries/${webhookId}`,
      (part) => deliveries.page(asked, part),
      (most) => deliveries.count(asked, most),
    );
    return { status: 200, result: { ...page, items: page.items.map(deliveryResource) } };
  },
});
