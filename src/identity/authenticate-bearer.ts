import { decodeJwt } from 'jose';
import { isSignedIn, type LoadedUser, loadSession, loadUser } from '../commands/load-person.ts';
import type { EventLog } from '../log/log.ts';
import type { Clock } from '../shared/clock.ts';
import type { AccessTokens } from './access-token.ts';
import type { AuthenticateBearer, Caller } from './caller.ts';
import type { LoginNames } from './login-names.ts';
import type { OutsideIssuer } from './outside-issuer.ts';
import { roleScopes } from './roles.ts';

/**
 * How long a verification is cached: a logout, a changed role or a disabled user takes effect within a second on every
 * instance.
 */
const TRUSTED_FOR_MS = 500;
const KEPT = 10_000;

type Verified = { readonly caller: Caller; readonly untilMs: number };

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
  log: EventLog;
  clock: Clock;
  accessTokens: AccessTokens;
  loginNames: LoginNames;
  outsideIssuer: OutsideIssuer | null;
}): AuthenticateBearer {
  const { log, clock, accessTokens, loginNames, outsideIssuer } = options;
  const verified = new Map<string, Verified>();

  async function ofOurs(token: string): Promise<Caller | null> {
    const claims = await accessTokens.verify(token);
    if (claims === null) return null;
    const { tenantId, userId, sessionId } = claims;
    const [user, session] = await Promise.all([
      loadUser(log, tenantId, userId),
      loadSession(log, tenantId, sessionId, clock.now()),
    ]);
    return isSignedIn(user, session) ? callerOf(tenantId, user, sessionId) : null;
  }

  /** The issuer states the identity; tenant, role and access are decided here. */
  async function ofOutside(issuer: OutsideIssuer, token: string): Promise<Caller | null> {
    const email = await issuer.emailOf(token);
    const owner = email === null ? null : await loginNames.ownerOf(email);
    if (owner === null) return null;
    const user = await loadUser(log, owner.tenantId, owner.userId);
    return user.inForce ? callerOf(owner.tenantId, user, null) : null;
  }

  return async (token) => {
    const nowMs = clock.now();
    const known = verified.get(token);
    if (known !== undefined && known.untilMs > nowMs) return known.caller;
    verified.delete(token);
    const isOutside = outsideIssuer !== null && issuerOf(token) === outsideIssuer.issuer;
    const caller = await (isOutside ? ofOutside(outsideIssuer, token) : ofOurs(token));
    if (caller === null) return null;
    if (verified.size >= KEPT) verified.clear();
    verified.set(token, { caller, untilMs: nowMs + TRUSTED_FOR_MS });
    return caller;
  };
}
