import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projections } from '../../src/projections/all.ts';
import { collectionName } from '../../src/projections/engine/runnable.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { READ_MODELS_FILE, STATE_FILE } from '../../src/readstore/embedded/two-files.ts';
import { overwriteStart } from '../support/damaged-files.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import { connectDemoBank, startTestService, syncAndWait, type TestService } from '../support/test-service.ts';

/** Which version of a read model is live, which has halted, and what it fills up to: recorded with the read models. */
const REBUILT = ['projection_versions', 'projection_halts', 'projection_fills'];

let dataDir: string;
let running: TestService[];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-files-'));
  running = [];
});
afterEach(async () => {
  for (const service of running) await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<TestService> {
  const service = await startTestService({ dataDir });
  running.push(service);
  return service;
}

async function stop(): Promise<void> {
  for (const service of running.splice(0)) await service.stop();
}

async function becomeWhole(api: TestService): Promise<void> {
  const { log, httpServices } = api.service;
  const names = projections.map(({ name }) => name);
  expect(await httpServices.waitFor(names, await log.head(), 25_000)).toBe(true);
}

function deleteReadModels(): void {
  for (const name of readdirSync(dataDir)) if (name.startsWith(READ_MODELS_FILE)) rmSync(join(dataDir, name));
}

function collectionsIn(file: string): string[] {
  const database = new DatabaseSync(join(dataDir, file), { readOnly: true });
  const tables = database.prepare('SELECT name FROM collections ORDER BY name').all();
  database.close();
  return tables.map(({ name }) => String(name));
}

describe('the file of the read models', () => {
  it('holds only what is rebuilt from the log', async () => {
    const api = await start();
    await syncAndWait(api, await connectDemoBank(api));
    await signIn(api);
    await stop();
    const rebuilt = [...projections.map(collectionName), ...REBUILT];
    expect(collectionsIn(READ_MODELS_FILE).filter((name) => !rebuilt.includes(name))).toEqual([]);
    expect(collectionsIn(STATE_FILE).filter((name) => rebuilt.includes(name))).toEqual([]);
    expect(collectionsIn(STATE_FILE)).toContain('secret_hashes');
  });

  it('can be deleted: the next start builds it again, and nothing else is lost', async () => {
    const first = await start();
    const id = await connectDemoBank(first);
    await syncAndWait(first, id);
    const repeated = { 'idempotency-key': 'once' };
    const opening = { bankCode: 'demo', title: 'Once' };
    const opened = await first.call<{ id: string }>('POST', '/banks/accounts', opening, repeated);
    const password = first.service.bootstrapped?.admin.password ?? '';
    await becomeWhole(first);
    const shown = async (api: TestService) => {
      const { body: list } = await api.call('GET', '/banks/transactions?limit=200');
      const { body: logs } = await api.call<{ items: { id: string }[] }>('GET', '/banks/audit/connector-logs');
      const { body: credentials } = await api.call('GET', `/banks/accounts/${id}`);
      return [list.result, logs.result.items.map((log) => log.id), credentials.result];
    };
    const before = await shown(first);
    await stop();
    deleteReadModels();
    const second = await start();
    await becomeWhole(second);
    expect(await shown(second)).toEqual(before);
    const again = await second.call<{ id: string }>('POST', '/banks/accounts', opening, repeated);
    expect([again.headers.get('idempotency-replayed'), again.body.result.id]).toEqual(['true', opened.body.result.id]);
    const login = await second.call('POST', '/auth/login', { email: 'admin@example.com', password });
    expect(login.status).toBe(200);
    // The bank is asked with the credentials that were stored before.
    expect((await syncAndWait(second, id)).status).toBe('completed');
  });

  it('shows in the readiness that it is damaged, and what to do', async () => {
    const first = await start();
    await syncAndWait(first, await connectDemoBank(first));
    await becomeWhole(first);
    await stop();
    const database = new DatabaseSync(join(dataDir, READ_MODELS_FILE));
    database.exec(`UPDATE "docs:${collectionName(transactions)}" SET doc = substr(doc, 2)`);
    database.close();
    const api = await start();
    expect((await api.call('GET', '/banks/transactions')).body.code).toBe('DEPENDENCY_UNAVAILABLE');
    type Parts = { meta: { parts: { name: string; state: string; error?: string }[] } };
    const readiness = await fetch(`${api.service.url}/health/ready`);
    expect(readiness.status).toBe(503);
    const part = ((await readiness.json()) as Parts).meta.parts.find(({ state }) => state === 'damaged');
    expect(part).toMatchObject({ name: 'read store', error: expect.stringContaining('delete the file') });
    await stop();
    deleteReadModels();
    const healed = await start();
    await becomeWhole(healed);
    expect((await healed.call<{ items: unknown[] }>('GET', '/banks/transactions')).body.result.items).not.toEqual([]);
  });

  it.each([READ_MODELS_FILE, STATE_FILE])('ends the start with a sentence when %s is no database', async (file) => {
    await start();
    await stop();
    overwriteStart(join(dataDir, file));
    await expect(start()).rejects.toThrow(`${file} is damaged: stop the service`);
  });
});

describe('the file of the state', () => {
  it('is created empty where it was lost, with a warning, and a new admin password opens the installation', async () => {
    const first = await start();
    const { accessToken } = await signIn(first);
    expect((await first.call('GET', '/auth/me', undefined, bearer(accessToken))).status).toBe(200);
    await stop();
    for (const name of readdirSync(dataDir)) if (name.startsWith(STATE_FILE)) rmSync(join(dataDir, name));
    const second = await start();
    expect(second.logLines.filter((line) => line.includes(STATE_FILE)).map((line) => JSON.parse(line).level)).toEqual([
      40,
    ]);
    await stop();
  });
});
