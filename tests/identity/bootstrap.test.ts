import { afterEach, beforeEach, expect, it } from 'vitest';
import { bootstrap } from '../../src/identity/bootstrap.ts';
import { openLoginNames } from '../../src/identity/login-names.ts';
import { openSecrets } from '../../src/identity/secrets.ts';
import type { EventLog } from '../../src/log/log.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { leaseNames } from '../../src/readstore/lease-names.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { newId } from '../../src/shared/ids.ts';
import { memoryLog } from '../support/small-reactor-services.ts';

const KEY = Buffer.alloc(32, 1);
const settings = {
  tenant: null,
  companyId: null,
  adminEmail: null,
  adminPassword: null,
  apiKey: null,
  apiSecret: null,
};

let log: EventLog;
let readStore: ReadStore;
beforeEach(() => {
  log = memoryLog();
  readStore = openEmbeddedReadStore({ file: ':memory:' });
});
afterEach(async () => {
  await readStore.close();
  await log.close();
});

/** With a clock that is so much later each time it is read. */
async function start(owner: string, stepMs: number) {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  const clock = {
    now: () => {
      nowMs += stepMs;
      return nowMs;
    },
  };
  const secrets = await openSecrets(readStore, KEY);
  const loginNames = await openLoginNames(readStore, KEY);
  return bootstrap({ log, readStore, secrets, loginNames, clock, newId, owner, settings });
}

it('makes the first tenant also after an instance that crashed while it held the lease', async () => {
  await readStore.leases.acquireMany([leaseNames.bootstrap], 'crashed', 30_000, Date.parse('2026-03-01T12:00:00Z'));
  expect(await start('restarted', 10_000)).toMatchObject({ admin: { email: 'admin@example.com' } });
});

it('makes one tenant where two instances start at once', async () => {
  const made = await Promise.all([start('one', 0), start('other', 0)]);
  expect(made.filter((each) => each !== null)).toHaveLength(1);
});
