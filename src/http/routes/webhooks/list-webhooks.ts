import { type WebhookDocument, webhooks } from '../../../projections/webhooks.ts';
import type { Condition } from '../../../readstore/read-store.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { webhookResource, webhookSchema } from '../../resources/webhook.ts';

export const listWebhooksOperation = operation({
  id: 'listWebhooks',
  method: 'get',
  path: '/banks/webhooks',
  tag: 'Webhooks',
  summary: 'The webhooks, oldest first',
  access: 'webhooks:read',
  query: z.strictObject({ status: z.enum(['active', 'paused', 'disabled', 'archived']).optional(), ...paging }),
  result: listOf(webhookSchema),
  reads: [webhooks],
  handle: async (call) => {
    const { status } = call.query;
    const filter: Condition[] = status === undefined ? [] : [{ field: 'status', op: 'eq', value: status }];
    const sort = [{ field: 'createdAt', direction: 'asc' }] as const;
    const page = await pageOf(call, 'listWebhooks', webhooks, { filter, sort });
    // One that also gets events of companies outside the key's does not exist for it.
    const { companies } = call.caller;
    const sees = (one: WebhookDocument): boolean =>
      companies === null || one.companies.every((id) => companies.includes(id));
    const items = page.items.filter(sees).map(webhookResource);
    if (companies === null || page.count === undefined) return { status: 200, result: { ...page, items } };
    // A tenant has few webhooks, so those that the caller sees can be counted one by one.
    let value = 0;
    for await (const one of call.reader.all(webhooks, { filter, sort })) if (sees(one)) value += 1;
    return { status: 200, result: { ...page, items, count: { value, atLeast: false } } };
  },
});
