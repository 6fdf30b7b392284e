import { beginSession, endSession, refreshSession } from '../commands/change-session.ts';
import { replacePassword } from '../commands/change-user.ts';
import type { CommandContext } from '../commands/command.ts';
import { isSignedIn, loadSession, loadUser } from '../commands/load-person.ts';
import type { EventLog } from '../log/log.ts';
import type { Clock } from '../shared/clock.ts';
import { createCounter } from '../shared/counter.ts';
import { defined } from '../shared/defined.ts';
import type { NewId } from '../shared/ids.ts';
import type { LoginAttempts } from '../traffic/login-attempts.ts';
import type { AccessTokens } from './access-token.ts';
import type { LoginNames, LoginOwner } from './login-names.ts';
import type { RefreshTokens } from './refresh-token.ts';
import type { Secrets } from './secrets.ts';
import { severalTenants } from './several-tenants.ts';

export type TokenPair = { readonly accessToken: string; readonly refreshToken: string };

/** `busy`: nothing was checked; the caller should retry after that time. */
type Busy = { readonly outcome: 'busy'; readonly retryAfterSeconds: number };
export type SignedIn =
  | { readonly outcome: 'signed-in'; readonly tokens: TokenPair; readonly position: string | null }
  | { readonly outcome: 'refused' }
  | Busy;

/** The request's correlation for the events it makes and, where it can be repeated, the seed of its ids. */
export type Correlation = Pick<CommandContext, 'correlationId'> & Partial<Pick<CommandContext, 'newId' | 'repetition'>>;
/** A request that may start a session; `userAgent` in the form that its event takes. */
export type Beginning = Correlation & { readonly userAgent?: string };
/** A request with a password; `network`: where it comes from, as `networkOf` gives it. */
type Attempt = Beginning & { readonly network: string };

export type SignIn = {
  /**
   * Refused alike, after the same work, for an unknown email, a wrong password and a disabled user. Without a tenant,
   * into the only one whose user with this email has this password. @throws SeveralTenants where there are more
   */
  readonly logIn: (
    credentials: { email: string; password: string; tenantId?: string },
    request: Attempt,
  ) => Promise<SignedIn>;
  /**
   * The next pair for the newest refresh token of a session; an older one ends the session. `forgivenMs`: for this long
   * after it was exchanged, the one before the newest gets the newest again, and ends nothing; 0 unless given.
   */
  readonly refresh: (refreshToken: string, request: Correlation, forgivenMs?: number) => Promise<TokenPair | null>;
  /**
   * Null for anything but a refresh token of ours; one of any generation ends its session; repeating it changes
   * nothing. `position` is that of the event it made, null without one.
   */
  readonly logOut: (refreshToken: string, request: Correlation) => Promise<{ readonly position: string | null } | null>;
  /**
   * A session for a user whose identity was proven at the position `since` or later. Refused if the user was disabled
   * or had their password replaced since.
   */
  readonly beginSession: (owner: LoginOwner, since: string, request: Beginning) => Promise<SignedIn>;
  /** Ends every session of the user, including the present one, and starts a new one. */
  readonly replacePassword: (
    owner: LoginOwner,
    passwords: { currentPassword: string; newPassword: string },
    request: Attempt,
  ) => Promise<SignedIn>;
};

type Checked = {
  readonly outcome: 'checked';
  readonly right: readonly LoginOwner[];
  readonly takeBack: () => Promise<void>;
};

/** With this many passwords of a network waiting to be checked, further callers from there are asked to retry. */
const CHECKS_WAITING = 64;

