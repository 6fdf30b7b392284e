import { SCOPES } from '../../events/tenancy.ts';
import type { ApiKeyDocument } from '../../projections/api-keys.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

export const scopeSchema = z.enum(SCOPES).openapi('Scope', { description: 'What a key may do.' });

const fields = {
  id: z.string(),
  key: z.string().openapi({ description: 'The public part, sent as `x-api-key`.' }),
  name: z.string(),
  scopes: z.array(scopeSchema),
  companies: z.array(z.string()).nullable().openapi({ description: 'Null means all companies of the tenant.' }),
  expiresAt: instant.nullable(),
  generation: z
    .int()
    .min(1)
    .openapi({ description: 'Generation of the newest secret; the first secret is generation 1.' }),
  graceUntil: instant
    .nullable()
    .openapi({ description: 'When the previous secret stops working; null if the key was never rotated.' }),
  revokedAt: instant.nullable(),
  revokedReason: z.string().nullable(),
  lastUsedAt: instant.nullable().openapi({ description: 'Accurate to the minute; null if the key was never used.' }),
  createdAt: instant,
  createdBy: z.string(),
  updatedAt: instant,
};

export const apiKeySchema = z.strictObject(fields).openapi('ApiKey');

export const apiKeyWithSecretSchema = z
  .strictObject({
    ...fields,
    secret: z.string().openapi({ description: 'Sent as `x-api-secret`. Shown only in this answer.' }),
  })
  .openapi('ApiKeyWithSecret');

export function apiKeyResource(apiKey: ApiKeyDocument, lastUsedAt: string | null): z.input<typeof apiKeySchema> {
  const { id, key, name, scopes, companies, expiresAt, generation, previousUntil } = apiKey;
  const { revokedAt, revokedReason, createdAt, createdBy, updatedAt } = apiKey;
  return {
    id,
    key,
    name,
    scopes: [...scopes],
    companies: companies === null ? null : [...companies],
    expiresAt,
    generation,
    graceUntil: previousUntil,
    revokedAt,
    revokedReason,
    lastUsedAt,
    createdAt,
    createdBy,
    updatedAt,
  };
}
