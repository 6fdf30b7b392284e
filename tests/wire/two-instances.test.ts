import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';
import { eventually } from '../support/test-service.ts';
import { withDatabase } from '../support/wire-database.ts';

const { EVENTSTORE_TEST_URL: log, MONGODB_TEST_URL: store } = process.env;
const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';
const LIMIT = 60;
/** The time within which the contract promises that it applies on every instance. */
const IN_FORCE_MS = 1_000;

type Headers = Readonly<Record<string, string>>;
type Answer<R> = {
  readonly status: number;
  readonly code?: string;
  readonly result: R;
  readonly headers: globalThis.Headers;
};

const dataDirs = [0, 1].map((nth) => mkdtempSync(join(tmpdir(), `bank-two-${nth}-`)));
let one: ServiceChild;
let other: ServiceChild;
let admin: Headers;
let key: Headers;

async function start(dataDir: string): Promise<ServiceChild> {
  const masterKey = Buffer.alloc(32, 1).toString('base64');
  return startServiceChild({
    DATA_DIR: dataDir,
    EVENTSTORE_URL: log ?? '',
    MONGODB_URL: withDatabase(store ?? '', `bank_${process.env.WIRE}`),
    ENCRYPTION_KEY: masterKey,
    TOKEN_KEY: masterKey,
    OPERATOR_TOKEN,
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
  });
}

async function ask<R = { id: string }>(
  { url }: ServiceChild,
  method: string,
  path: string,
  headers: Headers,
  body?: unknown,
): Promise<Answer<R>> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { ...((await response.json()) as Answer<R>), status: response.status, headers: response.headers };
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

type Pair = { accessToken: string; refreshToken: string };

async function signIn(at: ServiceChild, person: { email: string; password: string }): Promise<Pair> {
  const answer = await ask<Pair>(at, 'POST', '/auth/login', {}, { email: person.email, password: person.password });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return answer.result;
}

/** A key of the tenant, known at the second instance as well. */
async function newKey(): Promise<Headers & { id: string }> {
  const requested = { name: 'Two', scopes: ['connections:read', 'connections:write'] };
  const made = await ask<{ id: string; key: string; secret: string }>(one, 'POST', '/auth/api-keys', admin, requested);
  const headers = { ...key, 'x-api-key': made.result.key, 'x-api-secret': made.result.secret };
  await eventually(
    () => ask(other, 'GET', '/banks/accounts', headers),
    ({ status }) => status === 200,
    120_000,
  );
  return { ...headers, id: made.result.id };
}

beforeAll(async () => {
  if (log === undefined || store === undefined) return;
  one = await start(dataDirs[0] ?? '');
  other = await start(dataDirs[1] ?? '');
  type Tenant = {
    company: { id: string };
    admin: { email: string; password: string };
    apiKey: { key: string; secret: string };
  };
  const requested = { name: 'Two', adminEmail: `${randomUUID()}@example.com` };
  const made = await ask<Tenant>(one, 'POST', '/operator/tenants', bearer(OPERATOR_TOKEN), requested);
  const { company, apiKey } = made.result;
  key = { 'x-api-key': apiKey.key, 'x-api-secret': apiKey.secret, 'x-company-id': company.id };
  admin = bearer((await signIn(one, made.result.admin)).accessToken);
  await eventually(
    () => ask(other, 'GET', '/banks/accounts', key),
    ({ status }) => status === 200,
    60_000,
  );
});
afterAll(async () => {
  await Promise.all([one?.kill('SIGTERM'), other?.kill('SIGTERM')]);
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true });
});

