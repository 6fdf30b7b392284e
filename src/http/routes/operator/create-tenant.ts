import { apiKeys } from '../../../projections/api-keys.ts';
import { companies } from '../../../projections/tenancy.ts';
import { users } from '../../../projections/users.ts';
import { operation } from '../../core/operation.ts';
import { waitUntilUsable } from '../../core/wait-until-usable.ts';
import { z } from '../../core/zod.ts';
import { email } from '../auth/auth-bodies.ts';

export const createTenantOperation = operation({
  id: 'createTenant',
  method: 'post',
  path: '/operator/tenants',
  tag: 'Operator',
  summary: 'Add a tenant with one company, its admin and one API key',
  description:
    'Password and secret are shown only in this answer. Without `OPERATOR_TOKEN` in the configuration the path ' +
    'does not exist. With an ' +
    'idempotency key, an interrupted request can be sent again and completes what is left.',
  access: 'operator-token',
  body: z.strictObject({ name: z.string().trim().min(1).max(120), adminEmail: email }),
  successes: [201],
  result: z
    .strictObject({
      tenant: z.strictObject({ id: z.string(), name: z.string() }),
      company: z.strictObject({ id: z.string() }),
      admin: z.strictObject({ email: z.string(), password: z.string() }),
      apiKey: z.strictObject({ key: z.string(), secret: z.string() }),
    })
    .openapi('CreatedTenant'),
  errors: ['CONCURRENT_CHANGE'],
  handle: async ({ services, body, context }) => {
    const { tenantId, companyId, admin, apiKey, position } = await services.tenancies.add(context, body);
    await waitUntilUsable(services, [apiKeys, companies, users], position);
    const result = { tenant: { id: tenantId, name: body.name }, company: { id: companyId }, admin, apiKey };
    return { status: 201, result, position };
  },
});
