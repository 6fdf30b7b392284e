import { ACCESS_TOKEN_SECONDS } from '../../../identity/access-token.ts';
import type { SignedIn, TokenPair } from '../../../identity/sign-in.ts';
import { ApiError, type ErrorCode } from '../../core/errors.ts';
import { z } from '../../core/zod.ts';

export const tokenPairSchema = z
  .strictObject({
    accessToken: z.string().openapi({ description: 'Sent as `authorization: Bearer`.' }),
    refreshToken: z.string().openapi({ description: 'Can be used once, within 30 days.' }),
    expiresIn: z.int().openapi({ description: 'Seconds until the access token expires.' }),
    tokenType: z.literal('Bearer'),
  })
  .openapi('TokenPair');

export function tokenPair(tokens: TokenPair): z.input<typeof tokenPairSchema> {
  return { ...tokens, expiresIn: ACCESS_TOKEN_SECONDS, tokenType: 'Bearer' };
}

/** @throws ApiError with the code `refused`, or RATE_LIMITED */
export function tokensOf(signedIn: SignedIn, refused: ErrorCode) {
  if (signedIn.outcome === 'refused') throw new ApiError(refused);
  if (signedIn.outcome === 'busy') {
    throw new ApiError('RATE_LIMITED', {}, { 'retry-after': String(signedIn.retryAfterSeconds) });
  }
  return signedIn;
}

/** @throws ApiError with the code `refused`, or RATE_LIMITED */
export function signedInReply(signedIn: SignedIn, refused: ErrorCode) {
  const { tokens, position } = tokensOf(signedIn, refused);
  return { status: 200 as const, result: tokenPair(tokens), position };
}
