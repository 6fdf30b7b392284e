import type { Caller } from '../access/caller.ts';
import { ApiError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Operation } from './operation.ts';

/** Who is calling, known to have the right; null where anyone may. @throws ApiError */
export async function callerOf(operation: Operation, { house, context }: Exchange): Promise<Caller | null> {
  const { access } = operation;
  if (access === 'anyone') return null;
  const apiKey = context.req.header('x-api-key');
  const apiSecret = context.req.header('x-api-secret');
  if (!apiKey || !apiSecret) throw new ApiError('AUTHENTICATION_REQUIRED');
  const caller = await house.authenticate({ apiKey, apiSecret });
  if (caller === null) throw new ApiError('AUTHENTICATION_INVALID');
  if (!(caller.scopes as readonly string[]).includes(access)) {
    throw new ApiError('PERMISSION_DENIED', { required: access });
  }
  return caller;
}
