import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../src/config.ts';
import { openLoginNames } from '../src/identity/login-names.ts';
import { ownKey } from '../src/identity/own-keys.ts';
import { type AdminResetRefused, resetAdmin } from '../src/identity/reset-admin.ts';
import { openSecrets } from '../src/identity/secrets.ts';
import { LogUnavailable } from '../src/log/log.ts';
import { ReadStoreUnavailable } from '../src/readstore/read-store.ts';
import { systemClock } from '../src/shared/clock.ts';
import { newId } from '../src/shared/ids.ts';
import { openLog, openReadStore } from '../src/wiring/stores.ts';
import { readConfiguration } from './configuration.ts';
import { refuse, say } from './say.ts';

const REFUSALS: Readonly<Record<AdminResetRefused['refused'], string>> = {
  'unknown-email': 'no user has this email',
  'several-tenants': 'users of several tenants have this email: name one with --tenant',
  'no-tenant': 'there is no first tenant yet: the first start of the service creates it',
  'no-admin': 'this user is no admin',
  'email-taken': 'the email of this admin belongs to another user now',
};

type AdminNamed = { readonly email?: string | null; readonly tenant?: string | null };

/** Exit code 0: done; 1: refused, or a store is not available; 78: the configuration is wrong. */
export async function resetAdminAccess({ email = null, tenant = null }: AdminNamed): Promise<void> {
  const config = readConfiguration();
  if (config === null) return;
  const file = join(config.dataDir, 'log.sqlite');
  // Opening would create an empty log, and a first tenant in the wrong place.
  if (config.eventStoreUrl === null && !existsSync(file)) return refuse(`${file} does not exist`);
  try {
    await reset(config, { email, tenantId: tenant });
  } catch (error) {
    if (error instanceof LogUnavailable)
      return refuse(`the log cannot be opened; is the service running? ${error.message}`);
    if (error instanceof ReadStoreUnavailable) return refuse(error.message);
    throw error;
  }
}

async function reset(config: Config, whose: { email: string | null; tenantId: string | null }): Promise<void> {
  const log = await openLog(config);
  try {
    const readStore = await openReadStore(config);
    try {
      const tokenKey = config.tokenKey ?? ownKey(config.dataDir, 'token');
      const secrets = await openSecrets(readStore, tokenKey);
      const loginNames = await openLoginNames(readStore, tokenKey);
      const done = await resetAdmin({ log, secrets, loginNames, clock: systemClock, newId }, whose);
      if ('refused' in done) return refuse(REFUSALS[done.refused]);
      say('Keep these values; they are shown only once:');
      say(`  admin       ${done.email}`);
      say(`  password    ${done.password}`);
      say(`  x-api-key     ${done.apiKey.key}`);
      say(`  x-api-secret  ${done.apiKey.secret}`);
      say('Every session of this admin has ended. Other API keys are unchanged.');
    } finally {
      await readStore.close();
    }
  } finally {
    await log.close();
  }
}
