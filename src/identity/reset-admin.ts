import { changeStanding, replacePassword } from '../commands/change-user.ts';
import { createApiKey } from '../commands/create-tenancy.ts';
import { loadUser } from '../commands/load-person.ts';
import { SCOPES } from '../events/tenancy.ts';
import type { EventLog } from '../log/log.ts';
import type { Clock } from '../shared/clock.ts';
import { isoTime } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import { newApiKey } from './api-keys.ts';
import { FIRST_TENANT_ID, firstUserId } from './bootstrap.ts';
import type { LoginNames } from './login-names.ts';
import { ownContext } from './own-context.ts';
import { newPassword } from './people.ts';
import type { Secrets } from './secrets.ts';
import { isThere } from './tenancies.ts';

/** Shown once. */
export type AdminReset = {
  readonly email: string;
  readonly password: string;
  readonly apiKey: { readonly key: string; readonly secret: string };
};

export type AdminResetRefused = {
  readonly refused: 'unknown-email' | 'several-tenants' | 'no-tenant' | 'no-admin' | 'email-taken';
};

/**
 * Gives an admin a new password, which ends every session, and the tenant a new API key with all scopes; other keys
 * stay. For whoever runs the installation and has lost both. A disabled admin is enabled again, and an email whose
 * claim was lost with the read store is claimed again.
 * @param whose email of the admin, null for the admin of the first start; the tenant where users of several have it
 */
export async function resetAdmin(
  services: {
    readonly log: EventLog;
    readonly secrets: Secrets;
    readonly loginNames: LoginNames;
    readonly clock: Clock;
    readonly newId: NewId;
  },
  whose: { readonly email: string | null; readonly tenantId: string | null },
): Promise<AdminReset | AdminResetRefused> {
  const { log, secrets, loginNames, clock, newId } = services;
  const first = { tenantId: FIRST_TENANT_ID, userId: firstUserId(FIRST_TENANT_ID) };
  const known = whose.email === null ? [first] : await loginNames.ownersOf(whose.email);
  const [owner, ...more] = known.filter((one) => whose.tenantId === null || one.tenantId === whose.tenantId);
  if (owner === undefined) return { refused: 'unknown-email' };
  if (more.length > 0) return { refused: 'several-tenants' };
  const { tenantId, userId } = owner;
  const { user, role } = await loadUser(log, tenantId, userId);
  if (user === null) return { refused: 'no-tenant' };
  if (role !== 'admin') return { refused: 'no-admin' };
  if (!(await loginNames.claim(user.email, owner, isThere(log)))) return { refused: 'email-taken' };
  const context = ownContext(services, tenantId, { type: 'system', id: 'admin-reset' });
  const password = newPassword();
  // The password first: with the event first, a crash in between would end the sessions and leave the old one valid.
  await secrets.keepPassword(userId, { password, salt: loginNames.saltOf(user.email) });
  await replacePassword(context, userId);
  await changeStanding(context, userId, { disabled: false }, () => false);
  const apiKeyId = newId();
  const apiKey = newApiKey();
  await secrets.keepApiSecret(apiKeyId, apiKey.secret);
  await createApiKey(context, {
    apiKeyId,
    key: apiKey.key,
    name: 'Key of an admin reset',
    scopes: [...SCOPES],
    companies: null,
    expiresAt: null,
    createdAt: isoTime(clock.now()),
  });
  return { email: user.email, password, apiKey };
}
