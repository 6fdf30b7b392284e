import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, createCompany } from '../../src/commands/create-tenancy.ts';
import { SCOPES } from '../../src/events/tenancy.ts';
import { LOG_START } from '../../src/log/log.ts';
import { CONNECTOR_LOGS, type ConnectorLog } from '../../src/providers/connector-logs.ts';
import { ReadStoreUnavailable } from '../../src/readstore/read-store.ts';
import { createEchoingBank, type Failing, MARK, planted } from '../support/echoing-bank.ts';
import { encodings } from '../support/encodings.ts';
import {
  COMPANY,
  connectDemoBank,
  eventually,
  startTestService,
  syncAndWait,
  type TestService,
  workEnded,
} from '../support/test-service.ts';

type Body = { size: number; sha256: string; truncated: boolean; text?: string | null };
type Message = { headers: Record<string, string>; body: Body | null };
type Log = {
  id: string;
  accountId: string;
  syncId: string | null;
  setupId: string | null;
  operation: string;
  page: number | null;
  attempt: number;
  outcome: string;
  at: string;
  error: { code: string; message: string } | null;
  method: string;
  url: string;
  status: number | null;
  request: Message | null;
  response: Message | null;
  correlationId: string;
};
type List = { items: Log[]; nextCursor: string | null };
type Health = { syncHealth: { status: string; lastErrorMessage?: string }; nextAllowedAt: string | null };

const DAY_MS = 86_400_000;
const START = Date.parse('2026-03-10T12:00:00.000Z');
const echo = createEchoingBank();
let nowMs = START;
let api: TestService;
let echoing: string;

const PATH = '/banks/audit/connector-logs';
const list = async (query: string, headers = {}): Promise<Log[]> =>
  (await api.call<List>('GET', `${PATH}?limit=200${query}`, undefined, headers)).body.result.items;
const one = async (id: string): Promise<Log> => (await api.call<Log>('GET', `${PATH}/${id}`)).body.result;
const healthOf = async (id: string): Promise<Health> =>
  (await api.call<Health>('GET', `/banks/accounts/${id}/health`)).body.result;

async function ending(failing: Failing) {
  echo.failing = failing;
  nowMs += 120_000;
  return syncAndWait(api, echoing);
}

beforeAll(async () => {
  api = await startTestService({ clock: { now: () => nowMs }, banks: [echo], timing: { idleMs: 20 } });
  const opened = await api.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'echo', title: 'Echo' });
  echoing = opened.body.result.id;
  expect((await api.call('PUT', `/banks/accounts/${echoing}/credentials`, planted)).status).toBe(200);
  expect((await workEnded(api, echoing, 'setup')).status).toBe('completed');
});
afterAll(() => api.stop());

/** The mark as every encoding has it, and once more as it stands in a JSON text that was put into a file. */
function needles(): string[] {
  const written = Object.values(encodings).map((encode) => encode(MARK).replace(/=+$/, '').slice(0, -1));
  return [...new Set(written.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))];
}

function found(where: string, text: string): string[] {
  return needles()
    .filter((needle) => text.includes(needle))
    .map((needle) => `${where}: ${needle}`);
}

async function everyEvent(): Promise<string> {
  const events: unknown[] = [];
  for (let after = LOG_START; ; ) {
    const batch = await api.service.log.readAll({ after, limit: 1_000 });
    events.push(...batch.events);
    if (batch.caughtUp) return JSON.stringify(events);
    after = batch.position;
  }
}

