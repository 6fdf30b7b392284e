import { changeProfile } from '../../../commands/change-user.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { meSchema } from '../../resources/user.ts';
import { displayName, locale, timezone } from './auth-bodies.ts';
import { me } from './me.ts';

export const changeMeOperation = operation({
  id: 'changeMe',
  method: 'patch',
  path: '/auth/me',
  tag: 'Signing in',
  summary: 'Change your own profile; null clears a field',
  access: 'user',
  body: z.strictObject({
    displayName: displayName.nullable().optional(),
    locale: locale.nullable().optional(),
    timezone: timezone.nullable().optional(),
    defaultCompanyId: identifier.nullable().optional(),
  }),
  result: meSchema,
  errors: ['COMPANY_NOT_FOUND', 'CONCURRENT_CHANGE'],
  handle: async ({ services, body, context, caller: { tenantId, actor } }) => {
    const { defaultCompanyId } = body;
    if (typeof defaultCompanyId === 'string' && !(await services.isCompany(tenantId, defaultCompanyId))) {
      throw new ApiError('COMPANY_NOT_FOUND');
    }
    const { events, position } = requireAccepted(await changeProfile(context, actor.id, body));
    return { status: 200, result: await me(services, tenantId, events), position };
  },
});
