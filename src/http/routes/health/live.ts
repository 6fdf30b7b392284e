import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';

export const liveOperation = operation({
  id: 'getLiveness',
  method: 'get',
  path: '/health/live',
  tag: 'Health',
  summary: 'Whether the process responds',
  access: 'anyone',
  result: z.strictObject({ state: z.literal('live') }),
  handle: async () => ({ status: 200, result: { state: 'live' as const } }),
});
