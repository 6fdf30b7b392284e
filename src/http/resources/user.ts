import { ROLES } from '../../events/tenancy.ts';
import type { UserDocument } from '../../projections/users.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

const person = {
  id: z.string(),
  email: z.string(),
  displayName: z.string().nullable(),
  locale: z.string().nullable(),
  timezone: z.string().nullable(),
  defaultCompanyId: z.string().nullable(),
  role: z.enum(ROLES),
};

export const userSchema = z
  .strictObject({
    ...person,
    status: z.enum(['active', 'disabled']),
    outsideLogin: z.enum(['none', 'allowed', 'bound']).openapi({
      description:
        'Whether the user may sign in with the outside issuer; `bound`: they have, and only as the same subject again.',
    }),
    createdAt: instant,
    updatedAt: instant,
  })
  .openapi('User');

const named = z.strictObject({ id: z.string(), name: z.string() });

export const meSchema = z
  .strictObject({ ...person, tenant: named, companies: z.array(named), createdAt: instant, updatedAt: instant })
  .openapi('Me');

export function userResource(user: UserDocument): z.input<typeof userSchema> {
  const { id, email, displayName, locale, timezone, defaultCompanyId, role, status, outsideLogin } = user;
  const { createdAt, updatedAt } = user;
  return {
    id,
    email,
    displayName,
    locale,
    timezone,
    defaultCompanyId,
    role,
    status,
    outsideLogin,
    createdAt,
    updatedAt,
  };
}

export function meResource(
  user: UserDocument,
  around: Pick<z.input<typeof meSchema>, 'tenant' | 'companies'>,
): z.input<typeof meSchema> {
  const { status, outsideLogin, ...rest } = userResource(user);
  return { ...rest, ...around };
}