describe('a bank that echoes its credentials', () => {
  it('leaves none of them in any record, however it encodes them and however its syncs end', async () => {
    const ends: [Failing, object][] = [
      ['fault', { status: 'failed', error: { code: 'ECHO' } }],
      ['unforeseen', { status: 'failed', error: { code: 'PROVIDER_FAULT' } }],
      ['transient', { status: 'failed', error: { code: 'PROVIDER_ECHO' } }],
      ['credentials-rejected', { status: 'failed', error: { code: 'PROVIDER_ECHO' } }],
      ['silent', { status: 'failed', error: { code: 'PROVIDER_SILENT' } }],
      ['rate-limited', { status: 'failed', error: { code: 'PROVIDER_ECHO' } }],
      ['not', { status: 'completed', counts: { fetched: echo.pages } }],
    ];
    for (const [failing, end] of ends) expect(await ending(failing)).toMatchObject(end);
    const records = await Promise.all((await list(`&accountId=${echoing}`)).map(({ id }) => one(id)));
    expect(records.length).toBeGreaterThan(2 * echo.pages);
    const answers = [
      `/banks/accounts/${echoing}`,
      `/banks/accounts/${echoing}/health`,
      `/banks/accounts/${echoing}/syncs`,
    ];
    const leaks = found('records', JSON.stringify(records));
    for (const path of answers) leaks.push(...found(path, JSON.stringify((await api.call('GET', path)).body)));
    leaks.push(...found('events', await everyEvent()), ...found('log lines', api.logLines.join('\n')));
    for (const name of readdirSync(api.dataDir, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue;
      leaks.push(...found(name.name, readFileSync(join(name.parentPath, name.name)).toString('latin1')));
    }
    expect(leaks).toEqual([]);
    expect(JSON.stringify(records)).toContain('[masked]');
  });

  it('is recorded with each outcome, an unforeseen failure with its masked message', async () => {
    for (const outcome of ['success', 'transient', 'rate_limited', 'credentials_rejected', 'permanent']) {
      expect(await list(`&accountId=${echoing}&outcome=${outcome}`), outcome).not.toEqual([]);
    }
    const unforeseen = (await list('&outcome=permanent')).find((record) => record.error?.code === 'PROVIDER_FAULT');
    expect(unforeseen?.error?.message).toContain('the bank said [masked]');
    const attempts = (await list('&outcome=transient')).map(({ attempt, page }) => [attempt, page]);
    expect(attempts).toEqual([4, 3, 2, 1].map((attempt) => [attempt, 1]));
  });

  it('is recorded even when its connector reports nothing', async () => {
    const silent = (await list('&outcome=permanent')).find((record) => record.error?.code === 'PROVIDER_SILENT');
    expect(silent).toMatchObject({ operation: 'page', page: 1, method: null, url: null, request: null });
  });

  it('has used up its syncs of the day, as its health and usage show', async () => {
    expect(await ending('not')).toMatchObject({ status: 'completed' });
    expect(await healthOf(echoing)).toMatchObject({
      syncHealth: { status: 'healthy' },
      nextAllowedAt: '2026-03-11T00:00:00.000Z',
    });
    const usage = await api.call<{ items: object[] }>('GET', `/banks/accounts/${echoing}/usage`);
    // One setup and eight syncs; of the failed ones the transient asked four times.
    const requests = 1 + 3 * (1 + echo.pages) + 4 * 2 + 2 * 4;
    expect(usage.body.result.items).toEqual([
      expect.objectContaining({ day: '2026-03-10', syncs: 8, requests, errors: 9, quotaLeft: 0 }),
    ]);
    expect(await list(`&accountId=${echoing}`)).toHaveLength(requests);
  });
});

describe('the connector log', () => {
  it('holds a demo bank’s requests as they would go over the wire, without its seed', async () => {
    const id = await connectDemoBank(api, { seed: 'a seed of our own', transactionsPerDay: 12 });
    nowMs += 1_000;
    const sync = await syncAndWait(api, id, { from: '2026-01-01', to: '2026-01-05' });
    const all = await list(`&syncId=${sync.id}`);
    expect(all.map(({ operation, page }) => [operation, page])).toEqual([
      ...Array.from({ length: all.length - 1 }, (_, index) => ['page', all.length - 1 - index]),
      ['accounts', null],
    ]);
    expect(
      all.every(({ request, response }) => request?.body?.text === undefined && response?.body?.text === undefined),
    ).toBe(true);
    const page = await one(all.at(-2)?.id ?? '');
    expect(page).toMatchObject({
      accountId: id,
      setupId: null,
      attempt: 1,
      outcome: 'success',
      status: 200,
      error: null,
    });
    expect(page.url).toMatch(/^https:\/\/api\.demo-bank\.example\/v1\/accounts\/.*from=2026-01-01&to=2026-01-05/);
    expect(page.request?.headers).toMatchObject({ accept: 'application/json', authorization: '[masked]' });
    const rows = (JSON.parse(page.response?.body?.text ?? '') as { rows: { iban: string | null }[] }).rows;
    expect(rows.find(({ iban }) => iban !== null)?.iban).toMatch(/^\*\*\*\*\d{4}$/);
  });

  it('is found for the row that was read from it', async () => {
    const transactions = await api.call<{ items: { id: string }[] }>(
      'GET',
      '/banks/transactions?bankCode=echo&limit=200',
    );
    const path = `/banks/transactions/${transactions.body.result.items[0]?.id}/explanation`;
    const explanation = await api.call<{ recorded: { connectorLogId: string; sync: { id: string; page: number } } }>(
      'GET',
      path,
    );
    const { connectorLogId, sync } = explanation.body.result.recorded;
    expect(await one(connectorLogId)).toMatchObject({ syncId: sync.id, page: sync.page, outcome: 'success' });
  });

  it('is paged and filtered', async () => {
    const first = await api.call<List>('GET', `${PATH}?limit=3&accountId=${echoing}`);
    const next = `${PATH}?limit=3&accountId=${echoing}&cursor=${first.body.result.nextCursor}`;
    const second = await api.call<List>('GET', next);
    const all = await list(`&accountId=${echoing}`);
    expect([...first.body.result.items, ...second.body.result.items]).toEqual(all.slice(0, 6));
    const accounts = await list(`&accountId=${echoing}&operation=accounts`);
    expect(new Set(accounts.map(({ operation }) => operation))).toEqual(new Set(['accounts']));
    const [at] = accounts.map((record) => record.at);
    const from = await list(`&accountId=${echoing}&from=${at}`);
    expect(from.length + (await list(`&accountId=${echoing}&to=${at}`)).length).toBe(all.length);
    expect(from.every((record) => record.at >= String(at))).toBe(true);
    const backwards = await api.call('GET', `${PATH}?from=2026-02-01&to=2026-01-01`);
    expect(backwards.body.code).toBe('DATE_RANGE_INVALID');
  });

  it('belongs to its tenant and its company', async () => {
    const [record] = await list('');
    const stranger = await otherTenant();
    expect(await list('', stranger)).toEqual([]);
    const theirs = await api.call('GET', `${PATH}/${record?.id}`, undefined, stranger);
    expect([theirs.status, theirs.body.code]).toEqual([404, 'CONNECTOR_LOG_NOT_FOUND']);
    const narrowed = { tenantId: api.tenantId, companies: ['company-two'] };
    for (const viewer of [narrowed, { tenantId: api.tenantId, companies: [] }]) {
      const { connectorLogs } = api.service.reactorServices;
      expect(await connectorLogs.get(viewer, record?.id ?? '')).toBeUndefined();
      expect((await connectorLogs.page(viewer, { filter: {}, limit: 10 })).items).toEqual([]);
    }
    const other = { 'x-company-id': 'company-two' };
    expect(await list('', other)).toEqual([]);
    const refused = await api.call('GET', `${PATH}/${record?.id}`, undefined, other);
    expect([refused.status, refused.body.code]).toEqual([404, 'CONNECTOR_LOG_NOT_FOUND']);
  });

  it('is written before what the bank answered is used', async () => {
    const id = await connectDemoBank(api, { seed: 'written first' });
    nowMs += 1_000;
    const { connectorLogs, log } = api.service.reactorServices;
    const { write } = connectorLogs;
    let refused = 0;
    const refuse = async (): Promise<void> => {
      refused += 1;
      throw new ReadStoreUnavailable('planted');
    };
    // The accounts are on record, the first page is not.
    Object.assign(connectorLogs, {
      write: (record: ConnectorLog) => (record.operation === 'page' ? refuse() : write(record)),
    });
    await api.call('POST', `/banks/accounts/${id}/sync`, {});
    await eventually(
      async () => refused,
      (times) => times > 1,
    );
    const syncs = await api.call<{ items: { id: string }[] }>('GET', `/banks/accounts/${id}/syncs`);
    const syncId = syncs.body.result.items[0]?.id;
    const types = (await log.readStream(`syncRun-${api.tenantId}_${syncId}`)).map(({ type }) => type);
    const rows = await api.call<List>('GET', `/banks/transactions?accountId=${id}`);
    Object.assign(connectorLogs, { write });
    expect(types).toEqual(['SyncRequested', 'SyncPlanned']);
    expect(rows.body.result.items).toEqual([]);
    await eventually(
      async () => (await api.call<{ status: string }>('GET', `/banks/accounts/${id}/syncs/${syncId}`)).body.result,
      ({ status }) => status === 'completed',
    );
  });

  it('keeps the first record when a page is requested again after a crash', async () => {
    const { connectorLogs } = api.service.reactorServices;
    const [first] = (await connectorLogs.page({ tenantId: api.tenantId, companies: null }, { filter: {}, limit: 1 }))
      .items;
    if (first === undefined) throw new Error('nothing is on record');
    const { _id, _position, id, attempt, order, expiresAt, ...record } = first;
    await connectorLogs.write({ ...record, at: new Date(nowMs).toISOString() });
    expect(await one(id)).toMatchObject({ attempt, at: record.at });
    const [again] = await list('');
    expect(again).toMatchObject({ attempt: attempt + 1, syncId: record.syncId, page: record.page });
  });

  it('ends after 90 days, whether it was swept by then or not', async () => {
    const viewer = { tenantId: api.tenantId, companies: null };
    const { connectorLogs, readStore } = api.service.reactorServices;
    const [record] = await list('');
    const count = await readStore.collection(CONNECTOR_LOGS).count([]);
    const at = Date.parse(record?.at ?? '');
    nowMs = at + 90 * DAY_MS - 1;
    expect((await connectorLogs.page(viewer, { filter: {}, limit: 1 })).items).toHaveLength(1);
    expect(await connectorLogs.get(viewer, record?.id ?? '')).toBeDefined();
    nowMs = at + 90 * DAY_MS;
    expect((await connectorLogs.page(viewer, { filter: {}, limit: 1 })).items).toEqual([]);
    expect(await connectorLogs.get(viewer, record?.id ?? '')).toBeUndefined();
    expect(count).toBeGreaterThan(0);
    while (await connectorLogs.sweep());
    expect(await readStore.collection(CONNECTOR_LOGS).count([])).toBe(0);
  });
});

/** The headers of another tenant's key, after a second company of ours came into being. */
async function otherTenant(): Promise<Record<string, string>> {
  const { log, clock, newId } = api.service.reactorServices;
  const createdAt = new Date(nowMs).toISOString();
  const ours = { log, clock, newId, tenantId: api.tenantId, companyId: null, correlationId: 'test' };
  const context = { ...ours, actor: { type: 'system', id: 'test' } as const, tenantId: newId() };
  await createCompany(
    { ...context, tenantId: api.tenantId },
    { companyId: 'company-two', name: 'Two', automation: true, createdAt },
  );
  await createCompany(context, { companyId: COMPANY, name: 'Theirs', automation: true, createdAt });
  const apiKeyId = newId();
  await api.service.secrets.keepApiSecret(apiKeyId, api.secret);
  const key = { apiKeyId, key: `other-${newId()}`, name: 'Other', scopes: [...SCOPES], companies: null };
  const position = await createApiKey(context, { ...key, expiresAt: null, createdAt });
  await api.service.httpServices.waitFor(['companies', 'api-keys'], position, 100_000);
  return { 'x-api-key': key.key };
}