describe.skipIf(log === undefined || store === undefined)('of two instances over the same stores', () => {
  it('each applies a revocation at the other within a second', async () => {
    const { id, ...credentials } = await newKey();
    expect((await ask(other, 'GET', '/banks/accounts', credentials)).status).toBe(200);
    expect((await ask(one, 'POST', `/auth/api-keys/${id}/revoke`, admin, {})).status).toBe(200);
    await wait(IN_FORCE_MS);
    for (const at of [one, other]) {
      const refused = await ask(at, 'GET', '/banks/accounts', credentials);
      expect([refused.status, refused.code]).toEqual([401, 'AUTHENTICATION_INVALID']);
    }
  });

  it('each applies a rotation at the other within a second', async () => {
    const { id, ...credentials } = await newKey();
    const rotated = await ask<{ secret: string }>(one, 'POST', `/auth/api-keys/${id}/rotate`, admin, {});
    await wait(IN_FORCE_MS);
    expect((await ask(other, 'GET', '/banks/accounts', credentials)).status).toBe(401);
    const fresh = { ...credentials, 'x-api-secret': rotated.result.secret };
    expect((await ask(other, 'GET', '/banks/accounts', fresh)).status).toBe(200);
  });

  it('each applies a logout, and the disabling of a user, at the other within a second', async () => {
    const person = { email: `${randomUUID()}@example.com`, password: 'a password of theirs' };
    const added = await ask(one, 'POST', '/auth/users', admin, { ...person, role: 'analyst' });
    const [first, second] = [await signIn(other, person), await signIn(one, person)];
    for (const { accessToken } of [first, second]) {
      expect((await ask(other, 'GET', '/auth/me', bearer(accessToken))).status).toBe(200);
    }
    expect((await ask(one, 'POST', '/auth/logout', {}, { refreshToken: first.refreshToken })).status).toBe(200);
    await wait(IN_FORCE_MS);
    expect((await ask(other, 'GET', '/auth/me', bearer(first.accessToken))).status).toBe(401);
    expect((await ask(other, 'POST', '/auth/refresh', {}, { refreshToken: first.refreshToken })).status).toBe(401);
    expect((await ask(other, 'GET', '/auth/me', bearer(second.accessToken))).status).toBe(200);
    const off = await ask(one, 'PATCH', `/auth/users/${added.result.id}`, admin, { status: 'disabled' });
    expect(off.status).toBe(200);
    await wait(IN_FORCE_MS);
    expect((await ask(other, 'GET', '/auth/me', bearer(second.accessToken))).status).toBe(401);
    expect((await ask(other, 'POST', '/auth/refresh', {}, { refreshToken: second.refreshToken })).status).toBe(401);
    expect((await ask(other, 'POST', '/auth/login', {}, person)).code).toBe('LOGIN_FAILED');
  });

  it('only one executes a request that both receive at once with the same idempotency key', async () => {
    const { id: _, ...credentials } = await newKey();
    for (let turn = 0; turn < 5; turn += 1) {
      const once = { ...credentials, 'idempotency-key': randomUUID() };
      const open = (at: ServiceChild) =>
        eventually(
          () => ask(at, 'POST', '/banks/accounts', once, { bankCode: 'demo', title: `Once ${turn}` }),
          ({ status }) => status !== 409,
        );
      const answers = await Promise.all([open(one), open(other)]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(answers[0]?.result.id).toBe(answers[1]?.result.id);
      const replayed = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
      expect(replayed.length).toBe(1);
      const reused = await ask(other, 'POST', '/banks/accounts', once, { bankCode: 'demo', title: 'Another' });
      expect([reused.status, reused.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('both together admit no more requests than the limit', async () => {
    const { id: _, ...credentials } = await newKey();
    // All in one window of the limit, which starts after the requests that created the key.
    await wait(60_000 - (Date.now() % 60_000) + 100);
    const statuses: { at: ServiceChild; status: number; after: string | null }[] = [];
    const client = async (at: ServiceChild): Promise<void> => {
      for (let nth = 0; nth < 15; nth += 1) {
        const { status, headers } = await ask(at, 'GET', '/banks/accounts?limit=1', credentials);
        statuses.push({ at, status, after: headers.get('retry-after') });
      }
    };
    await Promise.all([one, other, one, other, one, other, one, other].map(client));
    expect(Date.now() % 60_000).toBeLessThan(55_000);
    const admitted = statuses.filter(({ status }) => status === 200);
    expect(admitted.length).toBeLessThanOrEqual(LIMIT);
    expect(admitted.length).toBeGreaterThan(LIMIT / 2);
    expect(new Set(admitted.map(({ at }) => at)).size).toBe(2);
    const refused = statuses.filter(({ status }) => status === 429);
    expect(refused.length + admitted.length).toBe(statuses.length);
    expect(refused.every(({ after }) => Number(after) > 0)).toBe(true);
    for (const at of [one, other]) expect((await ask(at, 'GET', '/banks/accounts', credentials)).status).toBe(429);
  });
});
