import { newPassword } from '../../../identity/people.ts';
import { users } from '../../../projections/users.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { operation } from '../../core/operation.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { waitUntilUsable } from '../../core/wait-until-usable.ts';
import { z } from '../../core/zod.ts';
import { userResource, userSchema } from '../../resources/user.ts';
import { displayName, email, newPasswordText, role } from './auth-bodies.ts';

export const addUserOperation = operation({
  id: 'addUser',
  method: 'post',
  path: '/auth/users',
  tag: 'People',
  summary: 'Add a user to the tenant',
  description:
    'Without `password`, one is generated and returned only in this answer. An email belongs to one user of the ' +
    'tenant, however it is written; whether another tenant knows it is of no effect.',
  adds: 'users',
  access: 'admin',
  body: z.strictObject({
    email,
    role,
    displayName: displayName.optional(),
    password: newPasswordText.optional(),
  }),
  // Declared apart, since an extension of a closed object would be described as both at once.
  result: z.strictObject({ ...userSchema.shape, password: z.string().optional() }).openapi('AddedUser'),
  successes: [201],
  errors: ['USER_EXISTS', 'CONCURRENT_CHANGE'],
  handle: async ({ services, body, context }) => {
    const password = body.password ?? newPassword();
    const added = { email: body.email, role: body.role, displayName: body.displayName ?? null, password };
    const { events, position } = requireAccepted(await services.people.add(context, added));
    await waitUntilUsable(services, [users], position);
    const made = body.password === undefined ? { password } : {};
    return { status: 201, result: { ...userResource(documentAfter(users, events)), ...made }, position };
  },
});
