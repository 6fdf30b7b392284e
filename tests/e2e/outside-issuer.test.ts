import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it('is over after a change of password, after a disabling and after 24 hours', async () => {
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

  it('admits no stranger, no disabled user and no other issuer', async () => {
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
});
