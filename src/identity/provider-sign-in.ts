import type { EventLog } from '../log/log.ts';
import type { Clock } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import type { LoginNames } from './login-names.ts';
import { IssuerUnavailable, type OutsideIssuer } from './outside-issuer.ts';
import { outsidePerson } from './outside-person.ts';
import type { Beginning, SignedIn, SignIn } from './sign-in.ts';

/** An OpenID provider at which people sign in with a browser, and this service's registration there. */
export type ProviderSettings = {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  /** Null for a public client, which PKCE alone protects. */
  readonly clientSecret: string | null;
};

export type CodeGrant = {
  readonly code: string;
  /** Of PKCE (RFC 7636): what the challenge in the authorization request was made from. */
  readonly verifier: string;
  /** Where the provider sent the browser; it has to be the one of the authorization request. */
  readonly redirectUri: string;
  readonly tenantId: string | null;
};

/** Exchanges an authorization code (OpenID Connect Core 1.0, section 3.1) for a session of this service. */
export type ProviderSignIn = {
  readonly authorizationUrl: string;
  readonly clientId: string;
  /** Refused alike whatever is wrong with code or person. @throws IssuerUnavailable, SeveralTenants */
  readonly logIn: (grant: CodeGrant, request: Beginning) => Promise<SignedIn>;
};

const TIMEOUT_MS = 5_000;
const LONGEST_ANSWER_BYTES = 64 * 1024;
const REFUSED = { outcome: 'refused' } as const;

export function createProviderSignIn(
  { authorizationUrl, tokenUrl, clientId, clientSecret }: ProviderSettings,
  options: {
    log: EventLog;
    clock: Clock;
    newId: NewId;
    loginNames: LoginNames;
    /** Accepts tokens that the provider made for this client. */
    issuer: OutsideIssuer;
    beginSession: SignIn['beginSession'];
    fetch: typeof globalThis.fetch;
  },
): ProviderSignIn {
  const { log, clock, newId, loginNames, issuer, beginSession, fetch } = options;

  /** Null where the provider refuses the code. @throws IssuerUnavailable */
  async function idToken({ code, verifier, redirectUri }: CodeGrant): Promise<string | null> {
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: verifier,
      ...(clientSecret === null ? {} : { client_secret: clientSecret }),
    });
    try {
      // A redirect would take code and secret along to wherever it leads.
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(tokenUrl, { method: 'POST', body: form, redirect: 'error', signal });
      const text = await boundedText(answer);
      if (answer.status >= 400 && answer.status < 500) return null;
      if (!answer.ok) throw new Error(`the token endpoint answered ${answer.status}`);
      const { id_token: token } = JSON.parse(text) as { id_token?: unknown };
      return typeof token === 'string' ? token : null;
    } catch (error) {
      throw new IssuerUnavailable({ cause: error });
    }
  }

  return {
    authorizationUrl,
    clientId,
    async logIn(grant, request) {
      const since = await log.end();
      const token = await idToken(grant);
      const identity = token === null ? null : await issuer.identityOf(token);
      if (identity === null) return REFUSED;
      const known = { log, commandLog: log, clock, newId, loginNames, issuer: issuer.issuer };
      const person = await outsidePerson(known, identity, grant.tenantId);
      if (person === null) return REFUSED;
      return beginSession({ tenantId: person.tenantId, userId: person.user.user?.id ?? '' }, since, request);
    },
  };
}

/** @throws Error for an answer that is too long */
async function boundedText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > LONGEST_ANSWER_BYTES) throw new Error('the answer of the token endpoint is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
