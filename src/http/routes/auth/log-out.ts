import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { refreshToken } from './auth-bodies.ts';

export const logOutOperation = operation({
  id: 'logOut',
  method: 'post',
  path: '/auth/logout',
  tag: 'Signing in',
  summary: 'End a session; its access tokens stop working within a second',
  access: 'anyone',
  body: z.strictObject({ refreshToken }),
  result: z.strictObject({ ended: z.literal(true) }),
  errors: ['AUTHENTICATION_INVALID', 'CONCURRENT_CHANGE'],
  handle: async ({ services, body, context }) => {
    const ended = await services.signIn.logOut(body.refreshToken, context);
    if (ended === null) throw new ApiError('AUTHENTICATION_INVALID');
    return { status: 200, result: { ended: true as const }, position: ended.position };
  },
});
