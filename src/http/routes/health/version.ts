import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';

export const versionOperation = operation({
  id: 'getVersion',
  method: 'get',
  path: '/version',
  tag: 'Health',
  summary: 'The version of the service and of its contract',
  access: 'anyone',
  result: z.strictObject({ service: z.string(), contract: z.string(), commit: z.string().nullable() }),
  handle: async ({ services }) => ({ status: 200, result: services.version }),
});
