import { errors, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../shared/clock.ts';
import { derivedKey } from '../shared/derived-key.ts';

/** The session that an access token belongs to. */
export type AccessClaims = { readonly tenantId: string; readonly userId: string; readonly sessionId: string };

export const ACCESS_TOKEN_SECONDS = 15 * 60;
/** Issuer and audience: only this service issues and accepts these tokens. */
export const OWN_ISSUER = 'bank-connection-service';
const ALGORITHM = 'HS256';
/** RFC 9068's type, so that no other token signed with the same key is accepted. */
const TYPE = 'at+jwt';

export type AccessTokens = {
  readonly sign: (claims: AccessClaims) => Promise<string>;
  /**
   * Null unless this service issued it and it has not expired; whether user and session are still active is checked
   * elsewhere.
   */
  readonly verify: (token: string) => Promise<AccessClaims | null>;
};

export function createAccessTokens(options: { tokenKey: Buffer; clock: Clock }): AccessTokens {
  const { clock } = options;
  const key = derivedKey(options.tokenKey, 'access-token');
  return {
    sign({ tenantId, userId, sessionId }) {
      const issuedAt = Math.floor(clock.now() / 1000);
      return new SignJWT({ tenant: tenantId, sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setSubject(userId)
        .setIssuer(OWN_ISSUER)
        .setAudience(OWN_ISSUER)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
        .sign(key);
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify<{ tenant: string; sid: string }>(token, key, {
          algorithms: [ALGORITHM],
          typ: TYPE,
          issuer: OWN_ISSUER,
          audience: OWN_ISSUER,
          requiredClaims: ['sub', 'exp', 'tenant', 'sid'],
          currentDate: new Date(clock.now()),
        });
        return { tenantId: payload.tenant, userId: payload.sub ?? '', sessionId: payload.sid };
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
