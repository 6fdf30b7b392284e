import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { HttpServices } from '../http/core/http-services.ts';
import { createAccessTokens } from '../identity/access-token.ts';
import { openApiKeyUses } from '../identity/api-key-uses.ts';
import { createApiKeys } from '../identity/api-keys.ts';
import { createAuthenticateBearer } from '../identity/authenticate-bearer.ts';
import { createAuthenticateKey } from '../identity/authenticate-key.ts';
import { createKnownCallers } from '../identity/known-callers.ts';
import { createIsCompany } from '../identity/known-companies.ts';
import { type LoginNames, openLoginNames } from '../identity/login-names.ts';
import { createOutsideIssuer } from '../identity/outside-issuer.ts';
import { createPeople } from '../identity/people.ts';
import { createProviderSignIn, type ProviderSignIn } from '../identity/provider-sign-in.ts';
import { createRefreshTokens } from '../identity/refresh-token.ts';
import { openSecrets, type PasswordWork, type Secrets } from '../identity/secrets.ts';
import { createSignIn, type SignIn } from '../identity/sign-in.ts';
import { createTenancies } from '../identity/tenancies.ts';
import type { LogLink } from '../log/log-link.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { ReadStore } from '../readstore/read-store.ts';
import type { Clock } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import { createFailedAttempts } from '../traffic/failed-attempts.ts';
import { openLoginAttempts } from '../traffic/login-attempts.ts';
import { createRateLimits, openSharedRateLimits, type RateLimits } from '../traffic/rate-limits.ts';
import { openRequestClaims } from '../traffic/request-claims.ts';
import { ownsItsStores } from './stores.ts';

export type Access = {
  readonly secrets: Secrets;
  readonly loginNames: LoginNames;
  readonly http: Pick<
    HttpServices,
    | 'authenticateKey'
    | 'authenticateBearer'
    | 'signIn'
    | 'providerSignIn'
    | 'people'
    | 'tenancies'
    | 'apiKeys'
    | 'apiKeyUses'
    | 'operatorTokenHash'
    | 'rateLimits'
    | 'tenantRateLimits'
    | 'failedAttempts'
    | 'trustedProxies'
    | 'corsOrigins'
    | 'isCompany'
    | 'requestClaims'
  >;
};

/** Who may call and how often: people, keys and sessions, and the limits on requests. */
export async function openAccess(options: {
  readonly config: Config;
  readonly link: LogLink;
  readonly readStore: ReadStore;
  readonly readModels: ReadModels;
  readonly tokenKey: Buffer;
  readonly encryptionKey: Buffer;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  /** How a login that is slowed down waits. */
  readonly wait: (ms: number) => Promise<void>;
  readonly passwordWork: PasswordWork | undefined;
}): Promise<Access> {
  const { config, link, readStore, readModels, tokenKey, encryptionKey, clock, newId, logger, wait } = options;
  const { leases } = readStore;
  const { log } = link;
  const readWithoutLogMs = config.readWithoutLogSeconds * 1_000;
  const knownCallers = createKnownCallers({ link, clock, readWithoutLogMs });
  const secrets = await openSecrets(readStore, tokenKey, options.passwordWork);
  const loginNames = await openLoginNames(readStore, tokenKey);
  const loginAttempts = await openLoginAttempts(readStore, clock);
  const accessTokens = createAccessTokens({ tokenKey, clock });
  const refreshTokens = createRefreshTokens(tokenKey);
  const outsideIssuer = config.outsideIssuer === null ? null : createOutsideIssuer(config.outsideIssuer, { clock });
  const apiKeyUses = await openApiKeyUses(readStore);
  const signIn = createSignIn({
    log,
    clock,
    newId,
    secrets,
    loginNames,
    loginAttempts,
    accessTokens,
    refreshTokens,
    wait,
  });
  const providerSignIn = openProviderSignIn(config, { log, clock, newId, loginNames, signIn });
  const alone = ownsItsStores(config);
  const limitsOf = async (limit: number): Promise<RateLimits> =>
    alone
      ? createRateLimits({ limit, clock, fetchBlock: null })
      : openSharedRateLimits({ limit, clock, readStore, logger });
  return {
    secrets,
    loginNames,
    http: {
      authenticateKey: createAuthenticateKey({ link, readModels, secrets, uses: apiKeyUses, clock, knownCallers }),
      authenticateBearer: createAuthenticateBearer({
        link,
        readModels,
        clock,
        newId,
        knownCallers,
        accessTokens,
        loginNames,
        outsideIssuer,
      }),
      signIn,
      providerSignIn,
      people: createPeople({ readModels, leases, secrets, loginNames }),
      tenancies: createTenancies({ secrets, loginNames }),
      apiKeys: createApiKeys(secrets),
      apiKeyUses,
      operatorTokenHash: config.operatorToken === null ? null : hash('sha256', config.operatorToken, 'buffer'),
      rateLimits: await limitsOf(config.requestsPerMinute),
      tenantRateLimits: await limitsOf(config.tenantRequestsPerMinute),
      failedAttempts: createFailedAttempts({ perMinute: config.authFailuresPerMinute, clock }),
      trustedProxies: config.trustedProxies,
      corsOrigins: config.corsOrigins,
      isCompany: createIsCompany(readModels),
      requestClaims: await openRequestClaims({ readStore, encryptionKey, clock, alone }),
    },
  };
}

/** The identity token that a provider makes for a browser's sign-in names the client as its audience. */
function openProviderSignIn(
  { provider, outsideIssuer }: Config,
  options: Pick<Parameters<typeof createProviderSignIn>[1], 'log' | 'clock' | 'newId' | 'loginNames'> & {
    readonly signIn: SignIn;
  },
): ProviderSignIn | null {
  if (provider === null || outsideIssuer === null) return null;
  const { signIn, ...rest } = options;
  const { clock } = rest;
  const issuer = createOutsideIssuer({ ...outsideIssuer, audience: provider.clientId }, { clock });
  return createProviderSignIn(provider, { ...rest, issuer, beginSession: signIn.beginSession, fetch });
}
