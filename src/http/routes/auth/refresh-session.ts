import { countedAttempt } from '../../core/counted-attempt.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { refreshToken } from './auth-bodies.ts';
import { tokenPair, tokenPairSchema } from './token-pair.ts';

export const refreshSessionOperation = operation({
  id: 'refreshSession',
  method: 'post',
  path: '/auth/refresh',
  tag: 'Signing in',
  summary: 'Exchange a refresh token for a new pair of tokens',
  description:
    'A refresh token can be used once. A second use ends its session, because the token may have been stolen. A ' +
    'session lasts at most 90 days, however often it is refreshed.',
  access: 'anyone',
  body: z.strictObject({ refreshToken }),
  result: tokenPairSchema,
  errors: ['AUTHENTICATION_INVALID', 'CONCURRENT_CHANGE', 'RATE_LIMITED'],
  handle: async ({ services, body, context, address }) =>
    countedAttempt(services, address, ['refresh', body.refreshToken], async () => {
      const tokens = await services.signIn.refresh(body.refreshToken, context);
      if (tokens === null) throw new ApiError('AUTHENTICATION_INVALID');
      return { status: 200 as const, result: tokenPair(tokens) };
    }),
});
