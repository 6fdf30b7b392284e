import { loadUser } from '../../../commands/load-person.ts';
import { companies } from '../../../projections/tenancy.ts';
import { operation } from '../../core/operation.ts';
import { meSchema } from '../../resources/user.ts';
import { me } from './me.ts';

export const getMeOperation = operation({
  id: 'getMe',
  method: 'get',
  path: '/auth/me',
  tag: 'Signing in',
  summary: 'The signed-in user',
  access: 'user',
  result: meSchema,
  reads: [companies],
  handle: async ({ services, caller: { tenantId, actor } }) => {
    const { events } = await loadUser(services.log, tenantId, actor.id);
    return { status: 200, result: await me(services, tenantId, events) };
  },
});
