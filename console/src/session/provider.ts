import { signal } from '@preact/signals';
import type { GetSignInResult } from '../../../sdk/src/index.ts';
import { openSession } from './access-token.ts';

/** The OpenID provider for signing in; null where none is configured. */
export const provider = signal<GetSignInResult['provider']>(null);

/** Whether the service has refused whom the provider named. */
export const refused = signal(false);

const RETURNS_TO = '/console/signed-in';
/** For the time that one is away at the provider; of this tab alone. */
const KEY = 'console.sign-in';

type Away = { readonly verifier: string; readonly state: string; readonly from: string };

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Browsers hash only on pages that came over TLS or from this machine. */
export function mayUseProvider(): boolean {
  return provider.value !== null && globalThis.crypto.subtle !== undefined;
}

/** Leaves for the provider: authorization code with PKCE (RFC 7636), and a state that only this tab knows. */
export async function goToProvider({
  authorizationUrl,
  clientId,
  scope,
}: NonNullable<GetSignInResult['provider']>): Promise<void> {
  const away: Away = { verifier: random(), state: random(), from: `${location.pathname}${location.search}` };
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(away.verifier));
  sessionStorage.setItem(KEY, JSON.stringify(away));
  const url = new URL(authorizationUrl);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: `${location.origin}${RETURNS_TO}`,
    scope,
    state: away.state,
    code_challenge: base64url(new Uint8Array(hash)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** Whether the provider has sent the browser back here. */
export function isBackFromProvider(): boolean {
  return location.pathname === RETURNS_TO;
}

/**
 * Exchanges the code for a session and answers where one came from; the code leaves the address either way. Null where
 * this tab has not asked for it, as in a link that somebody else has made.
 * @throws BankError LOGIN_FAILED
 */
export async function comeBack(): Promise<string | null> {
  const given = new URLSearchParams(location.search);
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  history.replaceState(null, '', '/console/');
  const away = kept === null ? null : (JSON.parse(kept) as Away);
  const code = given.get('code');
  if (away === null || code === null || given.get('state') !== away.state) return null;
  await openSession({ code, verifier: away.verifier });
  return away.from;
}
