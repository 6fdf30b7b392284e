import { SCOPES } from '../../../events/tenancy.ts';
import { apiKeys } from '../../../projections/api-keys.ts';
import { ApiError, validationFailed } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier, moment } from '../../core/parameters.ts';
import { waitUntilUsable } from '../../core/wait-until-usable.ts';
import { z } from '../../core/zod.ts';
import { apiKeyWithSecretSchema, scopeSchema } from '../../resources/api-key.ts';
import { apiKeyReply } from './api-key-reply.ts';

const distinct = (items: readonly string[]): boolean => new Set(items).size === items.length;

export const createApiKeyOperation = operation({
  id: 'createApiKey',
  method: 'post',
  path: '/auth/api-keys',
  tag: 'API keys',
  summary: 'Create an API key',
  description: 'The secret is shown only in this answer.',
  adds: 'apiKeys',
  access: 'admin',
  body: z.strictObject({
    name: z.string().trim().min(1).max(120),
    scopes: z
      .array(scopeSchema)
      .min(1)
      .max(SCOPES.length)
      .refine(distinct, 'must not name a scope twice')
      .openapi({ uniqueItems: true }),
    companies: z
      .array(identifier)
      .min(1)
      .max(1000)
      .refine(distinct, 'must not name a company twice')
      .openapi({ uniqueItems: true })
      .nullable()
      .optional()
      .openapi({
        description:
          'The companies it may access; null or omitted means all companies of the tenant, including later ones.',
      }),
    expiresAt: moment.nullable().optional().openapi({ description: 'Must be in the future.', example: '2099-12-31' }),
  }),
  successes: [201],
  result: apiKeyWithSecretSchema,
  errors: ['COMPANY_NOT_FOUND', 'CONCURRENT_CHANGE'],
  handle: async ({ services, body, context }) => {
    const { name, scopes, companies = null, expiresAt = null } = body;
    if (expiresAt !== null && Date.parse(expiresAt) <= services.clock.now()) {
      throw validationFailed([{ path: 'expiresAt', code: 'too_small', message: 'must be in the future' }]);
    }
    for (const companyId of companies ?? []) {
      if (!(await services.isCompany(context.tenantId, companyId))) throw new ApiError('COMPANY_NOT_FOUND');
    }
    const { outcome, secret } = await services.apiKeys.create(context, { name, scopes, companies, expiresAt });
    const reply = await apiKeyReply(201, services, outcome);
    await waitUntilUsable(services, [apiKeys], reply.position);
    return { ...reply, result: { ...reply.result, secret } };
  },
});
