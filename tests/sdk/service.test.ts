import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerOf,
  BankClient,
  type ClientOptions,
  type CreateRuleRequest,
  isBankError,
  verifyWebhook,
} from '../../sdk/src/index.ts';
import { OPERATIONS } from '../../sdk/src/operations.ts';
import { startReceiver } from '../support/receiver.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  startTestService,
  type TestService,
} from '../support/test-service.ts';
import { collected } from './fake-service.ts';

let api: TestService;
let client: BankClient;

function clientWith(options: Partial<ClientOptions> = {}): BankClient {
  const { service, key, secret } = api;
  return new BankClient({
    baseUrl: service.url,
    apiKey: key,
    apiSecret: secret,
    company: COMPANY,
    ...options,
  } as ClientOptions);
}

beforeAll(async () => {
  api = await startTestService({ environment: { WEBHOOK_PRIVATE_NETWORKS: 'allow' } });
  client = clientWith();
  const id = await connectDemoBank(api);
  const connection = await client.syncConnection(id, {}, { wait: 30 });
  expect(answerOf(connection).status).toBe(200);
  await automationDone(api);
});
afterAll(() => api.stop());

const REFERENCE = { source: 'erp', entityType: 'account', externalId: '360' };
const DRAFT: CreateRuleRequest = {
  name: 'Taxes',
  conditions: { children: [{ field: 'description', operator: 'contains', value: 'x' }] },
  actions: [{ type: 'attach_reference', reference: REFERENCE }],
};

