import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/http/core/app.ts';
import { systemTimer } from '../../src/shared/timer.ts';
import { HELD_MS } from '../../src/traffic/held-refusals.ts';
import { anotherTenant, type Headers } from '../support/another-tenant.ts';
import { OPERATOR_TOKEN } from '../support/planted-tenant.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import { setClock } from '../support/small-reactor-services.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

const rule = (name: string) => ({
  name,
  conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: '1' } }],
});

describe('the requests of a tenant in a minute', () => {
  const clock = setClock('2026-01-05T10:00:00.000Z');
  let api: TestService;
  beforeAll(async () => {
    api = await startTestService({ clock, environment: { RATE_LIMIT_PER_TENANT: '12', OPERATOR_TOKEN } });
  });
  afterAll(() => api.stop());

  it('are limited over all of its keys and users together, and no other tenant is affected', async () => {
    const other = await anotherTenant(api);
    const admin = bearer((await signIn(api)).accessToken);
    clock.pass(60_000 - (clock.now() % 60_000));
    const statuses: number[] = [];
    for (let nth = 0; nth < 13; nth += 1) {
      const as = nth % 2 === 0 ? {} : admin;
      statuses.push((await api.call('GET', '/banks/accounts', undefined, as)).status);
    }
    expect(statuses).toEqual([...Array(12).fill(200), 429]);
    const refused = await api.call('GET', '/banks/accounts', undefined, admin);
    expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['TENANT_BUSY', '60']);
    expect((await api.call('GET', '/banks/accounts', undefined, other)).status).toBe(200);
    clock.pass(60_000);
    expect((await api.call('GET', '/banks/accounts')).status).toBe(200);
  });
});

