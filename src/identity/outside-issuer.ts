import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../shared/clock.ts';

/** An OpenID provider whose tokens are accepted besides our own. */
export type OutsideIssuerSettings = { readonly issuer: string; readonly jwksUrl: string; readonly audience: string };

export type OutsideIssuer = {
  readonly issuer: string;
  /**
   * Who the token is about; null unless issuer, audience, times and `email_verified` are right. A token is accepted for
   * 24 hours after it was issued at most, whenever it expires.
   * @throws IssuerUnavailable
   */
  readonly identityOf: (token: string) => Promise<OutsideToken | null>;
};

export type OutsideToken = {
  readonly subject: string;
  readonly email: string;
  /** Epoch milliseconds, to the second. */
  readonly issuedAtMs: number;
};

/** The issuer's keys could not be fetched, so the token cannot be verified. */
export class IssuerUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super('the keys of the token issuer cannot be fetched', options);
    this.name = 'IssuerUnavailable';
  }
}

/** Signatures with a private key only: under HS256 whoever has the public key could sign. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const FETCH_TIMEOUT_MS = 3_000;
/**
 * For this long after a fetch an unknown key causes no other one, so that invented keys cannot cause endless fetching.
 */
const COOLDOWN_MS = 10_000;
/** By how much the issuer's clock may differ. */
const SKEW_SECONDS = 5;
const LONGEST_AGE = '24 h';
const LONGEST_SUBJECT = 255;

/** The keys' URL did not answer, or not with a key set: faults of the issuer; any other fault is the token's. */
function isIssuersFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return true;
  return !(error instanceof errors.JOSEError) || error.code === 'ERR_JOSE_GENERIC';
}

export function createOutsideIssuer(
  { issuer, jwksUrl, audience }: OutsideIssuerSettings,
  { clock, cooldownMs = COOLDOWN_MS }: { clock: Clock; cooldownMs?: number },
): OutsideIssuer {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: cooldownMs,
  });

  async function payloadOf(token: string): Promise<JWTPayload | null> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        requiredClaims: ['exp', 'iat', 'sub', 'email', 'email_verified'],
        maxTokenAge: LONGEST_AGE,
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(clock.now()),
      });
      return payload;
    } catch (error) {
      if (isIssuersFault(error)) throw new IssuerUnavailable({ cause: error });
      return null;
    }
  }

  return {
    issuer,
    async identityOf(token) {
      const { sub: subject, email, email_verified: isVerified, iat } = (await payloadOf(token)) ?? {};
      if (typeof subject !== 'string' || subject === '' || subject.length > LONGEST_SUBJECT) return null;
      if (typeof email !== 'string' || isVerified !== true || typeof iat !== 'number') return null;
      return { subject, email, issuedAtMs: iat * 1_000 };
    },
  };
}
