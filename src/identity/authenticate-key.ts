import { type LoadedApiKey, loadApiKey } from '../commands/load-api-key.ts';
import type { EventLog } from '../log/log.ts';
import type { LogLink } from '../log/log-link.ts';
import { streamName } from '../log/streams.ts';
import { apiKeys } from '../projections/api-keys.ts';
import { findApiKey } from '../queries/find-api-key.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { Clock } from '../shared/clock.ts';
import type { ApiKeyUses } from './api-key-uses.ts';
import { secretId } from './api-keys.ts';
import type { AuthenticateKey, Caller } from './caller.ts';
import { type KnownCallers, lastPosition, type Verified } from './known-callers.ts';
import { readsWithoutLog } from './reads-without-log.ts';
import type { Secrets } from './secrets.ts';

/** An id that no key has: for an unknown key this is looked up, so that it takes the same path as a wrong secret. */
const NOBODY = { tenantId: 'nobody', id: 'nobody' };

function callerOf(tenantId: string, { apiKeyId: id, scopes, companies }: NonNullable<LoadedApiKey['created']>): Caller {
  return { tenantId, actor: { type: 'api-key', id }, scopes, companies, role: null, sessionId: null };
}

/**
 * The read model only maps the public half to tenant and id, which never change. Validity and rights are read from the
 * log (ADR 0013), so that a read model that is behind or halted keeps no revoked key usable.
 */
export function createAuthenticateKey(options: {
  link: Pick<LogLink, 'log' | 'readLog'>;
  readModels: ReadModels;
  secrets: Secrets;
  uses: ApiKeyUses;
  clock: Clock;
  knownCallers: KnownCallers;
}): AuthenticateKey {
  const { link, readModels, secrets, uses, clock, knownCallers } = options;

  async function verify(log: EventLog, apiKey: string, apiSecret: string): Promise<Verified | null> {
    const { tenantId, id } = (await findApiKey(readModels, apiKey)) ?? NOBODY;
    const loaded = await loadApiKey(log, tenantId, id, clock.now());
    const { created, inForce } = loaded;
    // Two hashes are compared, however many are valid, so that the time taken reveals nothing.
    const newest = Math.max(loaded.generation, 1);
    const matched = await secrets.apiSecretOf([secretId(id, newest), secretId(id, newest - 1)], apiSecret);
    const generation = inForce.find((one) => secretId(id, one) === matched);
    if (created === null || generation === undefined) return null;
    const ends: number[] = [];
    if (created.expiresAt !== null) ends.push(Date.parse(created.expiresAt));
    if (generation < newest) ends.push(loaded.graceUntilMs);
    return {
      caller: callerOf(tenantId, created),
      endsAtMs: ends.length === 0 ? null : Math.min(...ends),
      streams: [streamName('apiKey', tenantId, id)],
      position: lastPosition(loaded.events),
    };
  }

  return async ({ apiKey, apiSecret }, purpose) => {
    if (apiKey.length > 128 || apiSecret.length > 512) return null;
    // Key and secret together: a wrong secret never finds what a right one left.
    const credentials = `key\n${apiKey}\n${apiSecret}`;
    const log = purpose === 'read' ? link.readLog : link.log;
    const caller = await knownCallers
      .callerOf(credentials, () => verify(log, apiKey, apiSecret))
      .catch((error: unknown) => {
        if (purpose !== 'read') throw error;
        return readsWithoutLog({ error, known: knownCallers.withoutLog(credentials), readModels, subjects: apiKeys });
      });
    if (caller !== null) uses.note(caller.tenantId, caller.actor.id, clock.now());
    return caller;
  };
}
