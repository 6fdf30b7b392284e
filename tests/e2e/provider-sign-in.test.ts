import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, signIn } from '../support/signed-in.ts';
import { type Answer, startTestService, type TestService } from '../support/test-service.ts';

const ISSUER = 'https://issuer.example.com';
const CLIENT = 'bank-console';
const VERIFIER = 'a-verifier-of-at-least-forty-three-characters-0001';

/** What the provider answers to the exchange of a code; a code that is not planted is refused. */
type Planted = { readonly challenge: string; readonly token: string };

let provider: Server;
let api: TestService;
let origin: string;
let person: Record<string, string | undefined>;
let tokenOf: (claims: { email: string; audience?: string; issuer?: string }) => Promise<string>;
const codes = new Map<string, Planted>();
const exchanges: Record<string, string>[] = [];
let failWith: number | null = null;

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one' };
  tokenOf = ({ email, audience = CLIENT, issuer = ISSUER }) =>
    new SignJWT({ email, email_verified: true })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setSubject(`subject of ${email}`)
      .setIssuedAt(Math.floor(Date.now() / 1_000) + 1)
      .setAudience(audience)
      .setExpirationTime('5m')
      .sign(privateKey);
  provider = createServer(async (request, response) => {
    if (request.url === '/keys') return void response.end(JSON.stringify({ keys: [jwk] }));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    exchanges.push(form);
    if (failWith === 302) return void response.writeHead(302, { location: 'https://elsewhere.example' }).end();
    if (failWith !== null) return void response.writeHead(failWith).end('x'.repeat(100_000));
    const planted = codes.get(form.code ?? '');
    codes.delete(form.code ?? '');
    const right = planted !== undefined && planted.challenge === challengeOf(form.code_verifier ?? '');
    if (!right) return void response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant' }));
    response.end(JSON.stringify({ id_token: planted.token, access_token: 'of the provider', token_type: 'Bearer' }));
  });
  await new Promise<void>((listening) => provider.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  api = await startTestService({
    environment: {
      OIDC_ISSUER: ISSUER,
      OIDC_JWKS_URL: `${url}/keys`,
      OIDC_AUDIENCE: 'bank-api',
      OIDC_AUTHORIZATION_URL: `${url}/authorize`,
      OIDC_TOKEN_URL: `${url}/token`,
      OIDC_CLIENT_ID: CLIENT,
      OIDC_CLIENT_SECRET: 'registered',
    },
  });
  origin = api.service.url;
  person = bearer((await signIn(api)).accessToken);
});
afterAll(async () => {
  await api.stop();
  await new Promise((closed) => provider.close(closed));
});

const withoutKey = { 'x-api-key': undefined, 'x-api-secret': undefined };
const exchanged = (code: string, verifier = VERIFIER): Promise<Answer<{ accessToken: string }>> =>
  api.call('POST', '/auth/session', { code, verifier }, { ...withoutKey, origin });

async function added(email: string, outsideLogin?: 'allowed'): Promise<void> {
  const { body } = await api.call<{ id: string }>('POST', '/auth/users', { email, role: 'analyst' }, person);
  if (outsideLogin !== undefined) await api.call('PATCH', `/auth/users/${body.result.id}`, { outsideLogin }, person);
}

async function planted(code: string, claims: Parameters<typeof tokenOf>[0]): Promise<void> {
  codes.set(code, { challenge: challengeOf(VERIFIER), token: await tokenOf(claims) });
}

describe('signing in at an OpenID provider', () => {
  it('is offered with what a page needs to send the person there', async () => {
    const { body } = await api.call<{ provider: object }>('GET', '/auth/session', undefined, withoutKey);
    expect(body.result.provider).toEqual({
      authorizationUrl: expect.stringMatching(/\/authorize$/),
      clientId: CLIENT,
      scope: 'openid email',
    });
    expect(JSON.stringify(body)).not.toContain('registered');
  });

  it('exchanges the code with its verifier for a session of this service', async () => {
    await added('ada@example.com', 'allowed');
    await planted('good', { email: 'ada@example.com' });
    const answer = await exchanged('good');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(/^bank_session=bcr_.*HttpOnly; SameSite=Strict$/);
    const me = await api.call<{ email: string; role: string }>(
      'GET',
      '/auth/me',
      undefined,
      bearer(answer.body.result.accessToken),
    );
    expect(me.body.result).toMatchObject({ email: 'ada@example.com', role: 'analyst' });
    expect(exchanges.at(-1)).toEqual({
      grant_type: 'authorization_code',
      code: 'good',
      redirect_uri: `${origin}/console/signed-in`,
      client_id: CLIENT,
      client_secret: 'registered',
      code_verifier: VERIFIER,
    });
  });

  it('refuses alike a code or verifier that is wrong, a token for another client, and a person nobody allowed', async () => {
    await added('not-allowed@example.com');
    await planted('once', { email: 'ada@example.com' });
    await planted('not-allowed', { email: 'not-allowed@example.com' });
    await planted('stranger', { email: 'stranger@example.com' });
    await planted('for-the-api', { email: 'ada@example.com', audience: 'bank-api' });
    await planted('of-another', { email: 'ada@example.com', issuer: 'https://another.example.com' });
    await planted('wrong-verifier', { email: 'ada@example.com' });
    expect((await exchanged('once')).status).toBe(200);
    for (const code of ['once', 'never-issued', 'not-allowed', 'stranger', 'for-the-api', 'of-another']) {
      const answer = await exchanged(code);
      expect([answer.status, answer.body.code, answer.headers.get('set-cookie')], code).toEqual([
        401,
        'LOGIN_FAILED',
        null,
      ]);
    }
    expect((await exchanged('wrong-verifier', `${VERIFIER}x`)).body.code).toBe('LOGIN_FAILED');
  });

  it('says that the provider is away when it does not answer as one, and follows it nowhere', async () => {
    for (const status of [500, 503, 200, 302]) {
      failWith = status;
      await planted('later', { email: 'ada@example.com' });
      const answer = await exchanged('later');
      expect([answer.status, answer.body.code], String(status)).toEqual([503, 'DEPENDENCY_UNAVAILABLE']);
    }
    failWith = null;
    await planted('later', { email: 'ada@example.com' });
    expect((await exchanged('later')).status).toBe(200);
  });
});
