import { createHmac, timingSafeEqual } from 'node:crypto';
import { derivedKey } from '../shared/derived-key.ts';

/** The content of a refresh token: a session, and how often that was refreshed. */
export type RefreshClaims = { readonly tenantId: string; readonly sessionId: string; readonly generation: number };

/** Scanners for leaked secrets find it by this prefix. */
const TOKEN = /^bcr_([A-Za-z0-9_-]{1,512})\.([A-Za-z0-9_-]{43})$/;

export type RefreshTokens = {
  readonly seal: (claims: RefreshClaims) => string;
  /** Null for anything this service did not issue. */
  readonly open: (token: string) => RefreshClaims | null;
};

/**
 * The token proves itself: its content is authenticated by HMAC-SHA-256. Neither the token nor a hash of it is stored.
 */
export function createRefreshTokens(tokenKey: Buffer): RefreshTokens {
  const key = derivedKey(tokenKey, 'refresh-token');
  const mac = (body: string): Buffer => createHmac('sha256', key).update(body).digest();
  return {
    seal({ tenantId, sessionId, generation }) {
      const body = Buffer.from(`${tenantId}/${sessionId}/${generation}`).toString('base64url');
      return `bcr_${body}.${mac(body).toString('base64url')}`;
    },
    open(token) {
      const [, body = '', seal = ''] = TOKEN.exec(token) ?? [];
      const given = Buffer.from(seal, 'base64url');
      const right = mac(body);
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
      const [tenantId = '', sessionId = '', generation] = Buffer.from(body, 'base64url').toString().split('/');
      return { tenantId, sessionId, generation: Number(generation) };
    },
  };
}
