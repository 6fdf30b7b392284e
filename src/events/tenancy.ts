import { z } from 'zod';
import { id, instant } from './fields.ts';

export const SCOPES = [
  'connections:read',
  'connections:write',
  'transactions:read',
  'transactions:write',
  'rules:read',
  'rules:write',
  'schedules:read',
  'schedules:write',
  'analytics:read',
  'analytics:write',
  'audit:read',
  'audit:write',
] as const;

export type Scope = (typeof SCOPES)[number];

export const ROLES = ['admin', 'operator', 'analyst', 'auditor'] as const;

/** Streams `tenant-`, `company-`, `user-` and `apiKey-`: who there is. No secret nor its hash is ever among the data. */
export const tenancyEvents = {
  TenantCreated: { version: 1, schema: z.strictObject({ name: z.string().min(1).max(120), createdAt: instant }) },
  CompanyCreated: {
    version: 1,
    schema: z.strictObject({
      companyId: id,
      name: z.string().min(1).max(120),
      /** Off: transactions are recorded as `legacy` and only a backfill touches them. */
      automation: z.boolean(),
      createdAt: instant,
    }),
  },
  UserCreated: {
    version: 1,
    schema: z.strictObject({ userId: id, email: z.string().min(3).max(254), role: z.enum(ROLES), createdAt: instant }),
  },
  ApiKeyCreated: {
    version: 1,
    schema: z.strictObject({
      apiKeyId: id,
      /** The public half, sent as `x-api-key`. */
      key: z.string().min(8).max(128),
      name: z.string().min(1).max(120),
      scopes: z.array(z.enum(SCOPES)),
      /** Null: all companies of the tenant. */
      companies: z.array(id).nullable(),
      expiresAt: instant.nullable(),
      createdAt: instant,
    }),
  },
} as const;
