import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPANY, connectDemoBank, startTestService, syncAndWait, type TestService } from '../support/test-service.ts';

let api: TestService;
beforeAll(async () => {
  api = await startTestService();
});
afterAll(() => api.stop());

type Connection = {
  id: string;
  companies: string;
  status: boolean;
  environment: string;
  subAccounts: { subAccountKey: string; currency: string }[];
  syncHealth: { status: string; lastTriggerType?: string; lastResult?: Record<string, number>; lastErrorCode?: string };
};

describe('opening a connection', () => {
  it('answers 201 with a connection that has never synced', async () => {
    const { status, body } = await api.call<Connection>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Main' });
    expect(status).toBe(201);
    expect(body.result).toMatchObject({
      companies: COMPANY,
      status: true,
      environment: 'demo',
      subAccounts: [],
      syncHealth: { status: 'never' },
    });
  });

  it.each([
    [{ bankCode: 'no-such-bank', title: 'x' }, 422, 'BANK_NOT_SUPPORTED'],
    [{ bankCode: 'demo', title: 'x', environment: 'production' }, 422, 'BANK_NOT_SUPPORTED'],
    [{ bankCode: 'demo' }, 400, 'VALIDATION_FAILED'],
    [{ bankCode: 'demo', title: '' }, 400, 'VALIDATION_FAILED'],
    [{ bankCode: 'demo', title: 'x'.repeat(121) }, 400, 'VALIDATION_FAILED'],
    [{ bankCode: 'demo', title: 'x', colour: 'red' }, 400, 'VALIDATION_FAILED'],
  ])('refuses %j', async (body, status, code) => {
    const answer = await api.call('POST', '/banks/accounts', body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe('credentials', () => {
  it('returns a fingerprint and nothing else, and distinguishes the wrong mode from a wrong value', async () => {
    const { body } = await api.call<Connection>('POST', '/banks/accounts', { bankCode: 'demo', title: 'C' });
    const path = `/banks/accounts/${body.result.id}/credentials`;
    const put = await api.call<Record<string, unknown>>('PUT', path, { seed: 'planted-secret-seed' });
    expect(put.status).toBe(200);
    expect(Object.keys(put.body.result).sort()).toEqual(['environment', 'fingerprint', 'updatedAt']);
    const foreign = await api.call('PUT', path, { folder: 'x' });
    expect([foreign.status, foreign.body.code]).toEqual([422, 'CREDENTIAL_MODE_MISMATCH']);
    const wrong = await api.call('PUT', path, { transactionsPerDay: 'many' });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(JSON.stringify(api.logLines)).not.toContain('planted-secret-seed');
  });
});

describe('setup', () => {
  it('asked for while one runs waits for that one', async () => {
    const opened = await api.call<Connection>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Twice' });
    const path = `/banks/accounts/${opened.body.result.id}`;
    await api.call('PUT', `${path}/credentials`, {});
    const setUp = () => api.call<Connection>('POST', `${path}/setup`, undefined, { prefer: 'wait=20' });
    const answers = await Promise.all([setUp(), setUp(), setUp()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.every(({ body }) => body.result.subAccounts.length > 0)).toBe(true);
  });

  it('finds the accounts, and keeps their keys when repeated', async () => {
    const id = await connectDemoBank(api);
    const first = await api.call<Connection>('GET', `/banks/accounts/${id}`);
    expect(first.body.result.subAccounts.length).toBeGreaterThan(1);
    const again = await api.call<Connection>('POST', `/banks/accounts/${id}/setup`, undefined, { prefer: 'wait=20' });
    expect(again.status).toBe(200);
    expect(again.headers.get('preference-applied')).toBe('wait=20');
    expect(again.body.result.subAccounts.map((one) => one.subAccountKey)).toEqual(
      first.body.result.subAccounts.map((one) => one.subAccountKey),
    );
  });

  it('needs the credentials that its bank asks for', async () => {
    const connection = { bankCode: 'statement-files', title: 'Files', environment: 'production' };
    const { body } = await api.call<Connection>('POST', '/banks/accounts', connection);
    const setup = await api.call('POST', `/banks/accounts/${body.result.id}/setup`);
    expect([setup.status, setup.body.code]).toEqual([409, 'CREDENTIALS_MISSING']);
  });
});

describe('sync', () => {
  it('needs a setup first', async () => {
    const { body } = await api.call<Connection>('POST', '/banks/accounts', { bankCode: 'demo', title: 'S' });
    const sync = await api.call('POST', `/banks/accounts/${body.result.id}/sync`);
    expect([sync.status, sync.body.code]).toEqual([409, 'CONNECTION_NOT_SET_UP']);
  });

  it('records every row once, and a second sync finds only duplicates', async () => {
    const id = await connectDemoBank(api);
    const first = await syncAndWait(api, id);
    expect(first.status).toBe('completed');
    expect(first.counts.inserted).toBeGreaterThan(100);
    expect(first.counts.fetched).toBe(first.counts.inserted);
    const second = await syncAndWait(api, id);
    expect(second.status).toBe('completed');
    expect(second.counts.inserted).toBe(0);
    expect(second.counts.duplicates).toBe(second.counts.fetched);
    const { body } = await api.call<Connection>('GET', `/banks/accounts/${id}`);
    expect(body.result.syncHealth).toMatchObject({ status: 'healthy', lastTriggerType: 'manual' });
    expect(body.result.syncHealth.lastResult?.inserted).toBe(0);
  });

  it('answers 202 at once without a preference, with the connection running', async () => {
    const id = await connectDemoBank(api);
    const { status, body, headers } = await api.call<Connection>('POST', `/banks/accounts/${id}/sync`);
    expect(status).toBe(202);
    expect(body.result.syncHealth.status).toBe('running');
    expect(headers.get('preference-applied')).toBeNull();
    expect(headers.get('x-log-position')).not.toBeNull();
  });

  it('is one sync for ten requests at once', async () => {
    const id = await connectDemoBank(api, { transactionsPerDay: 25 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        api.call('POST', `/banks/accounts/${id}/sync`, undefined, { prefer: 'wait=30' }),
      ),
    );
    // Nobody waits for a sync that another request began; a slow bank may outlast the wait of the one that began it.
    expect(answers.filter((answer) => answer.status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.every(({ status }) => status === 200 || status === 202)).toBe(true);
    const list = await api.call<{ items: { ordinal: number }[] }>('GET', `/banks/accounts/${id}/syncs`);
    expect(list.body.result.items.map((sync) => sync.ordinal)).toEqual([1]);
  });

  it('accepts a window, refuses one that ends before it begins, and is refused while the connection is disabled', async () => {
    const id = await connectDemoBank(api);
    const upside = await api.call('POST', `/banks/accounts/${id}/sync`, { from: '2026-02-01', to: '2026-01-01' });
    expect([upside.status, upside.body.code]).toEqual([400, 'DATE_RANGE_INVALID']);
    const ages = await api.call('POST', `/banks/accounts/${id}/sync`, { from: '0001-01-01' });
    expect([ages.status, ages.body.code]).toEqual([400, 'DATE_RANGE_INVALID']);
    await api.call('PATCH', `/banks/accounts/${id}`, { status: false });
    const off = await api.call('POST', `/banks/accounts/${id}/sync`);
    expect([off.status, off.body.code]).toEqual([409, 'CONNECTION_DISABLED']);
    await api.call('PATCH', `/banks/accounts/${id}`, { status: true });
    const run = await syncAndWait(api, id, { from: '2026-01-01', to: '2026-01-03' });
    expect(run).toMatchObject({ status: 'completed', from: '2026-01-01', to: '2026-01-03' });
    expect(run.counts.fetched).toBeGreaterThan(0);
  });

  it('cannot be cancelled once it has ended', async () => {
    const id = await connectDemoBank(api);
    const run = await syncAndWait(api, id, { from: '2026-01-01', to: '2026-01-02' });
    const cancel = await api.call('POST', `/banks/accounts/${id}/syncs/${String(run.id)}/cancel`);
    expect([cancel.status, cancel.body.code]).toEqual([409, 'SYNC_ENDED']);
  });
});

describe('an archived connection', () => {
  it('keeps its history, and accepts no further changes', async () => {
    const id = await connectDemoBank(api);
    await syncAndWait(api, id, { from: '2026-01-01', to: '2026-01-02' });
    const archived = await api.call<Connection & { archivedAt: string }>('POST', `/banks/accounts/${id}/archive`);
    expect(archived.body.result).toMatchObject({ status: false, archivedAt: expect.any(String) });
    expect(await api.service.reactorServices.vault.get(api.service.bootstrapped?.tenantId ?? '', id)).toBeUndefined();
    for (const [method, path, body] of [
      ['POST', 'sync', undefined],
      ['POST', 'setup', undefined],
      ['PUT', 'credentials', { seed: 'x' }],
    ] as const) {
      const answer = await api.call(method, `/banks/accounts/${id}/${path}`, body);
      expect([answer.status, answer.body.code]).toEqual([409, 'CONNECTION_ARCHIVED']);
    }
    const syncs = await api.call<{ items: unknown[] }>('GET', `/banks/accounts/${id}/syncs`);
    expect(syncs.body.result.items).toHaveLength(1);
  });
});

describe('health and usage', () => {
  it('show completeness, the last syncs and usage', async () => {
    const id = await connectDemoBank(api, { transactionsPerDay: 20 });
    await syncAndWait(api, id, { from: '2026-01-01', to: '2026-02-01' });
    const health = await api.call<{
      syncHealth: { status: string };
      syncs: unknown[];
      staleForMs: number;
      completeness: { status: string; gaps: unknown[] }[];
    }>('GET', `/banks/accounts/${id}/health`);
    expect(health.body.result.syncHealth.status).toBe('healthy');
    expect(health.body.result.syncs).toHaveLength(1);
    expect(health.body.result.completeness.every((account) => account.status === 'complete')).toBe(true);
    const usage = await api.call<{ items: Record<string, number>[] }>('GET', `/banks/accounts/${id}/usage`);
    const [today] = usage.body.result.items;
    expect(today).toMatchObject({ syncs: 1, duplicates: 0, errors: 0 });
    expect(today?.requests).toBeGreaterThan(1);
    expect(today?.fetched).toBe(today?.inserted);
  });
});
