import { ACCESS_TOKEN_SECONDS } from '../../../identity/access-token.ts';
import type { TokenPair } from '../../../identity/sign-in.ts';
import { z } from '../../core/zod.ts';
import { keptCookie } from './session-cookie.ts';

export const sessionSchema = z
  .strictObject({
    accessToken: z.string().openapi({ description: 'Sent as `authorization: Bearer`; keep it in memory only.' }),
    expiresIn: z.int().openapi({ description: 'Seconds until the access token expires.' }),
  })
  .openapi('Session');

/** The access token goes to the page, the refresh token into the cookie. */
export function sessionReply({ accessToken, refreshToken }: TokenPair, header: (name: string) => string | null) {
  return {
    status: 200 as const,
    result: { accessToken, expiresIn: ACCESS_TOKEN_SECONDS },
    headers: { 'set-cookie': keptCookie(refreshToken, header) },
  };
}
