import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, createCompany } from '../../src/commands/create-tenancy.ts';
import { SCOPES } from '../../src/events/tenancy.ts';
import { createApp } from '../../src/http/core/app.ts';
import { LogUnavailable } from '../../src/log/log.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { repeatableIds } from '../../src/shared/ids.ts';
import { openRequestClaims } from '../../src/traffic/request-claims.ts';
import { callersEvents, claimOf, claimsOf, forgetAnswer } from '../support/repeated-request.ts';
import { COMPANY, connectDemoBank, startTestService, syncAndWait, type TestService } from '../support/test-service.ts';

const DAY_MS = 24 * 3_600_000;
const reference = { source: 'erp', entityType: 'invoice', externalId: '1' };
const draft = {
  name: 'r',
  conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ type: 'attach_reference', reference }],
};

let api: TestService;
let lateMs = 0;
beforeAll(async () => {
  api = await startTestService({ clock: { now: () => Date.now() + lateMs } });
});
afterAll(() => api.stop());

const open = (key: string, title = 'Once', headers: Record<string, string> = {}, to: TestService = api) =>
  to.call<{ id: string }>(
    'POST',
    '/banks/accounts',
    { bankCode: 'demo', title },
    { 'idempotency-key': key, ...headers },
  );

describe('a request with an idempotency key', () => {
  it('gets its first answer again, under its own request id', async () => {
    const key = randomUUID();
    const first = await open(key, 'Once', { 'x-request-id': 'first-asked' });
    const again = await open(key, 'Once', { 'x-request-id': 'asked-again' });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('x-log-position')).toBe(first.headers.get('x-log-position'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('x-request-id')).toBe('asked-again');
  });

  it('gets a refusal again as well', async () => {
    const key = randomUUID();
    const ask = () => api.call('POST', '/banks/accounts/none/sync', {}, { 'idempotency-key': key });
    const first = await ask();
    const again = await ask();
    expect([first.status, again.status, again.body]).toEqual([404, 404, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('is refused when the key was another request’s: another body, path, query, method or company', async () => {
    const key = randomUUID();
    const { id } = (await open(key)).body.result;
    const headers = { 'idempotency-key': key };
    const others = [
      await open(key, 'Other'),
      await api.call('POST', '/banks/transaction-rules', draft, headers),
      await api.call('PATCH', `/banks/accounts/${id}`, { title: 'Once' }, headers),
    ];
    for (const { status, body } of others) expect([status, body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it.each(['', 'with blank', 'ö', 'x'.repeat(256)])('is refused when the key is %j', async (key) => {
    const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') };
    const { status, body } = await api.call('POST', '/banks/accounts', { bankCode: 'demo', title: 'x' }, headers);
    expect([status, body.code, body.meta?.header]).toEqual([400, 'HEADER_INVALID', 'idempotency-key']);
  });

  it('claims nothing by a request that does not pass the HTTP layer', async () => {
    const key = randomUUID();
    for (const headers of [{ 'x-api-secret': 'wrong' }, { 'x-company-id': 'none' }]) {
      expect((await open(key, 'Once', headers)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await open(key, '')).body.code).toBe('VALIDATION_FAILED');
    expect((await api.call('POST', '/banks/accounts', '{', { 'idempotency-key': key })).body.code).toBe(
      'BODY_MALFORMED',
    );
    expect(await claimOf(api, key)).toBeUndefined();
    expect((await open(key)).status).toBe(201);
  });

  it('is carried out once, however many ask at once', async () => {
    const key = randomUUID();
    const before = await callersEvents(api);
    const answers = await Promise.all(Array.from({ length: 50 }, () => open(key)));
    const made = answers.filter((one) => one.status === 201 && one.headers.get('idempotency-replayed') === null);
    expect(made).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.body).toEqual(made[0]?.body);
      else {
        expect([answer.status, answer.body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
        expect(answer.headers.get('retry-after')).toBe('1');
      }
    }
    expect((await callersEvents(api)).length).toBe(before.length + 1);
  });

  it('is a different one for another tenant', async () => {
    const key = randomUUID();
    const other = await otherTenant();
    const mine = await open(key);
    const theirs = await open(key, 'Once', other);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.result.id).not.toBe(mine.body.result.id);
    expect(theirs.headers.get('idempotency-replayed')).toBeNull();
  });

  type Log = TestService['service']['log'];
  const failures: readonly (readonly [string, number, (log: Log) => Partial<Log>])[] = [
    ['a failure of ours', 500, () => ({ readStreamPositions: () => Promise.reject(new Error('planted')) })],
    ['a conflict that asks to be tried again', 409, () => ({ append: async () => ({ outcome: 'conflict' }) })],
    [
      'an append that was written and not answered',
      503,
      (log) => ({
        append: async (append) => {
          await log.append(append);
          throw new LogUnavailable('planted');
        },
      }),
    ],
  ];
  it.each(failures)('may be tried again after %s, and does its work once', async (_, status, broken) => {
    const { httpServices: services } = api.service;
    const key = randomUUID();
    const before = (await callersEvents(api)).length;
    const log = new Proxy(services.commandLog, {
      get: (target, name) => {
        const method = Reflect.get({ ...broken(target) }, name) ?? Reflect.get(target, name);
        return typeof method === 'function' ? method.bind(target) : method;
      },
    });
    const answer = await createApp({ ...services, commandLog: log }).request('/banks/accounts', {
      method: 'POST',
      headers: {
        'x-api-key': api.key,
        'x-api-secret': api.secret,
        'x-company-id': COMPANY,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ bankCode: 'demo', title: 'Once' }),
    });
    expect(answer.status).toBe(status);
    const again = await open(key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect((await callersEvents(api)).length).toBe(before + 1);
  });

  it('may use its key again after a day, and expired ones are deleted', async () => {
    const key = randomUUID();
    const first = await open(key);
    try {
      lateMs = DAY_MS + 1_000;
      const later = await open(key, 'Another');
      expect([later.status, later.headers.get('idempotency-replayed')]).toEqual([201, null]);
      expect(later.body.result.id).not.toBe(first.body.result.id);
      lateMs = 2 * DAY_MS + 2_000;
      while (await api.service.httpServices.requestClaims.sweep());
      expect(await claimsOf(api).count([])).toBe(0);
    } finally {
      lateMs = 0;
    }
  });

  it('leaves neither its key nor its answer readable', async () => {
    const key = `planted-key-${randomUUID()}`;
    const title = `planted-title-${randomUUID()}`;
    const { body } = await open(key, title);
    const claim = await claimOf(api, key);
    const stored = JSON.stringify(claim);
    expect(claim?.answer).toEqual(expect.any(String));
    for (const text of [key, title, body.result.id]) {
      expect(stored).not.toContain(text);
      expect(Buffer.from(claim?.answer ?? '', 'base64').toString('latin1')).not.toContain(text);
    }
    const files = readdirSync(api.dataDir).filter((name) => name.includes('sqlite'));
    for (const name of files) expect(readFileSync(join(api.dataDir, name)).includes(key)).toBe(false);
  });
});

describe('a request that was cut off by a crash', () => {
  it('finds the rule it changed, even if the rule was changed again since', async () => {
    const rule = await api.call<{ id: string }>('POST', '/banks/transaction-rules', draft);
    const path = `/banks/transaction-rules/${rule.body.result.id}`;
    const key = randomUUID();
    const change = () => api.call('PATCH', path, { version: 1, name: 'changed' }, { 'idempotency-key': key });
    const first = await change();
    await forgetAnswer(api, key);
    expect((await api.call('PATCH', `${path}/pause`, { version: 2 })).status).toBe(200);
    const again = await change();
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers.get('x-log-position')).toBe(first.headers.get('x-log-position'));
    expect(again.body.result).toMatchObject({ version: 3, status: 'paused' });
  });

  it('finds the sync it started, though others have come after', async () => {
    const id = await connectDemoBank(api);
    const key = randomUUID();
    const body = { from: '2026-01-01', to: '2026-01-02' };
    const sync = () =>
      api.call('POST', `/banks/accounts/${id}/sync`, body, { 'idempotency-key': key, prefer: 'wait=20' });
    const first = await sync();
    await forgetAnswer(api, key);
    await syncAndWait(api, id, body);
    const again = await sync();
    expect([first.status, again.status]).toEqual([200, 200]);
    const list = await api.call<{ items: unknown[] }>('GET', `/banks/accounts/${id}/syncs`);
    expect(list.body.result.items).toHaveLength(2);
  });

  it('finds its own assignment, though another was attached after it', async () => {
    const id = await connectDemoBank(api);
    const synced = await syncAndWait(api, id, { from: '2026-01-01', to: '2026-01-03' });
    expect(synced.counts.inserted).toBeGreaterThan(0);
    const list = await api.call<{ items: { id: string }[] }>('GET', `/banks/transactions?accountId=${id}&limit=1`);
    const path = `/banks/transactions/${list.body.result.items[0]?.id}/assignments`;
    const key = randomUUID();
    const attach = () => api.call<{ id: string }>('POST', path, { reference }, { 'idempotency-key': key });
    const first = await attach();
    await forgetAnswer(api, key);
    await api.call('POST', path, { reference: { ...reference, externalId: '2' } });
    const again = await attach();
    expect([again.status, again.body.result.id]).toEqual([201, first.body.result.id]);
  });

  it('is not continued while its holder may still be at work', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'claims-'));
    const readStore = openEmbeddedReadStore({ file: join(dataDir, 'readModels.sqlite') });
    let now = Date.parse('2026-01-01T00:00:00.000Z');
    const instance = () =>
      openRequestClaims({ readStore, encryptionKey: Buffer.alloc(32, 1), clock: { now: () => now }, alone: false });
    const [one, two] = [await instance(), await instance()];
    const first = await one.claim('t', 'k', 'request');
    expect((await two.claim('t', 'k', 'request')).outcome).toBe('running');
    now += 61_000;
    const second = await two.claim('t', 'k', 'request');
    if (first.outcome !== 'claimed' || second.outcome !== 'claimed') throw new Error('not claimed');
    expect(second.claim).toMatchObject({ seed: first.claim.seed, firstMs: first.claim.firstMs, again: true });
    await first.claim.keep({ status: 200, headers: {}, body: 'late' });
    await second.claim.keep({ status: 200, headers: {}, body: 'kept' });
    expect(await one.claim('t', 'k', 'request')).toMatchObject({ outcome: 'answered', answer: { body: 'kept' } });
    await readStore.close();
    rmSync(dataDir, { recursive: true });
  });

  // In a wire run each service has a tenant of its own, and outside stores no folder.
  it.skipIf(process.env.WIRE !== undefined)(
    'gets its answer from the next process on the same folder, and is taken up by it at once',
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'idempotent-'));
      const [kept, cut] = [randomUUID(), randomUUID()];
      const before = await startTestService({ dataDir });
      const { tenantId } = before;
      const first = await open(kept, 'Kept', {}, before);
      const second = await open(cut, 'Cut', {}, before);
      const claim = await claimOf(before, cut);
      if (claim === undefined) throw new Error('not claimed');
      const until = new Date(Date.now() + 60_000).toISOString();
      const running = { ...claim, _position: '000000000009', answer: null, until };
      await claimsOf(before).compareAndSet(running, claim._position);
      await before.stop();
      const after = { ...(await startTestService({ dataDir })), tenantId };
      const events = await callersEvents(after);
      const [again, takenUp] = [await open(kept, 'Kept', {}, after), await open(cut, 'Cut', {}, after)];
      expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
      expect([takenUp.status, takenUp.body.result.id]).toEqual([201, second.body.result.id]);
      expect(await callersEvents(after)).toHaveLength(events.length);
      await after.stop();
      rmSync(dataDir, { recursive: true });
    },
  );
});

it('ids of a seed are UUIDv7 of their time, ascend, and repeat', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: 0, max: 2 ** 42 }),
      fc.integer({ min: 1, max: 50 }),
      (seed, atMs, count) => {
        const [one, two] = [repeatableIds(seed, atMs), repeatableIds(seed, atMs)];
        const ids = Array.from({ length: count }, one);
        expect(Array.from({ length: count }, two)).toEqual(ids);
        expect([...ids].sort()).toEqual(ids);
        expect(new Set(ids).size).toBe(count);
        for (const id of ids) {
          expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
          expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(atMs);
        }
      },
    ),
  );
});

/** The headers of a key of another tenant, with a company of the same id. */
async function otherTenant(): Promise<Record<string, string>> {
  const { service, secret } = api;
  const { log, clock, newId } = service.reactorServices;
  const actor = { type: 'system' as const, id: 'test' };
  const tenantId = newId();
  const context = { log, clock, newId, tenantId, companyId: null, actor, correlationId: newId() };
  const createdAt = new Date().toISOString();
  await createCompany(context, { companyId: COMPANY, name: 'Theirs', automation: true, createdAt });
  const apiKeyId = newId();
  const key = `other-${newId()}`;
  await service.secrets.keepApiSecret(apiKeyId, secret);
  const scopes = [...SCOPES];
  const made = { apiKeyId, key, name: 'Other', scopes, companies: null, expiresAt: null, createdAt };
  await service.httpServices.waitFor(['companies', 'api-keys'], await createApiKey(context, made), 100_000);
  return { 'x-api-key': key };
}
