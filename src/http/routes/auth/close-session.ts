import { operation } from '../../core/operation.ts';
import { refuseForeignOrigin } from '../../core/same-origin.ts';
import { z } from '../../core/zod.ts';
import { clearedCookie, sessionCookie } from './session-cookie.ts';

export const closeSessionOperation = operation({
  id: 'closeSession',
  method: 'delete',
  path: '/auth/session',
  tag: 'Signing in',
  summary: 'End the session of the cookie, and remove the cookie',
  description: 'Its access tokens stop working within a second. Without a session there is nothing to end.',
  access: 'anyone',
  result: z.strictObject({ ended: z.boolean().openapi({ description: 'Whether there was a session to end.' }) }),
  errors: ['CONCURRENT_CHANGE', 'ORIGIN_REFUSED'],
  handle: async ({ services, context, header }) => {
    refuseForeignOrigin(header);
    const token = sessionCookie(header);
    const ended = token === null ? null : await services.signIn.logOut(token, context);
    const position = ended?.position ?? null;
    return {
      status: 200,
      result: { ended: ended !== null },
      position,
      headers: { 'set-cookie': clearedCookie(header) },
    };
  },
});
