import { webhooks } from '../../../projections/webhooks.ts';
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
    const { items, nextCursor } = await pageOf(call, 'listWebhooks', webhooks, { filter, sort });
    // One that also gets events of companies outside the key's does not exist for it.
    const { companies } = call.caller;
    const seen = items.filter((one) => companies === null || one.companies.every((id) => companies.includes(id)));
    return { status: 200, result: { items: seen.map(webhookResource), nextCursor } };
  },
});
