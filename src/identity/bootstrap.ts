import { setTimeout as pause } from 'node:timers/promises';
import { loadUser } from '../commands/load-person.ts';
import type { EventData } from '../events/registry.ts';
import type { EventLog } from '../log/log.ts';
import { parseStreamName, streamName } from '../log/streams.ts';
import { leaseNames } from '../readstore/lease-names.ts';
import type { ReadStore } from '../readstore/read-store.ts';
import type { Clock } from '../shared/clock.ts';
import { computedId, type NewId } from '../shared/ids.ts';
import { newApiKey } from './api-keys.ts';
import type { LoginNames } from './login-names.ts';
import { ownContext } from './own-context.ts';
import { newPassword } from './people.ts';
import type { Secrets } from './secrets.ts';
import { isThere, makeTenancy, type Tenancy } from './tenancies.ts';

/** What a first start generates, or takes from the BOOTSTRAP_ variables. */
export type BootstrapSettings = {
  readonly tenant: string | null;
  readonly companyId: string | null;
  readonly adminEmail: string | null;
  readonly adminPassword: string | null;
  readonly apiKey: string | null;
  readonly apiSecret: string | null;
};

/** Shown once, by the start that created it. */
export type BootstrapResult = Tenancy;

/**
 * The tenant of the first start has the same id in every installation, so that instances that start together create the
 * same one.
 */
export const FIRST_TENANT_ID = computedId('first tenant');
const LEASE_MS = 30_000;
const LOOK_AGAIN_MS = 250;

type Options = {
  readonly log: EventLog;
  readonly readStore: ReadStore;
  readonly secrets: Secrets;
  readonly loginNames: LoginNames;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly owner: string;
  readonly settings: BootstrapSettings;
  /** Unset: the fixed id. Tests that share a log use their own. */
  readonly tenantId?: string;
};

/**
 * Makes one tenant, one company, its admin and one API key in an installation that has none; null in every later start.
 * An instance that finds another one at it waits until that one is done, or continues the work once its lease has
 * expired: it may have crashed. The API key comes last: until it exists, the next start continues the work.
 */
export async function bootstrap(options: Options): Promise<BootstrapResult | null> {
  const { readStore, clock, owner, tenantId = FIRST_TENANT_ID } = options;
  const firstKey = streamName('apiKey', tenantId, firstKeyId(tenantId));
  while (!(await isMade(options, firstKey))) {
    const [lease] = await readStore.leases.acquireMany([leaseNames.bootstrap], owner, LEASE_MS, clock.now());
    if (lease === undefined) {
      await pause(LOOK_AGAIN_MS);
      continue;
    }
    try {
      if (await isMade(options, firstKey)) return null;
      return await makeFirstTenant(options, tenantId);
    } finally {
      await readStore.leases.releaseMany([leaseNames.bootstrap], owner);
    }
  }
  return null;
}

/**
 * True when the first key is in the log. Where the hash of its secret was lost with the read store, and the
 * configuration names the same key, the configured secret is stored again: losing the read store locks nobody out. The
 * same holds for the first admin's email and password.
 */
async function isMade(options: Options, firstKey: string): Promise<boolean> {
  const { log, secrets, settings } = options;
  const [created] = await log.readStream(firstKey, { limit: 1 });
  if (created === undefined) return false;
  const { apiKeyId, key } = created.data as EventData<'ApiKeyCreated'>;
  if (settings.apiSecret !== null && settings.apiKey === key && !(await secrets.knows(apiKeyId))) {
    await secrets.keepApiSecret(apiKeyId, settings.apiSecret);
  }
  await takeFirstAdminAgain(options, parseStreamName(firstKey).tenantId);
  return true;
}

async function takeFirstAdminAgain({ log, secrets, loginNames, settings }: Options, tenantId: string): Promise<void> {
  const userId = firstUserId(tenantId);
  const { user } = await loadUser(log, tenantId, userId);
  if (user === null || !(await loginNames.claim(user.email, { tenantId, userId }, isThere(log)))) return;
  const { adminEmail, adminPassword } = settings;
  if (adminPassword !== null && adminEmail === user.email && !(await secrets.knows(userId))) {
    await secrets.keepPassword(userId, { password: adminPassword, salt: loginNames.saltOf(user.email) });
  }
}

function firstKeyId(tenantId: string): string {
  return computedId('first api key', tenantId);
}

export function firstUserId(tenantId: string): string {
  return computedId('first user', tenantId);
}

async function makeFirstTenant(options: Options, tenantId: string): Promise<BootstrapResult> {
  const { settings } = options;
  const context = ownContext(options, tenantId, { type: 'system', id: 'bootstrap' });
  const { key, secret } = newApiKey();
  return makeTenancy(options, context, {
    name: settings.tenant ?? 'First tenant',
    companyId: settings.companyId ?? computedId('first company', tenantId),
    userId: firstUserId(tenantId),
    apiKeyId: firstKeyId(tenantId),
    admin: { email: settings.adminEmail ?? 'admin@example.com', password: settings.adminPassword ?? newPassword() },
    apiKey: { key: settings.apiKey ?? key, secret: settings.apiSecret ?? secret },
  });
}
