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
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

export const ROLES = ['admin', 'operator', 'analyst', 'auditor'] as const;

export type Role = (typeof ROLES)[number];

/** Streams `tenant-`, `company-`, `user-` and `apiKey-`. Their data never holds a secret or its hash. */
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
  /** The whole profile after the change. */
  UserProfileChanged: {
    version: 1,
    schema: z.strictObject({
      displayName: z.string().min(1).max(120).nullable(),
      /** BCP 47. */
      locale: z.string().min(2).max(35).nullable(),
      /** IANA. */
      timezone: z.string().min(1).max(64).nullable(),
      defaultCompanyId: id.nullable(),
      changedAt: instant,
    }),
  },
  UserRoleChanged: { version: 1, schema: z.strictObject({ role: z.enum(ROLES), changedAt: instant }) },
  /**
   * A disabled user can neither sign in nor use a token. Ends every session started before it, also after the user is
   * enabled again.
   */
  UserDisabled: { version: 1, schema: z.strictObject({ disabledAt: instant }) },
  UserEnabled: { version: 1, schema: z.strictObject({ enabledAt: instant }) },
  /** Ends every session started before it. */
  UserPasswordReplaced: { version: 1, schema: z.strictObject({ replacedAt: instant }) },
  /** An admin lets the user sign in with the outside issuer: the next subject with the user's email is bound. */
  UserOutsideLoginAllowed: { version: 1, schema: z.strictObject({ allowedAt: instant }) },
  /** The one identity at an OpenID issuer with which the user signs in. */
  UserOutsideLoginBound: {
    version: 1,
    schema: z.strictObject({
      issuer: z.string().min(1).max(500),
      subject: z.string().min(1).max(255),
      boundAt: instant,
    }),
  },
  UserOutsideLoginRemoved: { version: 1, schema: z.strictObject({ removedAt: instant }) },
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
  /** Generation 1 is the secret that the key was created with; the previous one remains valid until `graceUntil`. */
  ApiKeyRotated: {
    version: 1,
    schema: z.strictObject({ generation: z.int().min(2), graceUntil: instant, rotatedAt: instant }),
  },
  ApiKeyRevoked: {
    version: 1,
    schema: z.strictObject({ reason: z.string().max(500).nullable(), revokedAt: instant }),
  },
} as const;
