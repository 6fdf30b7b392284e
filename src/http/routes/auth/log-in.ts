import { networkOf } from '../../../traffic/failed-attempts.ts';
import { countedAttempt } from '../../core/counted-attempt.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { loginEmail, loginTenant, passwordText } from './auth-bodies.ts';
import { signedInReply, tokenPairSchema } from './token-pair.ts';
import { userAgentOf } from './user-agent.ts';

export const logInOperation = operation({
  id: 'logIn',
  method: 'post',
  path: '/auth/login',
  tag: 'Signing in',
  summary: 'Sign in with email and password',
  description:
    'After 5 failed attempts within 15 minutes, each further attempt for the same email from the same network ' +
    'waits 1, 2, 4, then 8 seconds for its answer; an attempt that would wait more than 10 seconds gets 429. A success does not count. ' +
    'Failures also count against the client address. Where users of several tenants have the email, the one with this ' +
    'password signs in; where it is the password of more than one, the answer `TENANT_REQUIRED` lists their tenants, ' +
    'and the request is repeated with `tenantId`.',
  access: 'anyone',
  body: z.strictObject({
    email: loginEmail,
    password: passwordText,
    tenantId: loginTenant.optional().openapi({ description: 'Needed only after `TENANT_REQUIRED`.' }),
  }),
  result: tokenPairSchema,
  errors: ['LOGIN_FAILED', 'TENANT_REQUIRED', 'RATE_LIMITED'],
  handle: async ({ services, body, context, address, header }) =>
    countedAttempt(services, address, ['password', body.email, body.password], async () =>
      signedInReply(
        await services.signIn.logIn(body, {
          ...context,
          ...userAgentOf(header),
          network: networkOf(address),
        }),
        'LOGIN_FAILED',
      ),
    ),
});
