import { type LoadedApiKey, loadApiKey } from '../commands/load-api-key.ts';
import type { EventLog } from '../log/log.ts';
import { findApiKey } from '../queries/find-api-key.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { Clock } from '../shared/clock.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import { secretId } from './api-keys.ts';
import type { AuthenticateKey, Caller } from './caller.ts';
import type { Secrets } from './secrets.ts';

/** How long a verified key is cached: a revocation takes effect within a second on every instance. */
const TRUSTED_FOR_MS = 500;
const KEPT = 10_000;
/** An id that no key has: for an unknown key this is looked up, so that it takes the same path as a wrong secret. */
const NOBODY = { tenantId: 'nobody', id: 'nobody' };

type Verified = { readonly caller: Caller; readonly untilMs: number };

function callerOf(tenantId: string, { apiKeyId: id, scopes, companies }: NonNullable<LoadedApiKey['created']>): Caller {
  return { tenantId, actor: { type: 'api-key', id }, scopes, companies, role: null, sessionId: null };
}

/**
 * The read model only maps the public half to tenant and id, which never change. Validity and rights are read from the
 * log (ADR 0013), so that a read model that is behind or halted keeps no revoked key usable.
 */
export function createAuthenticateKey(options: {
  log: EventLog;
  readModels: ReadModels;
  secrets: Secrets;
  uses: ApiKeyUses;
  clock: Clock;
}): AuthenticateKey {
  const { log, readModels, secrets, uses, clock } = options;
  // By key and secret together: a wrong secret never hits the entry of a right one.
  const verified = new Map<string, Verified>();

  async function verify(apiKey: string, apiSecret: string, nowMs: number): Promise<Verified | null> {
    const { tenantId, id } = (await findApiKey(readModels, apiKey)) ?? NOBODY;
    const loaded = await loadApiKey(log, tenantId, id, nowMs);
    const { created, inForce } = loaded;
    // Two hashes are compared, however many are valid, so that the time taken reveals nothing.
    const newest = Math.max(loaded.generation, 1);
    const matched = await secrets.apiSecretOf([secretId(id, newest), secretId(id, newest - 1)], apiSecret);
    const generation = inForce.find((one) => secretId(id, one) === matched);
    if (created === null || generation === undefined) return null;
    const ends = [nowMs + TRUSTED_FOR_MS];
    if (created.expiresAt !== null) ends.push(Date.parse(created.expiresAt));
    if (generation < newest) ends.push(loaded.graceUntilMs);
    return { caller: callerOf(tenantId, created), untilMs: Math.min(...ends) };
  }

  return async ({ apiKey, apiSecret }) => {
    if (apiKey.length > 128 || apiSecret.length > 512) return null;
    const nowMs = clock.now();
    const both = `${apiKey}\n${apiSecret}`;
    let known = verified.get(both) ?? null;
    if (known === null || known.untilMs <= nowMs) {
      verified.delete(both);
      known = await verify(apiKey, apiSecret, nowMs);
      if (known === null) return null;
      if (verified.size >= KEPT) verified.clear();
      verified.set(both, known);
    }
    const { caller } = known;
    uses.note(caller.tenantId, caller.actor.id, nowMs);
    return caller;
  };
}
