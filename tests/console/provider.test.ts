import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, signIn } from '../support/signed-in.ts';
import { openConsole, startBrowser } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';

const ISSUER = 'https://issuer.example.com';
const CLIENT = 'bank-console';

let provider: Server;
let service: ConsoleService;
let browser: Browser;
let email = 'operator@acme.example';
const challenges = new Map<string, string>();

/** Whoever comes to the provider is the person that is named in `email`, without being asked. */
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one' };
  const idToken = (): Promise<string> =>
    new SignJWT({ email, email_verified: true })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(ISSUER)
      .setSubject(`subject of ${email}`)
      .setIssuedAt(Math.floor(Date.now() / 1_000) + 1)
      .setAudience(CLIENT)
      .setExpirationTime('5m')
      .sign(privateKey);
  provider = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://provider');
    if (url.pathname === '/keys') return void response.end(JSON.stringify({ keys: [jwk] }));
    if (url.pathname === '/authorize') {
      const code = `code-${challenges.size}`;
      challenges.set(code, url.searchParams.get('code_challenge') ?? '');
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.search = String(new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' }));
      return void response.writeHead(302, { location: back.href }).end();
    }
    let form = '';
    for await (const chunk of request) form += String(chunk);
    const given = new URLSearchParams(form);
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    if (challenges.get(given.get('code') ?? '') !== challenge) return void response.writeHead(400).end('{}');
    response.end(JSON.stringify({ id_token: await idToken(), token_type: 'Bearer' }));
  });
  await new Promise<void>((listening) => provider.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const environment = {
    OIDC_ISSUER: ISSUER,
    OIDC_JWKS_URL: `${url}/keys`,
    OIDC_AUDIENCE: 'bank-api',
    OIDC_AUTHORIZATION_URL: `${url}/authorize`,
    OIDC_TOKEN_URL: `${url}/token`,
    OIDC_CLIENT_ID: CLIENT,
  };
  [service, browser] = await Promise.all([startConsole({ planted: false, environment }), startBrowser()]);
  const { accessToken } = await signIn(service.api, service.people.admin);
  const users = await service.api.call<{ items: { id: string; email: string }[] }>(
    'GET',
    '/auth/users',
    undefined,
    bearer(accessToken),
  );
  const operator = users.body.result.items.find((one) => one.email === email);
  const allowed = { outsideLogin: 'allowed' };
  await service.api.call('PATCH', `/auth/users/${operator?.id}`, allowed, bearer(accessToken));
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await new Promise((closed) => provider.close(closed));
});

const button = { name: 'Use your organisation’s account' };

describe('signing in at an OpenID provider', () => {
  it('leads back to the page one came for, and leaves no code in the address', async () => {
    const { page, close } = await openConsole(browser, service, { path: '/transactions?currency=EUR' });
    await page.getByRole('button', button).click();
    await page.getByRole('heading', { level: 1, name: 'Transactions' }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/console/transactions?currency=EUR');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await close();
  });

  it('says so where the service refuses whom the provider names', async () => {
    email = 'stranger@acme.example';
    const { page, close } = await openConsole(browser, service);
    await page.getByRole('button', button).click();
    await page.getByText('may not sign in here').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await close();
  });

  it('takes no code that this tab has not asked for', async () => {
    const asked: string[] = [];
    const { page, close } = await openConsole(browser, service, { path: '/signed-in?code=code-0&state=made-up' });
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.getByLabel('Email').waitFor();
    expect(asked).not.toContain('POST /auth/session');
    expect(new URL(page.url()).search).toBe('');
    await close();
  });
});
