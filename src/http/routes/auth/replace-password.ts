import { networkOf } from '../../../traffic/failed-attempts.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { newPasswordText, passwordText } from './auth-bodies.ts';
import { signedInReply, tokenPairSchema } from './token-pair.ts';
import { userAgentOf } from './user-agent.ts';

export const replacePasswordOperation = operation({
  id: 'replacePassword',
  method: 'post',
  path: '/auth/me/password',
  tag: 'Signing in',
  summary: 'Change your own password, which ends every session and starts a new one',
  description: 'Failed attempts are slowed down like those of a login.',
  access: 'user',
  repeatable: false,
  body: z.strictObject({ currentPassword: passwordText, newPassword: newPasswordText }),
  result: tokenPairSchema,
  errors: ['PASSWORD_WRONG', 'RATE_LIMITED', 'CONCURRENT_CHANGE'],
  handle: async ({ services, body, context, address, header, caller: { tenantId, actor } }) =>
    signedInReply(
      await services.signIn.replacePassword({ tenantId, userId: actor.id }, body, {
        ...context,
        ...userAgentOf(header),
        network: networkOf(address),
      }),
      'PASSWORD_WRONG',
    ),
});
