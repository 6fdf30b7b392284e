import { users } from '../../../projections/users.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { userResource, userSchema } from '../../resources/user.ts';

export const listUsersOperation = operation({
  id: 'listUsers',
  method: 'get',
  path: '/auth/users',
  tag: 'People',
  summary: 'The users of the tenant, oldest first',
  access: 'admin',
  query: z.strictObject({ ...paging }),
  result: listOf(userSchema),
  reads: [users],
  handle: async (call) => {
    const page = await pageOf(call, 'listUsers', users, {
      filter: [],
      sort: [{ field: 'createdAt', direction: 'asc' }],
    });
    return { status: 200, result: { ...page, items: page.items.map(userResource) } };
  },
});
