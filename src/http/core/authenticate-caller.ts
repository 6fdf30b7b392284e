import { hash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { Caller, Purpose } from '../../identity/caller.ts';
import { apiKeys } from '../../projections/api-keys.ts';
import { clientAddress } from './client-address.ts';
import { countedAttempt } from './counted-attempt.ts';
import { ApiError } from './errors.ts';
import type { HttpServices } from './http-services.ts';
import { type Access, type Operation, onlyReads } from './operation.ts';
import { refusePartial } from './wait-until-reached.ts';

const LONGEST_TENANT = 255;
const BEARER = /^Bearer ([\x21-\x7e]{1,8192})$/i;

const OPERATOR: Caller = {
  tenantId: '',
  actor: { type: 'operator', id: 'operator' },
  scopes: [],
  companies: [],
  role: null,
  sessionId: null,
};

/** The caller; null where anyone may call. Rights are checked elsewhere. @throws ApiError */
export async function authenticateCaller(
  operation: Operation,
  services: HttpServices,
  context: Context,
): Promise<Caller | null> {
  const { access } = operation;
  if (access === 'anyone') return null;
  if (access === 'operator-token') return operator(services, context);
  return authenticateCredentials(access, onlyReads(operation) ? 'read' : 'write', services, context);
}

function bearerOf(context: Context): string | null {
  return BEARER.exec(context.req.header('authorization') ?? '')?.[1] ?? null;
}

/** Keys may call operations guarded by scopes; operations of a person accept only a person's token. */
async function authenticateCredentials(
  access: Access,
  purpose: Purpose,
  services: HttpServices,
  context: Context,
): Promise<Caller> {
  const apiKey = context.req.header('x-api-key');
  const apiSecret = context.req.header('x-api-secret');
  const keyed = apiKey !== undefined || apiSecret !== undefined;
  const personal = access === 'user' || access === 'admin';
  const token = bearerOf(context);
  if (keyed && !personal) {
    if (!apiKey || !apiSecret) throw new ApiError('AUTHENTICATION_REQUIRED');
    return authenticate(services, context, ['key', apiKey, apiSecret], async () => {
      const caller = await services.authenticateKey({ apiKey, apiSecret }, purpose);
      // A key that is not found may be one that is not there yet.
      if (caller === null) await refusePartial(services, [apiKeys.name]);
      return caller;
    });
  }
  if (token === null) throw new ApiError('AUTHENTICATION_REQUIRED');
  const tenantId = context.req.header('x-tenant-id')?.slice(0, LONGEST_TENANT) || null;
  return authenticate(services, context, ['bearer', token], () =>
    services.authenticateBearer(token, tenantId, purpose),
  );
}

/** The caller that the credentials belong to. @throws ApiError AUTHENTICATION_INVALID, RATE_LIMITED */
function authenticate(
  services: HttpServices,
  context: Context,
  credentials: readonly string[],
  authenticate: () => Promise<Caller | null>,
): Promise<Caller> {
  return countedAttempt(services, clientAddress(context, services.trustedProxies), credentials, async () => {
    const caller = await authenticate();
    if (caller === null) throw new ApiError('AUTHENTICATION_INVALID');
    return caller;
  });
}

/** @throws ApiError PERMISSION_DENIED */
export function refuseWithoutRight({ access, alsoNeeds }: Operation, { role, scopes }: Caller): void {
  if (access === 'caller' || access === 'user' || access === 'operator-token') return;
  const allowed = access === 'admin' ? role === 'admin' : (scopes as readonly string[]).includes(access);
  if (!allowed) throw new ApiError('PERMISSION_DENIED', { required: access });
  if (alsoNeeds !== null && !scopes.includes(alsoNeeds)) {
    throw new ApiError('PERMISSION_DENIED', { required: alsoNeeds });
  }
}

async function operator(services: HttpServices, context: Context): Promise<Caller> {
  const { operatorTokenHash } = services;
  if (operatorTokenHash === null) throw new ApiError('ROUTE_NOT_FOUND');
  const token = bearerOf(context);
  if (token === null) throw new ApiError('AUTHENTICATION_REQUIRED');
  return authenticate(services, context, ['operator', token], async () =>
    hasHash(token, operatorTokenHash) ? OPERATOR : null,
  );
}

function hasHash(token: string, tokenHash: Buffer): boolean {
  return timingSafeEqual(hash('sha256', token, 'buffer'), tokenHash);
}

/** Accepts the bearer of the token with this SHA-256; compared in constant time. @throws ApiError */
export function refuseOtherToken(tokenHash: Buffer, context: Context): void {
  const token = bearerOf(context);
  if (token === null) throw new ApiError('AUTHENTICATION_REQUIRED');
  if (!hasHash(token, tokenHash)) throw new ApiError('AUTHENTICATION_INVALID');
}
