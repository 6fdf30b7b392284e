import type { Outcome } from '../../../commands/command.ts';
import { apiKeys } from '../../../projections/api-keys.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { apiKeyResource } from '../../resources/api-key.ts';

/** The answer of every write to a key: the key folded from its events. @throws ApiError */
export async function apiKeyReply<Status extends 200 | 201>(
  status: Status,
  { apiKeyUses }: HttpServices,
  outcome: Outcome<unknown>,
) {
  const { events, position } = requireAccepted(outcome);
  const apiKey = documentAfter(apiKeys, events);
  const used = await apiKeyUses.lastUsedAt(apiKey.tenantId, [apiKey.id]);
  return { status, result: apiKeyResource(apiKey, used.get(apiKey.id) ?? null), position };
}
