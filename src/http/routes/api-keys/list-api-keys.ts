import { apiKeys } from '../../../projections/api-keys.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { apiKeyResource, apiKeySchema } from '../../resources/api-key.ts';

export const listApiKeysOperation = operation({
  id: 'listApiKeys',
  method: 'get',
  path: '/auth/api-keys',
  tag: 'API keys',
  summary: 'The API keys, oldest first, without their secrets',
  access: 'admin',
  query: z.strictObject({ ...paging }),
  result: listOf(apiKeySchema),
  reads: [apiKeys],
  handle: async (call) => {
    const page = await pageOf(call, 'listApiKeys', apiKeys, {
      filter: [],
      sort: [{ field: 'createdAt', direction: 'asc' }],
    });
    const ids = page.items.map(({ id }) => id);
    const used = await call.services.apiKeyUses.lastUsedAt(call.reader.tenantId, ids);
    const items = page.items.map((apiKey) => apiKeyResource(apiKey, used.get(apiKey.id) ?? null));
    return { status: 200, result: { ...page, items } };
  },
});