export function createSignIn(options: {
  log: EventLog;
  clock: Clock;
  newId: NewId;
  secrets: Secrets;
  loginNames: LoginNames;
  loginAttempts: LoginAttempts;
  accessTokens: AccessTokens;
  refreshTokens: RefreshTokens;
  wait: (ms: number) => Promise<void>;
}): SignIn {
  const { log, clock, newId, secrets, loginNames, loginAttempts, accessTokens, refreshTokens, wait } = options;
  const checking = createCounter<string>(CHECKS_WAITING);

  function contextOf({ tenantId, userId }: LoginOwner, request: Correlation): CommandContext {
    const actor = { type: 'user' as const, id: userId };
    return { newId, ...request, log, clock, tenantId, companyId: null, actor };
  }

  async function pair(owner: LoginOwner, sessionId: string, generation: number): Promise<TokenPair> {
    const accessToken = await accessTokens.sign({ ...owner, sessionId });
    return { accessToken, refreshToken: refreshTokens.seal({ tenantId: owner.tenantId, sessionId, generation }) };
  }

  /** Guesses from one network must not keep the owner of the email out from another. */
  function slowedAs(email: string, network: string): string {
    return loginNames.keyOf(`${email.trim()} ${network}`);
  }

  /**
   * Those of the owners whose password it is. Slowed per email and network, whether or not a user has the email; an
   * attempt counts until `takeBack`, which is for a request that has succeeded as a whole.
   */
  async function checked(
    email: string,
    owners: readonly LoginOwner[],
    password: string,
    network: string,
  ): Promise<Busy | Checked> {
    const name = slowedAs(email, network);
    const admission = await loginAttempts.admit(name);
    if (!admission.admitted) {
      return { outcome: 'busy', retryAfterSeconds: Math.ceil(admission.retryAfterMs / 1000) };
    }
    await wait(admission.waitMs);
    const end = checking.begin(network);
    if (end === null) return { outcome: 'busy', retryAfterSeconds: 1 };
    try {
      const salted = { password, salt: loginNames.saltOf(email) };
      const userIds = await secrets.whosePassword(
        owners.map(({ userId }) => userId),
        salted,
        network,
      );
      const right = owners.filter(({ userId }) => userIds.includes(userId));
      return { outcome: 'checked', right, takeBack: () => loginAttempts.takeBack(name, admission) };
    } finally {
      end();
    }
  }

  /**
   * Starts a session after a password that was right at the position `since` or later. If the password was replaced or
   * the user disabled since, that event would precede the session's first one and not end it, so it is checked again.
   */
  async function begun(owner: LoginOwner, since: string, request: Beginning): Promise<SignedIn> {
    const { userAgent, ...correlation } = request;
    const context = contextOf(owner, correlation);
    const session = await beginSession(context, { userId: owner.userId, ...defined({ userAgent }) });
    if (!session.accepted || session.state.session === null) return { outcome: 'refused' };
    const sessionId = session.state.session.id;
    const user = await loadUser(log, owner.tenantId, owner.userId);
    if (!user.inForce || user.sessionsEndedAt > since) {
      await endSession(context, sessionId);
      return { outcome: 'refused' };
    }
    return {
      outcome: 'signed-in',
      tokens: await pair(owner, sessionId, session.state.generation),
      position: session.position,
    };
  }

  async function mayEnter(owners: readonly LoginOwner[]): Promise<LoginOwner[]> {
    const users = await Promise.all(owners.map(({ tenantId, userId }) => loadUser(log, tenantId, userId)));
    return owners.filter((_, index) => users[index]?.inForce);
  }

  return {
    beginSession: begun,
    async logIn({ email, password, tenantId }, { network, ...request }) {
      const since = await log.end();
      const known = await loginNames.ownersOf(email);
      const owners = tenantId === undefined ? known : known.filter((owner) => owner.tenantId === tenantId);
      const check = await checked(email, owners, password, network);
      if (check.outcome === 'busy') return check;
      // Of a tenant nothing is read before the password is right: the time must not show how many know the email.
      const [owner, ...more] = await mayEnter(check.right);
      if (owner === undefined) return { outcome: 'refused' };
      if (more.length > 0) {
        await check.takeBack();
        throw await severalTenants(
          log,
          [owner, ...more].map((one) => one.tenantId),
        );
      }
      const signedIn = await begun(owner, since, request);
      if (signedIn.outcome === 'signed-in') await check.takeBack();
      return signedIn;
    },
    async refresh(refreshToken, request, forgivenMs = 0) {
      const claims = refreshTokens.open(refreshToken);
      if (claims === null) return null;
      const { tenantId, sessionId, generation } = claims;
      const session = await loadSession(log, tenantId, sessionId, clock.now());
      if (session.session === null) return null;
      const owner: LoginOwner = { tenantId, userId: session.session.userId };
      if (!isSignedIn(await loadUser(log, tenantId, owner.userId), session)) return null;
      const refreshed = await refreshSession(contextOf(owner, request), { sessionId, generation, forgivenMs });
      if (!refreshed.accepted || refreshed.state.ended !== null) return null;
      return pair(owner, sessionId, refreshed.state.generation);
    },
    async logOut(refreshToken, request) {
      const claims = refreshTokens.open(refreshToken);
      if (claims === null) return null;
      const { tenantId, sessionId } = claims;
      const { session } = await loadSession(log, tenantId, sessionId, clock.now());
      if (session === null) return null;
      const ended = await endSession(contextOf({ tenantId, userId: session.userId }, request), sessionId);
      return ended.accepted ? { position: ended.position } : null;
    },
    async replacePassword(owner, { currentPassword, newPassword }, { network, ...request }) {
      const { user } = await loadUser(log, owner.tenantId, owner.userId);
      if (user === null) return { outcome: 'refused' };
      const check = await checked(user.email, [owner], currentPassword, network);
      if (check.outcome === 'busy') return check;
      if (check.right.length === 0) return { outcome: 'refused' };
      // The password first: with the event first, a crash in between would end the sessions and leave the old password
      // valid.
      const salted = { password: newPassword, salt: loginNames.saltOf(user.email) };
      await secrets.keepPassword(owner.userId, salted, network);
      const replaced = await replacePassword(contextOf(owner, request), owner.userId);
      if (!replaced.accepted) return { outcome: 'refused' };
      await check.takeBack();
      return begun(owner, replaced.position ?? '', request);
    },
  };
}
