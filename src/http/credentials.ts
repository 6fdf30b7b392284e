import { hash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { Caller } from '../access/caller.ts';
import { ApiError } from './errors.ts';
import type { House } from './house.ts';
import type { Access, Operation } from './operation.ts';

const BEARER = /^Bearer ([\x21-\x7e]{1,8192})$/i;

const OPERATOR: Caller = {
  tenantId: '',
  actor: { type: 'operator', id: 'operator' },
  scopes: [],
  companies: [],
  role: null,
  sessionId: null,
};

/** Who is calling, known to have the right; null where anyone may. @throws ApiError */
export async function callerOf({ access }: Operation, house: House, context: Context): Promise<Caller | null> {
  if (access === 'anyone') return null;
  if (access === 'operator-token') return operator(house, context);
  const caller = await identified(access, house, context);
  refuseWithoutRight(access, caller);
  return caller;
}

function bearerOf(context: Context): string | null {
  return BEARER.exec(context.req.header('authorization') ?? '')?.[1] ?? null;
}

/** Keys open what scopes guard; what belongs to a person only a person's token opens. */
async function identified(access: Access, house: House, context: Context): Promise<Caller> {
  const apiKey = context.req.header('x-api-key');
  const apiSecret = context.req.header('x-api-secret');
  const keyed = apiKey !== undefined || apiSecret !== undefined;
  const personal = access === 'user' || access === 'admin';
  const token = bearerOf(context);
  if (keyed && !personal) {
    if (!apiKey || !apiSecret) throw new ApiError('AUTHENTICATION_REQUIRED');
    return valid(await house.authenticateKey({ apiKey, apiSecret }));
  }
  if (token === null) throw new ApiError('AUTHENTICATION_REQUIRED');
  return valid(await house.authenticateBearer(token));
}

function valid(caller: Caller | null): Caller {
  if (caller === null) throw new ApiError('AUTHENTICATION_INVALID');
  return caller;
}

function refuseWithoutRight(access: Access, { role, scopes }: Caller): void {
  if (access === 'caller' || access === 'user') return;
  const allowed = access === 'admin' ? role === 'admin' : (scopes as readonly string[]).includes(access);
  if (!allowed) throw new ApiError('PERMISSION_DENIED', { required: access });
}

function operator({ operatorTokenHash }: House, context: Context): Caller {
  if (operatorTokenHash === null) throw new ApiError('ROUTE_NOT_FOUND');
  refuseOtherToken(operatorTokenHash, context);
  return OPERATOR;
}

/** Passes whoever bears the token with this SHA-256; compared in constant time. @throws ApiError */
export function refuseOtherToken(tokenHash: Buffer, context: Context): void {
  const token = bearerOf(context);
  if (token === null) throw new ApiError('AUTHENTICATION_REQUIRED');
  if (!timingSafeEqual(hash('sha256', token, 'buffer'), tokenHash)) throw new ApiError('AUTHENTICATION_INVALID');
}
