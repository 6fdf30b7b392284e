import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bearer } from '../support/signed-in.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';
const LONG_AGO_S = 1_700_000_000;
const STATEMENT = ':20:R\n:25:DE89370400440532013000\n:28C:1\n:60F:C250301EUR1,\n:62F:C250301EUR1,\n-\n';

type Headers = Record<string, string | undefined>;

let dataDir: string;
let api: TestService;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-folders-'));
  api = await start();
});
afterEach(async () => {
  await api.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = () => startTestService({ dataDir, environment: { OPERATOR_TOKEN } });

async function neighbour(): Promise<Headers> {
  const body = { name: 'Neighbour', adminEmail: 'neighbour@example.com' };
  const added = await api.call<{ company: { id: string }; apiKey: { key: string; secret: string } }>(
    'POST',
    '/operator/tenants',
    body,
    bearer(OPERATOR_TOKEN),
  );
  const { company, apiKey } = added.body.result;
  return { 'x-api-key': apiKey.key, 'x-api-secret': apiKey.secret, 'x-company-id': company.id };
}

/** What the tenant is told of the folder, without what differs between any two requests. */
async function connect(folder: string, headers: Headers = {}): Promise<{ id: string; seen: unknown[] }> {
  const body = { bankCode: 'statement-files', title: 'Files', environment: 'production' };
  const { id } = (await api.call<{ id: string }>('POST', '/banks/accounts', body, headers)).body.result;
  const put = await api.call('PUT', `/banks/accounts/${id}/credentials`, { folder }, headers);
  const setup = await api.call<Record<string, unknown>>('POST', `/banks/accounts/${id}/setup`, undefined, {
    ...headers,
    prefer: 'wait=20',
  });
  const health = await api.call<{ syncHealth: Record<string, unknown> }>(
    'GET',
    `/banks/accounts/${id}/health`,
    undefined,
    { ...headers, 'x-min-log-position': await api.service.log.head() },
  );
  const dry = await api.call('POST', `/banks/accounts/${id}/dry-run`, undefined, headers);
  const { lastDurationMs: _, ...syncHealth } = health.body.result.syncHealth;
  const tried = [dry.status, dry.body.code];
  const seen = [put.status, setup.status, setup.body.result.subAccounts, syncHealth, tried];
  return { id, seen: JSON.parse(JSON.stringify(seen).replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '""')) };
}

describe('the folder of one tenant', () => {
  it('looks to another tenant like one that does not exist, also after a restart', async () => {
    for (const folder of ['acme', 'acme/eur']) {
      const path = join(api.statementsDir, folder);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'a.sta'), STATEMENT);
      utimesSync(join(path, 'a.sta'), LONG_AGO_S, LONG_AGO_S);
    }
    const { id } = await connect('acme/eur');
    const own = await api.call<{ subAccounts: unknown[] }>('GET', `/banks/accounts/${id}`);
    expect(own.body.result.subAccounts).toHaveLength(1);
    const theirs = await neighbour();
    const missing = await connect('missing', theirs);
    expect(missing.seen).toMatchObject([
      200,
      200,
      [],
      { lastErrorCode: 'STATEMENTS_FOLDER_UNAVAILABLE' },
      [422, 'STATEMENTS_FOLDER_UNAVAILABLE'],
    ]);
    for (const folder of ['acme/eur', 'acme']) {
      expect((await connect(folder, theirs)).seen).toEqual(missing.seen);
    }
    const dots = await api.call('PUT', `/banks/accounts/${missing.id}/credentials`, { folder: 'x/../acme' }, theirs);
    expect([dots.status, dots.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    await api.stop();
    api = await start();
    expect((await connect('acme', theirs)).seen).toEqual(missing.seen);
  });
});
