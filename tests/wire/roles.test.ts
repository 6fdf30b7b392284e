import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';
import { withDatabase } from '../support/wire-database.ts';

const { EVENTSTORE_TEST_URL: log, MONGODB_TEST_URL: store } = process.env;
const children: ServiceChild[] = [];
const dataDir = mkdtempSync(join(tmpdir(), 'bank-roles-'));

afterAll(async () => {
  await Promise.all(children.map((child) => child.kill()));
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(role: string): Promise<ServiceChild> {
  const key = Buffer.alloc(32, 1).toString('base64');
  const child = await startServiceChild({
    DATA_DIR: dataDir,
    ROLE: role,
    EVENTSTORE_URL: log ?? '',
    MONGODB_URL: withDatabase(store ?? '', `bank_${process.env.WIRE}`),
    ENCRYPTION_KEY: key,
    TOKEN_KEY: key,
  });
  children.push(child);
  return child;
}

type Sync = { status: string; pages: number; counts: { fetched: number; inserted: number } };

/** These instances share the tenant of every installation, so this test can run only once per log. */
describe.skipIf(log === undefined || store === undefined)('an api and two workers', () => {
  it('run one sync together, and continue when a worker is killed', { timeout: 1_500_000 }, async () => {
    const workers = [await start('worker'), await start('worker')];
    const api = await start('api');
    const refused = await fetch(`${workers[0]?.url}/banks/accounts`);
    expect(refused.status).toBe(404);
    await eventually(async () => (await api.call('GET', '/banks/accounts')).status === 200);

    const once = { 'idempotency-key': randomUUID() };
    const opening = ['POST', '/banks/accounts', { bankCode: 'demo', title: 'Roles' }, once] as const;
    const { result: connection } = await api.call<{ id: string }>(...opening);
    const secondApi = await start('api');
    const repeated = await secondApi.call<{ id: string }>(...opening);
    expect([repeated.status, repeated.result.id]).toEqual([201, connection.id]);
    const path = `/banks/accounts/${connection.id}`;
    await api.call('PUT', `${path}/credentials`, { seed: randomUUID(), transactionsPerDay: 20 });
    const setup = await api.call('POST', `${path}/setup`, undefined, { prefer: 'wait=30' });
    expect(setup.status).toBe(200);
    const asked = await api.call('POST', `${path}/sync`);
    expect(asked.status).toBe(202);

    const newest = async (): Promise<Sync> => {
      const list = await api.call<{ items: Sync[] }>('GET', `${path}/syncs`);
      return list.result.items[0] ?? { status: 'unknown', pages: 0, counts: { fetched: 0, inserted: 0 } };
    };
    await eventually(async () => (await newest()).pages > 0);
    await workers[0]?.kill('SIGKILL');
    await eventually(async () => (await newest()).status === 'completed');
    const { counts } = await newest();
    expect(counts.fetched).toBeGreaterThan(1_500);
    expect(counts.inserted).toBe(counts.fetched);
    await eventually(async () => {
      const list = await api.call<{ items: unknown[] }>(
        'GET',
        `/banks/transactions?accountId=${connection.id}&automationStatus=pending&limit=1`,
      );
      return list.result.items.length === 0;
    });
  });
});

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it did not happen in time');
    await wait(50);
  }
}
