import { type ApiKeyOutcome, type ApiKeyState, apiKey, createKey, revokeKey, rotateKey } from '../deciders/api-key.ts';
import type { EventData } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';

type Done = Promise<Outcome<ApiKeyState>>;

/** A key belongs to the tenant and to no company, whichever the request names. */
function onKey(
  context: CommandContext,
  apiKeyId: string,
  decide: (state: ApiKeyState, nowMs: number) => ApiKeyOutcome,
): Done {
  return execute(
    { ...context, companyId: null },
    {
      stream: streamName('apiKey', context.tenantId, apiKeyId),
      decider: apiKey,
      notFound: 'API_KEY_NOT_FOUND',
      decide: (state) => decide(state, context.clock.now()),
    },
  );
}

export function addApiKey(context: CommandContext, created: Omit<EventData<'ApiKeyCreated'>, 'createdAt'>): Done {
  return onKey(context, created.apiKeyId, (state, nowMs) =>
    createKey(state, { ...created, createdAt: isoTime(nowMs) }),
  );
}

export function rotateApiKey(context: CommandContext, apiKeyId: string, graceMs: number): Done {
  return onKey(context, apiKeyId, (state, nowMs) => rotateKey(state, graceMs, nowMs));
}

export function revokeApiKey(context: CommandContext, apiKeyId: string, reason: string | null): Done {
  return onKey(context, apiKeyId, (state, nowMs) => revokeKey(state, reason, isoTime(nowMs)));
}
