import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grantFolder } from '../../src/providers/statement-files/folder-grant.ts';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { bearer } from '../support/signed-in.ts';
import { COMPANY, startTestService, type TestService } from '../support/test-service.ts';

const BANK = join(import.meta.dirname, '../../cli/bank.ts');
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
  const body = { name: 'Neighbour', adminEmail: `${randomUUID()}@example.com` };
  const added = await api.call<{
    tenant: { id: string };
    company: { id: string };
    apiKey: { key: string; secret: string };
  }>('POST', '/operator/tenants', body, bearer(OPERATOR_TOKEN));
  const { tenant, company, apiKey } = added.body.result;
  await api.service.httpServices.waitFor(['tenants'], added.headers.get('x-log-position') ?? '', 100_000);
  return {
    tenant: tenant.id,
    'x-api-key': apiKey.key,
    'x-api-secret': apiKey.secret,
    'x-company-id': company.id,
  };
}

/** What the tenant learns about the folder, without what differs between any two requests. */
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
  const seen = [put.status, put.body.code, setup.status, setup.body.result, syncHealth, tried];
  return { id, seen: JSON.parse(JSON.stringify(seen).replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '""')) };
}

describe('the folder of one tenant', () => {
  it('appears to another tenant as if it did not exist, also after a restart', async () => {
    for (const folder of ['acme', 'acme/eur']) {
      const path = join(api.statementsDir, folder);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'a.sta'), STATEMENT);
      utimesSync(join(path, 'a.sta'), LONG_AGO_S, LONG_AGO_S);
    }
    // On outside servers the installation has the tenants of other tests too.
    if (process.env.WIRE !== undefined) {
      grantFolder(api.statementsDir, 'acme', { tenantId: api.tenantId, companyId: COMPANY });
    }
    const { id } = await connect('acme/eur');
    const own = await api.call<{ subAccounts: unknown[] }>('GET', `/banks/accounts/${id}`);
    expect(own.body.result.subAccounts).toHaveLength(1);
    const theirs = await neighbour();
    const missing = await connect('missing', theirs);
    expect(missing.seen.slice(0, 2)).toEqual([422, 'STATEMENT_FOLDER_NOT_GRANTED']);
    for (const folder of ['acme/eur', 'acme']) {
      expect((await connect(folder, theirs)).seen).toEqual(missing.seen);
    }
    const dots = await api.call('PUT', `/banks/accounts/${missing.id}/credentials`, { folder: 'x/../acme' }, theirs);
    expect([dots.status, dots.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    await api.stop();
    api = await start();
    expect((await connect('acme', theirs)).seen).toEqual(missing.seen);
  });

  it('opens for the company it is granted to, once there are several tenants', async () => {
    const theirs = await neighbour();
    const { tenant } = theirs;
    for (const folder of ['granted', 'not-granted']) {
      mkdirSync(join(api.statementsDir, folder), { recursive: true });
      writeFileSync(join(api.statementsDir, folder, 'a.sta'), STATEMENT);
      utimesSync(join(api.statementsDir, folder, 'a.sta'), LONG_AGO_S, LONG_AGO_S);
    }
    const grant = ['folders', 'grant', 'granted', '--tenant', tenant ?? '', '--company', theirs['x-company-id'] ?? ''];
    const env = { ...CHILD_ENVIRONMENT, STATEMENTS_DIR: api.statementsDir };
    const { status, stdout } = spawnSync(process.execPath, [BANK, ...grant], { env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('is granted to company')]);
    const { tenant: _, ...headers } = theirs;
    const connected = await connect('granted', headers);
    expect(connected.seen[0]).toBe(200);
    const { body } = await api.call<{ subAccounts: unknown[] }>(
      'GET',
      `/banks/accounts/${connected.id}`,
      undefined,
      headers,
    );
    expect(body.result.subAccounts).toHaveLength(1);
    expect((await connect('not-granted')).seen.slice(0, 2)).toEqual([422, 'STATEMENT_FOLDER_NOT_GRANTED']);
    expect((await connect('granted')).seen.slice(0, 2)).toEqual([422, 'STATEMENT_FOLDER_NOT_GRANTED']);
  });
});
