import { decodeJwt } from 'jose';
import { isSignedIn, type LoadedUser, loadSession, loadUser } from '../commands/load-person.ts';
import type { EventLog } from '../log/log.ts';
import type { LogLink } from '../log/log-link.ts';
import { streamName } from '../log/streams.ts';
import { users } from '../projections/users.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { Clock } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import type { AccessTokens } from './access-token.ts';
import type { AuthenticateBearer, Caller } from './caller.ts';
import { type KnownCallers, lastPosition, type Verified } from './known-callers.ts';
import type { LoginNames } from './login-names.ts';
import type { OutsideIssuer } from './outside-issuer.ts';
import { outsidePerson } from './outside-person.ts';
import { readsWithoutLog } from './reads-without-log.ts';
import { roleScopes } from './roles.ts';

function callerOf(tenantId: string, { user, role }: LoadedUser, sessionId: string | null): Caller {
  const actor = { type: 'user' as const, id: user?.id ?? '' };
  return { tenantId, actor, scopes: roleScopes[role], companies: null, role, sessionId };
}

/** Unverified, used only to choose the keys to verify it with. */
function issuerOf(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

/**
 * Accepts access tokens of this service and, where one is configured, of an outside issuer. User and session are read
 * from the log.
 */
export function createAuthenticateBearer(options: {
  link: Pick<LogLink, 'log' | 'readLog'>;
  readModels: ReadModels;
  clock: Clock;
  newId: NewId;
  knownCallers: KnownCallers;
  accessTokens: AccessTokens;
  loginNames: LoginNames;
  outsideIssuer: OutsideIssuer | null;
}): AuthenticateBearer {
  const { link, readModels, clock, newId, knownCallers, accessTokens, loginNames, outsideIssuer } = options;

  async function ofOurs(log: EventLog, token: string): Promise<Verified | null> {
    const claims = await accessTokens.verify(token);
    if (claims === null) return null;
    const { tenantId, userId, sessionId } = claims;
    const [user, session] = await Promise.all([
      loadUser(log, tenantId, userId),
      loadSession(log, tenantId, sessionId, clock.now()),
    ]);
    if (!isSignedIn(user, session)) return null;
    return verified(callerOf(tenantId, user, sessionId), user, [streamName('session', tenantId, sessionId)]);
  }

  /** A token ends by itself, which is checked with each request before anything is looked up. */
  function verified(caller: Caller, { events }: LoadedUser, others: readonly string[]): Verified {
    const streams = [streamName('user', caller.tenantId, caller.actor.id), ...others] as const;
    return { caller, endsAtMs: null, streams, position: lastPosition(events) };
  }

  async function ofOutside(
    log: EventLog,
    outside: OutsideIssuer,
    token: string,
    named: string | null,
  ): Promise<Verified | null> {
    const identity = await outside.identityOf(token);
    if (identity === null) return null;
    const { issuer } = outside;
    const person = await outsidePerson(
      { log, commandLog: link.log, clock, newId, loginNames, issuer },
      identity,
      named,
    );
    return person === null ? null : verified(callerOf(person.tenantId, person.user, null), person.user, []);
  }

  return async (token, named, purpose) => {
    const isOutside = outsideIssuer !== null && issuerOf(token) === outsideIssuer.issuer;
    const credentials = isOutside ? `token\n${token}\n${named ?? ''}` : `token\n${token}`;
    const log = purpose === 'read' ? link.readLog : link.log;
    return knownCallers
      .callerOf(credentials, () => (isOutside ? ofOutside(log, outsideIssuer, token, named) : ofOurs(log, token)))
      .catch((error: unknown) => {
        if (purpose !== 'read') throw error;
        return readsWithoutLog({ error, known: knownCallers.withoutLog(credentials), readModels, subjects: users });
      });
  };
}
