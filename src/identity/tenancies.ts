import type { CommandContext } from '../commands/command.ts';
import { createApiKey, createCompany, createTenant, createUser } from '../commands/create-tenancy.ts';
import { loadApiKey } from '../commands/load-api-key.ts';
import { loadUser } from '../commands/load-person.ts';
import { SCOPES } from '../events/tenancy.ts';
import type { EventLog } from '../log/log.ts';
import { isoTime } from '../shared/clock.ts';
import { newApiKey } from './api-keys.ts';
import type { LoginNames, LoginOwner } from './login-names.ts';
import { newPassword } from './people.ts';
import type { Secrets } from './secrets.ts';

/** Shown once, to the creator. */
export type Tenancy = {
  readonly tenantId: string;
  readonly companyId: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly apiKey: { readonly key: string; readonly secret: string };
  /** Of the last event, so that the caller can wait for the read models. */
  readonly position: string;
};

export type TenancyRequest = {
  readonly name: string;
  readonly companyId: string;
  readonly userId: string;
  readonly apiKeyId: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly apiKey: { readonly key: string; readonly secret: string };
};

type Desk = { readonly secrets: Secrets; readonly loginNames: LoginNames };

export function isThere(log: EventLog): (owner: LoginOwner) => Promise<boolean> {
  return async ({ tenantId, userId }) => (await loadUser(log, tenantId, userId)).user !== null;
}

/**
 * The context's tenant with one company, its admin and one API key. Repeated with the same ids after a crash, it
 * completes what is missing: password and secret are then the later ones, the key is the one in the log. Until the last
 * step nobody has received credentials. @throws ConcurrencyError
 */
export async function makeTenancy(
  { secrets, loginNames }: Desk,
  context: CommandContext,
  request: TenancyRequest,
): Promise<Tenancy> {
  const { log, clock, tenantId } = context;
  const { name, companyId, userId, apiKeyId, admin, apiKey } = request;
  const { email, password } = admin;
  const createdAt = isoTime(clock.now());
  // The claim first: without an admin there is no tenant.
  if (!(await loginNames.claim(email, { tenantId, userId }, isThere(log)))) {
    throw new Error(`the admin of ${tenantId} already has another id`);
  }
  await createTenant(context, { name, createdAt });
  await createCompany(context, { companyId, name, automation: true, createdAt });
  await secrets.keepPassword(userId, { password, salt: loginNames.saltOf(email) });
  await createUser(context, { userId, email, role: 'admin', createdAt });
  await secrets.keepApiSecret(apiKeyId, apiKey.secret);
  const position = await createApiKey(context, {
    apiKeyId,
    key: apiKey.key,
    name: 'First key',
    scopes: [...SCOPES],
    companies: null,
    expiresAt: null,
    createdAt,
  });
  const { created } = await loadApiKey(log, tenantId, apiKeyId, clock.now());
  const key = created?.key ?? apiKey.key;
  return { tenantId, companyId, admin, apiKey: { key, secret: apiKey.secret }, position };
}

export type Tenancies = {
  /** @throws ConcurrencyError */
  readonly add: (context: CommandContext, request: { name: string; adminEmail: string }) => Promise<Tenancy>;
};

export function createTenancies(desk: Desk): Tenancies {
  return {
    add(context, { name, adminEmail: email }) {
      const { newId } = context;
      const tenantId = newId();
      const ids = { companyId: newId(), userId: newId(), apiKeyId: newId() };
      const admin = { email, password: newPassword() };
      return makeTenancy(desk, { ...context, tenantId, companyId: null }, { name, ...ids, admin, apiKey: newApiKey() });
    },
  };
}
