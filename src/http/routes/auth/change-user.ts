import { users } from '../../../projections/users.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { defined } from '../../../shared/defined.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { userResource, userSchema } from '../../resources/user.ts';
import { role } from './auth-bodies.ts';

export const changeUserOperation = operation({
  id: 'changeUser',
  method: 'patch',
  path: '/auth/users/{id}',
  tag: 'People',
  summary: 'Change the role of a user, disable one, or allow the login with the outside issuer',
  description:
    'Takes effect within a second. Disabling a user ends all of their sessions; once enabled again, they can sign in.',
  access: 'admin',
  params: z.strictObject({ id: identifier }),
  notFound: 'USER_NOT_FOUND',
  body: z.strictObject({
    role: role.optional(),
    status: z.enum(['active', 'disabled']).optional(),
    outsideLogin: z.enum(['none', 'allowed']).optional().openapi({
      description:
        'With `allowed`, the next token of the outside issuer with the email of this user binds its subject to them.',
    }),
  }),
  result: userSchema,
  errors: ['LAST_ADMIN', 'CONCURRENT_CHANGE'],
  handle: async ({ services, params, body, context }) => {
    const disabled = body.status === undefined ? undefined : body.status === 'disabled';
    const outcome = await services.people.changeStanding(
      context,
      params.id,
      defined({ role: body.role, disabled, outsideLogin: body.outsideLogin }),
    );
    const { events, position } = requireAccepted(outcome);
    return { status: 200, result: userResource(documentAfter(users, events)), position };
  },
});
