import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { apiKeySchema } from '../../resources/api-key.ts';
import { apiKeyReply } from './api-key-reply.ts';

export const revokeApiKeyOperation = operation({
  id: 'revokeApiKey',
  method: 'post',
  path: '/auth/api-keys/{id}/revoke',
  tag: 'API keys',
  summary: 'Revoke an API key permanently',
  description: 'Every instance refuses all of its secrets within a second.',
  access: 'admin',
  params: z.strictObject({ id: identifier }),
  notFound: 'API_KEY_NOT_FOUND',
  body: z.strictObject({ reason: z.string().max(500).nullable().optional() }),
  bodyOptional: true,
  result: apiKeySchema,
  errors: ['API_KEY_REVOKED', 'CONCURRENT_CHANGE'],
  handle: async ({ services, params, body, context }) =>
    apiKeyReply(200, services, await services.apiKeys.revoke(context, params.id, body.reason ?? null)),
});
