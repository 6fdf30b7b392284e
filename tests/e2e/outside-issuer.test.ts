import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTenant } from '../../src/commands/create-tenancy.ts';
import { bearer, firstAdmin, signIn } from '../support/signed-in.ts';
import { type Answer, eventually, startTestService, type TestService } from '../support/test-service.ts';

const ISSUER = 'https://issuer.example.com';

let keys: Server;
let api: TestService;
let admin: string;
let isUp = false;
let sign: (email: string, claims?: { issuer?: string; subject?: string; issuedAtMs?: number }) => Promise<string>;
/** By password, who may allow the login with the issuer. */
let person: Record<string, string | undefined>;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one' };
  sign = (
    email,
    { issuer = ISSUER, subject = `subject of ${email.toLowerCase()}`, issuedAtMs = Date.now() + 1_000 } = {},
  ) =>
    new SignJWT({ email, email_verified: true })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setSubject(subject)
      .setIssuedAt(Math.floor(issuedAtMs / 1_000))
      .setAudience('bank')
      .setExpirationTime('5m')
      .sign(privateKey);
  keys = createServer((_, response) => response.writeHead(isUp ? 200 : 503).end(JSON.stringify({ keys: [jwk] })));
  await new Promise<void>((listening) => keys.listen(0, '127.0.0.1', listening));
  api = await startTestService({
    environment: {
      OIDC_ISSUER: ISSUER,
      OIDC_JWKS_URL: `http://127.0.0.1:${(keys.address() as AddressInfo).port}/keys`,
      OIDC_AUDIENCE: 'bank',
    },
  });
  admin = firstAdmin(api).email;
  person = bearer((await signIn(api)).accessToken);
});
afterAll(async () => {
  await api.stop();
  await new Promise((closed) => keys.close(closed));
});

async function me(token: string): Promise<Answer<{ email: string; role: string }>> {
  return api.call('GET', '/auth/me', undefined, bearer(token));
}

/** Changes a user as the admin. */
async function change(id: string, body: object): Promise<Answer<{ outsideLogin: string }>> {
  return api.call('PATCH', `/auth/users/${id}`, body, person);
}

async function added(email: string, outsideLogin?: 'allowed'): Promise<string> {
  const { body } = await api.call<{ id: string }>('POST', '/auth/users', { email, role: 'analyst' }, person);
  if (outsideLogin !== undefined) await change(body.result.id, { outsideLogin });
  return body.result.id;
}

const REFUSED = [401, 'AUTHENTICATION_INVALID'];

async function expectRefused(token: string): Promise<void> {
  const answer = await me(token);
  expect([answer.status, answer.body.code]).toEqual(REFUSED);
}

