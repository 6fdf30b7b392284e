import { sessions } from '../../../projections/sessions.ts';
import { users } from '../../../projections/users.ts';
import { openReader } from '../../../queries/reader.ts';
import { countSessions, sessionPage } from '../../../queries/sessions.ts';
import { listOf } from '../../core/envelope.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageBy } from '../../paging/page.ts';
import { userSessionResource, userSessionSchema } from '../../resources/user-session.ts';

/** Instead of the id of one user. */
const EVERYBODY = '*';

export const listSessionsOperation = operation({
  id: 'listSessions',
  method: 'get',
  path: '/auth/sessions',
  tag: 'Signing in',
  summary: 'Your open sessions, newest first; for an admin also those of others',
  description:
    'A session is what one sign-in began; a key has none. It is over after a logout, after its time, once a refresh ' +
    'token was used twice, and when its user was disabled or got another password.',
  access: 'user',
  query: z.strictObject({
    userId: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .openapi({ description: 'Of this user, or `*` for all users of the tenant; only for admins unless it is you.' }),
    state: z
      .enum(['open', 'any'])
      .optional()
      .openapi({ description: '`open` (default), or `any` for those that are over as well.' }),
    ...paging,
  }),
  result: listOf(userSessionSchema),
  reads: [sessions, users],
  handle: async (call) => {
    const { services, caller, query } = call;
    const { userId: named = caller.actor.id, state = 'open' } = query;
    if (named !== caller.actor.id && caller.role !== 'admin') {
      throw new ApiError('PERMISSION_DENIED', { required: 'admin' });
    }
    const reader = openReader(services.readModels, caller.tenantId, null);
    const userId = named === EVERYBODY ? null : named;
    const question = { userId, withEnded: state === 'any', nowMs: services.clock.now() };
    const asked = { ...query, userId: named };
    const page = await pageBy(
      { services, reader, query: asked },
      'listSessions',
      (part) => sessionPage(reader, question, part),
      (most) => countSessions(reader, question, most),
    );
    const items = page.items.map((shown) => userSessionResource(shown, caller.sessionId));
    return { status: 200, result: { ...page, items } };
  },
});
