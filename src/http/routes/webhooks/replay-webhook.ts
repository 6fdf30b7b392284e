import { replayWebhook } from '../../../commands/webhooks.ts';
import { operation } from '../../core/operation.ts';
import { identifier, moment } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { positionOfChangeCursor } from '../../paging/change-cursor.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';
import { webhookSchema } from '../../resources/webhook.ts';
import { webhookReply, webhookToChange } from './webhook-of.ts';

export const replayWebhookOperation = operation({
  id: 'replayWebhook',
  method: 'post',
  path: '/banks/webhooks/{id}/replay',
  tag: 'Webhooks',
  summary: 'Deliver everything again that came after a cursor or a moment',
  description:
    'With the `webhook-id` that each message had before. Deliveries that were waiting are part of it where their ' +
    'event came later.',
  access: 'webhooks:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'WEBHOOK_NOT_FOUND',
  body: z.strictObject({
    after: z.string().min(1).max(4096).openapi({
      description: 'A cursor of `/banks/changes`, or a date-time.',
      example: '2026-01-31T12:00:00Z',
    }),
  }),
  successes: [202],
  result: webhookSchema,
  errors: ['CURSOR_INVALID', 'DATE_RANGE_INVALID', 'READ_MODEL_BEHIND', 'WEBHOOK_ARCHIVED'],
  handle: async (call) => {
    const { services, params, body, context } = call;
    const { tenantId } = context;
    await webhookToChange(call);
    const given = moment.safeParse(body.after);
    const after = given.success
      ? await positionOfMoment(services, tenantId, given.data)
      : positionOfChangeCursor(services.cursorKey, tenantId, body.after);
    return { ...webhookReply(200, await replayWebhook(context, params.id, after)), status: 202 as const };
  },
});