describe('a token of an outside issuer', () => {
  it('cannot be judged while its keys cannot be fetched', async () => {
    const answer = await me(await sign(admin));
    expect([answer.status, answer.body.code]).toEqual([503, 'DEPENDENCY_UNAVAILABLE']);
    isUp = true;
  });

  it('admits no user whom no admin has allowed it', async () => {
    await added('not-allowed@example.com');
    await expectRefused(await sign('not-allowed@example.com'));
    await expectRefused(await sign(admin));
  });

  it('admits an allowed user in the role stored here, and from then on the same subject only', async () => {
    const id = await added('bound@example.com', 'allowed');
    const answer = await me(await sign('BOUND@example.com', { subject: 'first' }));
    expect(answer.body.result).toMatchObject({ email: 'bound@example.com', role: 'analyst' });
    const list = await api.call(
      'GET',
      '/banks/transactions',
      undefined,
      bearer(await sign('bound@example.com', { subject: 'first' })),
    );
    expect(list.status).toBe(200);
    await expectRefused(await sign('bound@example.com', { subject: 'second' }));
    const users = (): Promise<Answer<{ items: { id: string; outsideLogin: string }[] }>> =>
      api.call('GET', '/auth/users?limit=200', undefined, person);
    await eventually(users, ({ body }) =>
      body.result.items.some((user) => user.id === id && user.outsideLogin === 'bound'),
    );
    await change(id, { outsideLogin: 'allowed' });
    expect((await me(await sign('bound@example.com', { subject: 'second' }))).status).toBe(200);
    await change(id, { outsideLogin: 'none' });
    const refused = await sign('bound@example.com', { subject: 'second', issuedAtMs: Date.now() });
    await expectRefused(refused);
  });

  it('binds one of two subjects that come at once', async () => {
    await added('at-once@example.com', 'allowed');
    const subjects = ['one', 'two', 'three', 'four'];
    const answers = await Promise.all(
      subjects.map(async (subject) => me(await sign('at-once@example.com', { subject }))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('compares emails without compatibility folding', async () => {
    await added('fi@example.com', 'allowed');
    await expectRefused(await sign('\ufb01@example.com'));
    expect((await me(await sign('fi@example.com'))).status).toBe(200);
  });

  it('is invalid after a change of password, after the user was disabled and after 24 hours', async () => {
    const email = 'ended@example.com';
    const id = await added(email, 'allowed');
    const before = await sign(email, { issuedAtMs: Date.now() - 2_000 });
    expect((await me(before)).status).toBe(200);
    await change(id, { status: 'disabled' });
    await change(id, { status: 'active' });
    await expectRefused(await sign(email, { issuedAtMs: Date.now() - 2_000 }));
    expect((await me(await sign(email))).status).toBe(200);
    await expectRefused(await sign(email, { issuedAtMs: Date.now() - 25 * 3_600_000 }));
  });

  it('admits no unknown user, no disabled user and no other issuer', async () => {
    const id = await added('second@example.com', 'allowed');
    expect((await me(await sign('second@example.com'))).status).toBe(200);
    await change(id, { status: 'disabled' });
    for (const token of [
      await sign('second@example.com', { issuedAtMs: Date.now() + 3_000 }),
      await sign('stranger@example.com'),
      await sign(admin, { issuer: 'https://elsewhere.example.com' }),
      await sign(admin, { issuer: 'bank-connection-service' }),
    ]) {
      await expectRefused(token);
    }
  });

  describe('with an email in two tenants', () => {
    type Elsewhere = { readonly tenantId: string; readonly change: (body: object) => Promise<unknown> };

    /** A user with the email in another tenant, as its admin has added them. */
    async function elsewhere(email: string): Promise<Elsewhere> {
      const { log, clock, newId } = api.service.reactorServices;
      const { people } = api.service.httpServices;
      const tenantId = newId();
      const actor = { type: 'system' as const, id: 'test' };
      const context = { log, clock, newId, tenantId, companyId: null, actor, correlationId: newId() };
      await createTenant(context, { name: 'Elsewhere', createdAt: new Date().toISOString() });
      const added = await people.add(context, { email, role: 'auditor', displayName: null, password: newId() });
      if (!added.accepted) throw new Error(added.refused);
      return { tenantId, change: (body) => people.changeStanding(context, added.state.user?.id ?? '', body) };
    }

    const within = (token: string, tenantId: string) =>
      api.call<{ role: string }>('GET', '/auth/me', undefined, {
        ...bearer(token),
        'x-company-id': undefined,
        'x-tenant-id': tenantId,
      });

    it('counts where an admin has allowed it, whoever else knows the email', async () => {
      const email = 'known-elsewhere@example.com';
      await elsewhere(email);
      await expectRefused(await sign(email));
      await added(email, 'allowed');
      expect((await me(await sign(email))).body.result).toMatchObject({ role: 'analyst' });
    });

    it('stays in the tenant where its subject is bound, whatever another one allows', async () => {
      const email = 'bound-first@example.com';
      await added(email, 'allowed');
      expect((await me(await sign(email))).body.result).toMatchObject({ role: 'analyst' });
      const other = await elsewhere(email);
      await other.change({ outsideLogin: 'allowed' });
      expect((await me(await sign(email, { issuedAtMs: Date.now() }))).body.result).toMatchObject({ role: 'analyst' });
      const named = await within(await sign(email), other.tenantId);
      expect([named.status, named.body.result?.role]).toEqual([200, 'auditor']);
    });

    it('is asked for the tenant where it might count in both, and binds in the one that it names', async () => {
      const email = 'in-both@example.com';
      await added(email, 'allowed');
      const other = await elsewhere(email);
      await other.change({ outsideLogin: 'allowed' });
      const unclear = await me(await sign(email));
      expect([unclear.status, unclear.body.code]).toEqual([400, 'TENANT_REQUIRED']);
      const tenants = unclear.body.meta?.tenants as { id: string; name: string }[];
      expect(tenants.map(({ id }) => id).sort()).toEqual([api.tenantId, other.tenantId].sort());
      expect((await within(await sign(email), api.tenantId)).body.result).toMatchObject({ role: 'analyst' });
      expect((await within(await sign(email), other.tenantId)).body.result).toMatchObject({ role: 'auditor' });
      const again = await me(await sign(email));
      expect([again.status, again.body.code]).toEqual([400, 'TENANT_REQUIRED']);
      const nowhere = await within(await sign(email), 'never-issued');
      expect([nowhere.status, nowhere.body.code]).toEqual(REFUSED);
    });

    it('is judged for each tenant that it names, not as it was for the one before', async () => {
      const email = 'in-one@example.com';
      await added(email, 'allowed');
      const other = await elsewhere(email);
      const token = await sign(email);
      expect((await within(token, api.tenantId)).status).toBe(200);
      expect((await within(token, other.tenantId)).status).toBe(401);
    });
  });
});
