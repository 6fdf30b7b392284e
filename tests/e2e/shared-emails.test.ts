import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, type Pair, signIn } from '../support/signed-in.ts';
import { type Answer, startTestService, type TestService } from '../support/test-service.ts';

type NewTenant = { tenant: { id: string; name: string }; admin: { email: string; password: string } };
type User = { id: string; email: string };
type Side = { readonly id: string; readonly name: string; readonly admin: Record<string, string | undefined> };

const OPERATOR_TOKEN = 'operator-token-0001-of-32-characters';

let api: TestService;
let one: Side;
let two: Side;

beforeAll(async () => {
  api = await startTestService({ environment: { OPERATOR_TOKEN }, wait: async () => {} });
  one = await tenant('One');
  two = await tenant('Two');
});
afterAll(() => api.stop());

const newEmail = (): string => `${randomUUID()}@example.com`;

async function tenant(name: string, adminEmail = newEmail()): Promise<Side> {
  const headers = { ...bearer(OPERATOR_TOKEN), 'x-company-id': undefined };
  const { body } = await api.call<NewTenant>('POST', '/operator/tenants', { name, adminEmail }, headers);
  const { accessToken } = await signIn(api, body.result.admin);
  return { id: body.result.tenant.id, name, admin: { ...bearer(accessToken), 'x-company-id': undefined } };
}

async function added(side: Side, email: string, password: string): Promise<Answer<User>> {
  return api.call<User>('POST', '/auth/users', { email, role: 'analyst', password }, side.admin);
}

const logIn = (body: object): Promise<Answer<Pair>> => api.call<Pair>('POST', '/auth/login', body);

async function tenantOf(answer: Answer<Pair>): Promise<string> {
  expect(answer.status).toBe(200);
  const headers = { ...bearer(answer.body.result.accessToken), 'x-company-id': undefined };
  const me = await api.call<{ tenant: { id: string } }>('GET', '/auth/me', undefined, headers);
  return me.body.result.tenant.id;
}

describe('an email that another tenant knows', () => {
  it('is added like one that nobody knows, and each person signs in to their own tenant', async () => {
    const email = newEmail();
    await added(one, email, 'a password of tenant one');
    const known = await added(two, email, 'a password of tenant two');
    const unknown = await added(two, newEmail(), 'a password of tenant two');
    expect([known.status, unknown.status]).toEqual([201, 201]);
    expect(Object.keys(known.body.result)).toEqual(Object.keys(unknown.body.result));
    expect([...known.headers.keys()].sort()).toEqual([...unknown.headers.keys()].sort());
    expect(await tenantOf(await logIn({ email, password: 'a password of tenant one' }))).toBe(one.id);
    expect(await tenantOf(await logIn({ email, password: 'a password of tenant two' }))).toBe(two.id);
  });

  it('belongs to one user of each tenant, however it is written', async () => {
    const email = newEmail();
    for (const side of [one, two]) {
      expect((await added(side, email, 'a planted password')).status).toBe(201);
      const again = await added(side, email.toUpperCase(), 'a planted password');
      expect([again.status, again.body.code]).toEqual([409, 'USER_EXISTS']);
    }
  });

  it('can be the email of a new tenant’s admin', async () => {
    const email = newEmail();
    await added(one, email, 'a password of tenant one');
    const three = await tenant('Three', email);
    expect(three.id).not.toBe(one.id);
    expect(await tenantOf(await logIn({ email, password: 'a password of tenant one' }))).toBe(one.id);
  });

  it('can be added by both tenants at once', async () => {
    const email = newEmail();
    const both = await Promise.all([
      added(one, email, 'a password of tenant one'),
      added(two, email, 'a password of tenant two'),
    ]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect(await tenantOf(await logIn({ email, password: 'a password of tenant one' }))).toBe(one.id);
    expect(await tenantOf(await logIn({ email, password: 'a password of tenant two' }))).toBe(two.id);
  });

  it('fails with the one body of every failed login, with a tenant named and without', async () => {
    const email = newEmail();
    await added(one, email, 'a password of tenant one');
    await added(two, email, 'a password of tenant two');
    const headers = { 'x-request-id': 'fixed-id-1' };
    const bodies = [];
    for (const body of [
      { email, password: 'wrong' },
      { email: newEmail(), password: 'wrong' },
      { email, password: 'wrong', tenantId: two.id },
      { email, password: 'a password of tenant one', tenantId: two.id },
      { email, password: 'a password of tenant one', tenantId: 'never-issued' },
      { email: newEmail(), password: 'wrong', tenantId: two.id },
    ]) {
      const answer = await api.call('POST', '/auth/login', body, headers);
      expect(answer.status).toBe(401);
      bodies.push(answer.body);
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]?.code).toBe('LOGIN_FAILED');
  });

  it('signs in with the same password in both tenants by naming one of those that the answer lists', async () => {
    const email = newEmail();
    const password = 'the same password in both';
    for (const side of [one, two]) await added(side, email, password);
    const unclear = await logIn({ email, password });
    expect([unclear.status, unclear.body.code]).toEqual([400, 'TENANT_REQUIRED']);
    const named = unclear.body.meta?.tenants as { id: string; name: string }[];
    expect(named.map(({ name }) => name).sort()).toEqual(['One', 'Two']);
    for (const { id } of named) expect(await tenantOf(await logIn({ email, password, tenantId: id }))).toBe(id);
  });

  it('signs in without a tenant where all but one have disabled the user', async () => {
    const email = newEmail();
    const password = 'the same password in both';
    await added(one, email, password);
    const { id } = (await added(two, email, password)).body.result;
    await api.call('PATCH', `/auth/users/${id}`, { status: 'disabled' }, two.admin);
    expect(await tenantOf(await logIn({ email, password }))).toBe(one.id);
    expect((await logIn({ email, password, tenantId: two.id })).body.code).toBe('LOGIN_FAILED');
  });
});
