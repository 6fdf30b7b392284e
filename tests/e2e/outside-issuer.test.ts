import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, firstAdmin } from '../support/signed-in.ts';
import { type Answer, startTestService, type TestService } from '../support/test-service.ts';

const ISSUER = 'https://issuer.example.com';

let keys: Server;
let api: TestService;
let admin: string;
let isUp = false;
let sign: (email: string, issuer?: string) => Promise<string>;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one' };
  sign = (email, issuer = ISSUER) =>
    new SignJWT({ email, email_verified: true })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
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
});
afterAll(async () => {
  await api.stop();
  await new Promise((closed) => keys.close(closed));
});

async function me(token: string): Promise<Answer<{ email: string; role: string }>> {
  return api.call('GET', '/auth/me', undefined, bearer(token));
}

describe('a token of an outside issuer', () => {
  it('cannot be judged while its keys cannot be fetched', async () => {
    const answer = await me(await sign(admin));
    expect([answer.status, answer.body.code]).toEqual([503, 'DEPENDENCY_UNAVAILABLE']);
    isUp = true;
  });

  it('admits the user of that email, in the role stored here', async () => {
    const answer = await me(await sign(admin.toUpperCase()));
    expect(answer.body.result).toMatchObject({ email: admin, role: 'admin' });
    const list = await api.call('GET', '/banks/accounts', undefined, bearer(await sign(admin)));
    expect(list.status).toBe(200);
  });

  it('admits nobody else, and no disabled user', async () => {
    const body = { email: 'second@example.com', role: 'analyst' };
    const added = await api.call<{ id: string }>('POST', '/auth/users', body, bearer(await sign(admin)));
    expect((await me(await sign(body.email))).status).toBe(200);
    const off = { status: 'disabled' };
    await api.call('PATCH', `/auth/users/${added.body.result.id}`, off, bearer(await sign(admin)));
    for (const token of [
      await sign(body.email),
      await sign('stranger@example.com'),
      await sign(admin, 'https://elsewhere.example.com'),
      await sign(admin, 'bank-connection-service'),
    ]) {
      const answer = await me(token);
      expect([answer.status, answer.body.code]).toEqual([401, 'AUTHENTICATION_INVALID']);
    }
  });
});
