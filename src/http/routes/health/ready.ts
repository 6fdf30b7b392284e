import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';

const partSchema = z
  .strictObject({
    name: z.string(),
    state: z.string(),
    ok: z.boolean(),
    lagEvents: z.int().optional(),
    lagEstimated: z
      .boolean()
      .optional()
      .openapi({ description: 'True where `lagEvents` was estimated, since the event store cannot count so many.' }),
    lagMs: z.int().optional(),
    error: z.string().optional(),
  })
  .openapi('PartHealth');

export const readyOperation = operation({
  id: 'getReadiness',
  method: 'get',
  path: '/health/ready',
  tag: 'Health',
  summary: 'Whether the event store, the read store, each projection and the workers are working',
  description: 'A 503 names in `meta.parts` what is down, halted or too far behind.',
  access: 'anyone',
  result: z.strictObject({ state: z.literal('ready'), parts: z.array(partSchema) }),
  errors: ['NOT_READY'],
  handle: async ({ services }) => {
    const parts = await services.health();
    if (parts.some((part) => !part.ok)) throw new ApiError('NOT_READY', { parts });
    return { status: 200, result: { state: 'ready' as const, parts: [...parts] } };
  },
});
