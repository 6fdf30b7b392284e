import { endSession } from '../../../commands/change-session.ts';
import { isSignedIn, loadSession, loadUser } from '../../../commands/load-person.ts';
import { sessions } from '../../../projections/sessions.ts';
import { users } from '../../../projections/users.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { endOfSession } from '../../../queries/sessions.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { userSessionResource, userSessionSchema } from '../../resources/user-session.ts';

export const endSessionOperation = operation({
  id: 'endSession',
  method: 'delete',
  path: '/auth/sessions/{id}',
  tag: 'Signing in',
  summary: 'End a session of yours; for an admin also one of another user',
  description:
    'Its tokens stop working within a second. One that is over stays as it is, so the request can be repeated.',
  access: 'user',
  params: z.strictObject({ id: identifier }),
  notFound: 'SESSION_NOT_FOUND',
  result: userSessionSchema,
  errors: ['CONCURRENT_CHANGE'],
  handle: async ({ services: { log, clock }, caller, params: { id }, context }) => {
    const { tenantId } = caller;
    const before = await loadSession(log, tenantId, id, clock.now());
    const userId = before.session?.userId ?? null;
    if (userId === null || (userId !== caller.actor.id && caller.role !== 'admin')) {
      throw new ApiError('SESSION_NOT_FOUND');
    }
    const user = await loadUser(log, tenantId, userId);
    const done = isSignedIn(user, before) ? requireAccepted(await endSession(context, id)) : null;
    const session = documentAfter(sessions, done?.events ?? before.events);
    const ended = endOfSession(session, documentAfter(users, user.events), clock.now());
    const result = userSessionResource({ session, ended }, caller.sessionId);
    return { status: 200, result, position: done?.position ?? null };
  },
});