describe('what a tenant may only have so much of', () => {
  let api: TestService;
  let other: Headers;
  const timers: (() => void)[] = [];
  const held: (() => void)[] = [];
  let holds = false;
  beforeAll(async () => {
    const environment = {
      OPERATOR_TOKEN,
      TENANT_LIMIT_OPEN_REPLAYS: '2',
      TENANT_LIMIT_OPEN_RUNS: '2',
      TENANT_LIMIT_KEYS: '3',
      TENANT_LIMIT_USERS: '2',
      TENANT_LIMIT_CONNECTIONS: '2',
      TENANT_LIMIT_RULE_BYTES: '2500',
      TENANT_LIMIT_EXPORTS: '2',
    };
    const startTimer = (ms: number, onEnd: () => void) => {
      if (ms === HELD_MS && holds) held.push(onEnd);
      if (ms === HELD_MS) return holds ? () => {} : systemTimer(0, onEnd);
      timers.push(onEnd);
      return () => void timers.splice(timers.indexOf(onEnd), 1);
    };
    api = await startTestService({ environment, startTimer });
    other = await anotherTenant(api);
  });
  afterAll(() => api.stop());

  /** Adds until it is refused, at most ten. @returns how many were added */
  async function addAll(add: (nth: number) => Promise<{ status: number; body: { code?: string; meta?: unknown } }>) {
    for (let added = 0; added < 10; added += 1) {
      const answer = await add(added);
      if (answer.status < 300) continue;
      return { added, status: answer.status, code: answer.body.code, meta: answer.body.meta };
    }
    return { added: 10 };
  }

  const reached = (what: string, limit: number) => ({
    status: 409,
    code: 'TENANT_LIMIT_REACHED',
    meta: expect.objectContaining({ what, limit }),
  });

  it.each([
    ['connections', 2, '/banks/accounts', (nth: number) => ({ bankCode: 'demo', title: `Bank ${nth}` })],
    // The first start makes a key and a user.
    ['apiKeys', 2, '/auth/api-keys', (nth: number) => ({ name: `Key ${nth}`, scopes: ['rules:read'] })],
    [
      'users',
      1,
      '/auth/users',
      (nth: number) => ({ email: `person${nth}@example.com`, role: 'auditor', password: 'a long password' }),
    ],
  ] as const)('%s', async (what, added, path, body) => {
    const admin = bearer((await signIn(api)).accessToken);
    const as = path.startsWith('/auth') ? admin : {};
    const outcome = await addAll((nth) => api.call('POST', path, body(nth), as));
    const limits = { connections: 2, apiKeys: 3, users: 2 };
    expect(outcome).toEqual({ added, ...reached(what, limits[what]) });
  });

  it('connections, of which an archived one is none, and other tenants have their own', async () => {
    const { items } = (await api.call<{ items: { id: string }[] }>('GET', '/banks/accounts')).body.result;
    await api.call('POST', `/banks/accounts/${items[0]?.id}/archive`);
    const more = { bankCode: 'demo', title: 'More' };
    expect((await api.call('POST', '/banks/accounts', more)).status).toBe(201);
    expect((await api.call('POST', '/banks/accounts', more)).body.code).toBe('TENANT_LIMIT_REACHED');
    expect((await api.call('POST', '/banks/accounts', more, other)).status).toBe(201);
  });

  it('rules, by what is stored of all their versions', async () => {
    const made = await api.call<{ id: string }>('POST', '/banks/transaction-rules', rule('First'));
    let version = 1;
    const outcome = await addAll(async () => {
      const change = { version, description: String(version).repeat(300) };
      const answer = await api.call('PATCH', `/banks/transaction-rules/${made.body.result.id}`, change);
      version += 1;
      return answer;
    });
    expect(outcome).toMatchObject({ code: 'TENANT_LIMIT_REACHED', meta: { what: 'ruleBytes', limit: 2_500 } });
    expect(outcome.added).toBeGreaterThan(0);
    expect((await api.call('POST', '/banks/transaction-rules', rule('Another'), other)).status).toBe(201);
  });

  it('is asked anew with the same idempotency key, once there is room', async () => {
    const key = { 'idempotency-key': 'room' };
    const more = { bankCode: 'demo', title: 'Keyed' };
    expect((await api.call('POST', '/banks/accounts', more, key)).body.code).toBe('TENANT_LIMIT_REACHED');
    const { items } = (await api.call<{ items: { id: string }[] }>('GET', '/banks/accounts')).body.result;
    for (const { id } of items) await api.call('POST', `/banks/accounts/${id}/archive`);
    expect((await api.call('POST', '/banks/accounts', more, key)).status).toBe(201);
  });

  it('concurrent exports, until they are read, cancelled, or left unread for too long', async () => {
    const connection = await connectDemoBank(api, { transactionsPerDay: 400, seed: 'exports' });
    await syncAndWait(api, connection, { from: '2025-12-01', to: '2025-12-05' });
    await automationDone(api);
    const app = createApp(api.service.httpServices);
    const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': COMPANY };
    const open = async () => app.request('/banks/transactions/export', { headers });
    const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;

    const first = await open();
    const second = await open();
    const reader = second.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    const third = await open();
    expect([third.status, await codeOf(third)]).toEqual([429, 'TENANT_BUSY']);

    // The one whose client stopped reading ends with its timer; the other one is cancelled.
    expect(timers).toHaveLength(2);
    timers.at(-1)?.();
    await expect(reader?.read()).rejects.toThrow('stopped reading the answer');
    const fourth = await open();
    expect(fourth.status).toBe(200);
    await first.body?.cancel();
    const fifth = await open();
    expect((await fifth.text()).split('\r\n').length).toBeGreaterThan(1_600);
    expect((await open()).status).toBe(200);
    holds = true;
    let isAnswered = false;
    const refused = open().finally(() => {
      isAnswered = true;
    });
    // Others are answered while the refusal is held.
    expect((await app.request('/banks/accounts', { headers })).status).toBe(200);
    await expect.poll(() => held.length).toBe(1);
    expect(isAnswered).toBe(false);
    held[0]?.();
    expect((await refused).status).toBe(429);
  });
});
