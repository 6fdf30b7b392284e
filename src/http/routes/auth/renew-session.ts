import { countedAttempt } from '../../core/counted-attempt.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { refuseForeignOrigin } from '../../core/same-origin.ts';
import { clearedCookie, sessionCookie } from './session-cookie.ts';
import { sessionReply, sessionSchema } from './session-result.ts';

/**
 * A browser that leaves a page while its cookie is renewed drops the answer, and shows the former cookie on the next
 * page: whoever reloads twice in a row is not to be signed out.
 */
const FORGIVEN_MS = 30_000;

export const renewSessionOperation = operation({
  id: 'renewSession',
  method: 'post',
  path: '/auth/session/refresh',
  tag: 'Signing in',
  summary: 'Exchange the cookie of a session for a new access token',
  description:
    'The cookie is replaced. The former one is good for another 30 seconds, because a browser that leaves the page ' +
    'meanwhile does not see the new one; used later, it ends the session, as a refresh token that is used twice. Where ' +
    'the cookie is missing or no longer good, the person signs in again.',
  access: 'anyone',
  repeatable: false,
  result: sessionSchema,
  errors: ['AUTHENTICATION_INVALID', 'CONCURRENT_CHANGE', 'ORIGIN_REFUSED', 'RATE_LIMITED'],
  handle: async ({ services, context, address, header }) => {
    refuseForeignOrigin(header);
    const token = sessionCookie(header);
    if (token === null) throw new ApiError('AUTHENTICATION_INVALID');
    return countedAttempt(services, address, ['refresh', token], async () => {
      const tokens = await services.signIn.refresh(token, context, FORGIVEN_MS);
      if (tokens === null) throw new ApiError('AUTHENTICATION_INVALID', {}, { 'set-cookie': clearedCookie(header) });
      return sessionReply(tokens, header);
    });
  },
});
