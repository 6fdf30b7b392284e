import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { apiKeyWithSecretSchema } from '../../resources/api-key.ts';
import { apiKeyReply } from './api-key-reply.ts';

const LONGEST_GRACE_SECONDS = 7 * 86_400;

export const rotateApiKeyOperation = operation({
  id: 'rotateApiKey',
  method: 'post',
  path: '/auth/api-keys/{id}/rotate',
  tag: 'API keys',
  summary: 'Give the key a new secret',
  description:
    'The previous secret keeps working for `graceSeconds`; any older secret stops working at once. The new secret ' +
    'is shown only in this ' +
    'answer.',
  access: 'admin',
  params: z.strictObject({ id: identifier }),
  notFound: 'API_KEY_NOT_FOUND',
  body: z.strictObject({ graceSeconds: z.int().min(0).max(LONGEST_GRACE_SECONDS).default(0) }),
  bodyOptional: true,
  result: apiKeyWithSecretSchema,
  errors: ['API_KEY_REVOKED', 'API_KEY_EXPIRED', 'CONCURRENT_CHANGE'],
  handle: async ({ services, params, body, context }) => {
    const { outcome, secret } = await services.apiKeys.rotate(context, params.id, body.graceSeconds * 1000);
    const reply = await apiKeyReply(200, services, outcome);
    return { ...reply, result: { ...reply.result, secret } };
  },
});
