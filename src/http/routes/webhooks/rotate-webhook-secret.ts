import { rotateWebhookSecret } from '../../../commands/webhooks.ts';
import { isoTime } from '../../../shared/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { webhookWithSecretSchema } from '../../resources/webhook.ts';
import { webhookReply, webhookToChange } from './webhook-of.ts';

const MOST_GRACE_SECONDS = 604_800;

export const rotateWebhookSecretOperation = operation({
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/banks/webhooks/{id}/rotate-secret',
  tag: 'Webhooks',
  summary: 'Replace the secret; both sign during the time of grace',
  description: 'The new secret is shown only in this answer.',
  access: 'webhooks:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'WEBHOOK_NOT_FOUND',
  body: z.strictObject({ graceSeconds: z.int().min(0).max(MOST_GRACE_SECONDS) }),
  result: webhookWithSecretSchema,
  errors: ['WEBHOOK_ARCHIVED'],
  handle: async (call) => {
    const { services, params, body, context } = call;
    if ((await webhookToChange(call)).archived) throw new ApiError('WEBHOOK_ARCHIVED');
    const graceUntil = isoTime(services.clock.now() + body.graceSeconds * 1_000);
    // Before the event that says so: whoever signs reads the secrets again after the event.
    const secret = await services.webhooks.secrets.rotate(context.tenantId, params.id, graceUntil);
    const reply = webhookReply(200, await rotateWebhookSecret(context, params.id, graceUntil));
    return { ...reply, result: { ...reply.result, secret } };
  },
});
