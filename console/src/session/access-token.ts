import { BankClient, BankError, type OpenSessionRequest, type Session } from '../../../sdk/src/index.ts';

/** In memory only. The refresh token is in a cookie that no script can read. */
type Token = { readonly value: string; readonly expiresAt: number };

/** A token is renewed this long before it expires, so that none expires on its way. */
const BEFORE_EXPIRY_MS = 30_000;
const LOCK = 'console-session';

/** Signing in takes no token. Once each: a sign-in that failed is not tried behind one's back. */
export const sessionClient = new BankClient({ baseUrl: location.origin, maxAttempts: 1 });

let token: Token | null = null;
let renewing: Promise<string> | null = null;

/** The session is over: signed out, expired or revoked. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError';
}

function take({ accessToken, expiresIn }: Session): string {
  token = { value: accessToken, expiresAt: Date.now() + expiresIn * 1_000 };
  return accessToken;
}

/** @throws BankError LOGIN_FAILED, or TENANT_REQUIRED with `meta.tenants` */
export async function openSession(request: OpenSessionRequest): Promise<void> {
  take(await sessionClient.openSession(request));
}

/** Ends it here and in the service; what is in memory is gone even where the service does not answer. */
export async function closeSession(): Promise<void> {
  token = null;
  await sessionClient.closeSession();
}

export function forgetToken(): void {
  token = null;
}

/** Tabs share the cookie, and a refresh token can be used once: so they take turns. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  return 'locks' in navigator ? navigator.locks.request(LOCK, work) : work();
}

async function renew(): Promise<string> {
  try {
    return take(await inTurn(() => sessionClient.renewSession()));
  } catch (error) {
    if (!(error instanceof BankError) || error.status !== 401) throw error;
    token = null;
    throw new SignedOutError(error.message, { cause: error });
  }
}

/** A new token; those who ask meanwhile get the same. @throws SignedOutError, BankError, NetworkError */
export function renewedToken(): Promise<string> {
  renewing ??= renew().finally(() => {
    renewing = null;
  });
  return renewing;
}

/** A token that is still good. @throws SignedOutError, BankError, NetworkError */
export async function accessToken(): Promise<string> {
  if (token !== null && Date.now() < token.expiresAt - BEFORE_EXPIRY_MS) return token.value;
  return await renewedToken();
}
