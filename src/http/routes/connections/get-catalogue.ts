import type { BankDescription } from '../../../providers/bank-provider.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';

const fieldSchema = z.strictObject({
  type: z.string(),
  description: z.string(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.int().optional(),
  writeOnly: z.boolean().optional(),
});

const credentialsSchema = z
  .strictObject({
    type: z.literal('object'),
    additionalProperties: z.literal(false),
    required: z.array(z.string()),
    properties: z.record(z.string(), fieldSchema),
  })
  .openapi('CredentialsSchema', { description: 'JSON Schema of the body of PUT credentials.' });

const bankSchema = z
  .strictObject({
    bankCode: z.string(),
    name: z.string(),
    country: z.string().nullable(),
    environments: z.array(z.enum(['demo', 'production'])),
    credentials: z.strictObject({ demo: credentialsSchema.optional(), production: credentialsSchema.optional() }),
    limits: z.strictObject({
      windowDays: z.int().nullable(),
      pageSize: z.int(),
      syncsPerDay: z.int().nullable(),
    }),
  })
  .openapi('Bank');

function bankResource(description: BankDescription): z.input<typeof bankSchema> {
  const { credentials, environments, limits, ...bank } = description;
  const modes = Object.entries(credentials).map(([environment, { jsonSchema }]) => [environment, jsonSchema]);
  return { ...bank, environments: [...environments], credentials: Object.fromEntries(modes), limits: { ...limits } };
}

export const getCatalogueOperation = operation({
  id: 'getCatalogue',
  method: 'get',
  path: '/banks/catalogue',
  tag: 'Connections',
  summary: 'The supported banks, the credentials they need and their limits',
  access: 'connections:read',
  result: listOf(bankSchema),
  handle: async ({ services }) => {
    const items = [...services.providers.values()].map((provider) => bankResource(provider.description));
    return { status: 200, result: { items, nextCursor: null } };
  },
});
