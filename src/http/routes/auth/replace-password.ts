import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { newPasswordText, passwordText } from './auth-bodies.ts';
import { signedInReply, tokenPairSchema } from './token-pair.ts';

export const replacePassword = operation({
  id: 'replacePassword',
  method: 'post',
  path: '/auth/me/password',
  tag: 'Signing in',
  summary: 'Replace the own password, which ends every session and begins another',
  description: 'Slowed as a login is.',
  access: 'user',
  repeatable: false,
  body: z.strictObject({ currentPassword: passwordText, newPassword: newPasswordText }),
  result: tokenPairSchema,
  errors: ['PASSWORD_WRONG', 'RATE_LIMITED', 'CONCURRENT_CHANGE'],
  handle: async ({ services, body, context, caller: { tenantId, actor } }) =>
    signedInReply(
      await services.signIn.replacePassword({ tenantId, userId: actor.id }, body, context),
      'PASSWORD_WRONG',
    ),
});
