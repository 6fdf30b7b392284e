import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { sessionCookie } from './session-cookie.ts';

export const getSignInOperation = operation({
  id: 'getSignIn',
  method: 'get',
  path: '/auth/session',
  tag: 'Signing in',
  summary: 'Whether the browser has the cookie of a session, and how to sign in otherwise',
  access: 'anyone',
  result: z.strictObject({
    hasSession: z.boolean().openapi({ description: 'It may have ended; only its renewal shows.' }),
    provider: z
      .strictObject({
        authorizationUrl: z.string().openapi({ description: 'Where the provider takes authorization requests.' }),
        clientId: z.string(),
        scope: z.string(),
      })
      .nullable()
      .openapi({ description: 'The OpenID provider for signing in; null where none is configured.' }),
  }),
  handle: async ({ services: { providerSignIn }, header }) => ({
    status: 200,
    result: {
      hasSession: sessionCookie(header) !== null,
      provider:
        providerSignIn === null
          ? null
          : {
              authorizationUrl: providerSignIn.authorizationUrl,
              clientId: providerSignIn.clientId,
              scope: 'openid email',
            },
    },
  }),
});
