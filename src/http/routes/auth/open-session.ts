import { networkOf } from '../../../traffic/failed-attempts.ts';
import { countedAttempt } from '../../core/counted-attempt.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { refuseForeignOrigin } from '../../core/same-origin.ts';
import { z } from '../../core/zod.ts';
import { loginEmail, loginTenant, passwordText } from './auth-bodies.ts';
import { sessionReply, sessionSchema } from './session-result.ts';
import { tokensOf } from './token-pair.ts';
import { userAgentOf } from './user-agent.ts';

const tenantId = loginTenant.optional().openapi({ description: 'Needed only after `TENANT_REQUIRED`.' });

export const openSessionOperation = operation({
  id: 'openSession',
  method: 'post',
  path: '/auth/session',
  tag: 'Signing in',
  summary: 'Sign in as a page in a browser',
  description:
    'As `POST /auth/login`, for pages that this service serves: the refresh token is set as a cookie that no script ' +
    'can read. Instead of email and password it takes the authorization code of the OpenID provider that ' +
    '`GET /auth/session` names, with the verifier of PKCE; the redirect URI is `/console/signed-in` of the page’s ' +
    'origin. Pages of another origin are refused.',
  access: 'anyone',
  repeatable: false,
  body: z.union([
    z.strictObject({ email: loginEmail, password: passwordText, tenantId }),
    z.strictObject({
      code: z.string().min(1).max(4_096),
      verifier: z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/, 'must be a code verifier (RFC 7636)'),
      tenantId,
    }),
  ]),
  result: sessionSchema,
  errors: ['LOGIN_FAILED', 'ORIGIN_REFUSED', 'TENANT_REQUIRED', 'RATE_LIMITED'],
  handle: async ({ services, body, context, address, header }) => {
    refuseForeignOrigin(header);
    const request = { ...context, ...userAgentOf(header), network: networkOf(address) };
    const credentials = 'code' in body ? ['code', body.code] : ['password', body.email, body.password];
    return countedAttempt(services, address, credentials, async () => {
      const signedIn =
        'code' in body
          ? await services.providerSignIn?.logIn(
              {
                code: body.code,
                verifier: body.verifier,
                tenantId: body.tenantId ?? null,
                redirectUri: `${header('origin') ?? ''}/console/signed-in`,
              },
              request,
            )
          : await services.signIn.logIn(body, request);
      if (signedIn === undefined) throw new ApiError('LOGIN_FAILED');
      const { tokens, position } = tokensOf(signedIn, 'LOGIN_FAILED');
      return { ...sessionReply(tokens, header), position };
    });
  },
});
