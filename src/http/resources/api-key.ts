import { SCOPES } from '../../events/tenancy.ts';
import type { ApiKeyDocument } from '../../projections/api-keys.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

const fields = {
  id: z.string(),
  key: z.string().openapi({ description: 'The public half, sent as `x-api-key`.' }),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  companies: z.array(z.string()).nullable().openapi({ description: 'Null: all companies of the tenant.' }),
  expiresAt: instant.nullable(),
  generation: z.int().min(1).openapi({ description: 'Of the newest secret; the one it was created with is 1.' }),
  graceUntil: instant
    .nullable()
    .openapi({ description: 'Until when the secret before the newest works; null for a key that was never rotated.' }),
  revokedAt: instant.nullable(),
  revokedReason: z.string().nullable(),
  lastUsedAt: instant.nullable().openapi({ description: 'To the minute; null for a key that was never used.' }),
  createdAt: instant,
  createdBy: z.string(),
  updatedAt: instant,
};

export const apiKeySchema = z.strictObject(fields).openapi('ApiKey');

export const apiKeyWithSecretSchema = z
  .strictObject({
    ...fields,
    secret: z.string().openapi({ description: 'Sent as `x-api-secret`. Shown here and never again.' }),
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
