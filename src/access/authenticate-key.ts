import { type ApiKeyDocument, apiKeys } from '../projections/tenancy.ts';
import type { Shelves } from '../queries/shelves.ts';
import type { Clock } from '../shared/clock.ts';
import type { AuthenticateKey, Caller } from './caller.ts';
import type { Secrets } from './secrets.ts';

/** How long a verified key is taken without looking again: a revocation holds within a second on every instance. */
const TRUSTED_FOR_MS = 500;
const KEPT = 10_000;

type Verified = { readonly apiKey: ApiKeyDocument; readonly untilMs: number };

function isInForce(apiKey: ApiKeyDocument, nowMs: number): boolean {
  return apiKey.expiresAt === null || Date.parse(apiKey.expiresAt) > nowMs;
}

function callerOf({ tenantId, id, scopes, companies }: ApiKeyDocument): Caller {
  return { tenantId, actor: { type: 'api-key', id }, scopes, companies, role: null, sessionId: null };
}

export function createAuthenticateKey(options: { shelves: Shelves; secrets: Secrets; clock: Clock }): AuthenticateKey {
  const { shelves, secrets, clock } = options;
  // By key and secret together: a wrong secret never finds what a right one left.
  const verified = new Map<string, Verified>();

  return async ({ apiKey, apiSecret }) => {
    if (apiKey.length > 128 || apiSecret.length > 512) return null;
    const nowMs = clock.now();
    const both = `${apiKey}\n${apiSecret}`;
    const known = verified.get(both);
    if (known !== undefined && known.untilMs > nowMs && isInForce(known.apiKey, nowMs)) return callerOf(known.apiKey);
    verified.delete(both);
    const document = await shelves.shelf(apiKeys).get(apiKey);
    // An unknown key takes the same way as a wrong secret, so that the time taken tells nothing.
    const right = await secrets.isApiSecret(document?.id ?? 'unknown', apiSecret);
    if (document === undefined || !right || !isInForce(document, nowMs)) return null;
    if (verified.size >= KEPT) verified.clear();
    verified.set(both, { apiKey: document, untilMs: nowMs + TRUSTED_FOR_MS });
    return callerOf(document);
  };
}