describe('the client', () => {
  it('has a method for each operation, with iterators for those in pages', () => {
    for (const name of Object.keys(OPERATIONS)) expect(client).toHaveProperty(name, expect.any(Function));
    expect(Object.keys(client.each)).toContain('listTransactions');
    expect(Object.keys(client.each)).not.toContain('listAnalyticsQueries');
  });

  it('returns every item of a list once', async () => {
    const { items, nextCursor } = await client.listTransactions({ limit: 200 });
    expect(nextCursor).not.toBeNull();
    const all: string[] = [];
    for await (const { id } of client.each.listTransactions({ limit: 50 })) all.push(id);
    expect(new Set(all).size).toBe(all.length);
    expect(all.slice(0, items.length)).toEqual(items.map(({ id }) => id));
    const [first] = all;
    expect(await client.getTransaction(first ?? '')).toMatchObject({ id: first, bankCode: 'demo' });
    const { items: connections } = await client.listConnections();
    const syncs = await collected(client.each.listSyncs(connections[0]?.id ?? ''));
    expect(syncs.length).toBeGreaterThan(0);
  });

  it('reads what was written, by the result of the write', async () => {
    const rule = await client.createRule(DRAFT);
    expect(answerOf(rule)).toMatchObject({ status: 201, position: expect.any(String), requestId: expect.any(String) });
    const { items } = await client.waitFor(rule).listRules({ q: 'Taxes' });
    expect(items.map(({ id }) => id)).toContain(rule.id);
    const paused = await client.pauseRule(rule.id, { version: rule.version });
    expect(await client.getRule(rule.id, { after: paused })).toMatchObject({ status: 'paused' });
    await expect(client.getRule(rule.id, { after: { ...paused } })).rejects.toThrow('not a result of the client');
  });

  it('waits for a position, and says when the service does not get there', async () => {
    const far = '9'.repeat(16);
    const failure = await client
      .waitFor(far)
      .listRules({}, { maxAttempts: 1 })
      .catch((error: unknown) => error);
    expect(isBankError(failure) && failure.code).toBe('READ_MODEL_BEHIND');
  });

  it('is answered as before when an attempt is repeated whose answer was lost', async () => {
    let lost = 0;
    const losing = clientWith({
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (lost > 0) return response;
        lost += 1;
        throw new TypeError('the link broke');
      },
    });
    const rule = await losing.createRule({ ...DRAFT, name: 'Once' });
    expect(lost).toBe(1);
    expect(answerOf(rule).headers.get('idempotency-replayed')).toBe('true');
    const { items } = await client.waitFor(rule).listRules({ q: 'Once' });
    expect(items.map(({ id }) => id)).toEqual([rule.id]);
  });

  it('says what is wrong by code and class', async () => {
    const rule = await client.createRule({ ...DRAFT, name: 'Twice' });
    const stale = await client.pauseRule(rule.id, { version: 7 }).catch((error: unknown) => error);
    expect(isBankError(stale, 'RULE_VERSION_CONFLICT') && stale.meta.currentVersion).toBe(1);
    const wrong = client.createRule({ ...DRAFT, name: 'x'.repeat(121) });
    await expect(wrong).rejects.toMatchObject({ name: 'ValidationError', issues: [{ path: 'name' }] });
    await expect(client.getRule('none')).rejects.toMatchObject({ name: 'NotFoundError', code: 'RULE_NOT_FOUND' });
    await expect(clientWith({ apiSecret: 'wrong' }).listRules()).rejects.toMatchObject({ name: 'AuthenticationError' });
    await expect(client.with({ company: null }).createRule(DRAFT)).rejects.toMatchObject({ code: 'COMPANY_REQUIRED' });
  });

  it('streams what is not JSON', async () => {
    const csv = await client.exportTransactions({ separator: 'semicolon' });
    expect((await csv.text()).split('\n')[0]).toContain(';');
    const table = await client.getAnalyticsResults('cash-flow', { format: 'csv' });
    expect(await table.text()).toContain('inflow');
    const { rows } = await client.getAnalyticsResults('cash-flow', { interval: 'month' });
    expect(rows.length).toBeGreaterThan(0);
  });

  it('ends a stream when its signal says so', async () => {
    const stop = new AbortController();
    const { body } = await client.exportTransactions({}, { signal: stop.signal });
    const reader = body?.getReader();
    await reader?.read();
    stop.abort(new Error('enough'));
    await expect(readToEnd(reader)).rejects.toThrow('enough');
  });

  it('works with the token of a person', async () => {
    const { email, password } = api.service.bootstrapped?.admin ?? { email: '', password: '' };
    const visitor = new BankClient({ baseUrl: `${api.service.url}/` });
    const { accessToken } = await visitor.logIn({ email, password });
    const person = new BankClient({ baseUrl: api.service.url, accessToken: async () => accessToken });
    expect(await person.getMe()).toMatchObject({ email });
    const changed = await person.changeMe({ displayName: 'Ada' });
    expect(await person.waitFor(changed).getMe()).toMatchObject({ displayName: 'Ada' });
  });

  it('walks through what changed, and goes on where it stopped', async () => {
    const cursors: string[] = [];
    const types = new Set<string>();
    for await (const { items, nextCursor } of client.changes({ limit: 100, follow: false })) {
      for (const { type } of items) types.add(type);
      cursors.push(nextCursor);
    }
    expect(cursors.length).toBeGreaterThan(2);
    expect(types).toContain('transaction');
    const after = cursors.at(-1) ?? '';
    const others = client.changes({ after, types: ['rule'] }).next();
    await expect(others).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    const changes = client.changes({ after });
    const next = changes.next();
    const rule = await client.createRule({ ...DRAFT, name: 'Seen' });
    const seen = [...((await next).value?.items ?? [])];
    while (!seen.some(({ id }) => id === rule.id)) seen.push(...((await changes.next()).value?.items ?? []));
    expect(seen.at(-1)).toMatchObject({ type: 'rule', kind: 'created', id: rule.id, resource: rule });
  });

  it('verifies what a webhook receives', async () => {
    const receiver = await startReceiver();
    try {
      const webhook = await client.createWebhook({ url: receiver.url, types: ['rule.updated'] });
      const { delivered, messageId } = await client.testWebhook(webhook.id);
      const { headers = {}, text = '' } = receiver.received[0] ?? {};
      const message = await verifyWebhook(headers, text, webhook.secret);
      expect([delivered, message.type, message.id]).toEqual([true, 'webhook.test', messageId]);
      const another = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
      await expect(verifyWebhook(headers, text, another)).rejects.toThrow('no signature fits');
    } finally {
      await receiver.close();
    }
  });
});

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  while (!(await reader?.read())?.done);
}
