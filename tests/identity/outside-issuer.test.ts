import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOutsideIssuer, IssuerUnavailable, type OutsideIssuer } from '../../src/identity/outside-issuer.ts';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

const ISSUER = 'https://issuer.example.com';
const AUDIENCE = 'bank';
const EMAIL = 'ada@example.com';
const clock = { now: () => Date.parse('2026-03-01T08:00:00.000Z') };
const NOW = Math.floor(clock.now() / 1000);

let server: Server;
let jwksUrl: string;
let pair: Pair;
let published: JWK[] = [];
let answer: 'keys' | 'nothing' | 'error' = 'keys';
let fetched = 0;

beforeAll(async () => {
  server = createServer((_, response) => {
    fetched += 1;
    if (answer === 'nothing') return;
    response.writeHead(answer === 'error' ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: published }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  pair = await generateKeyPair('RS256');
  published = [await publicKey(pair, 'one')];
});
afterEach(() => {
  answer = 'keys';
  server.closeAllConnections();
});
afterAll(() => new Promise((closed) => server.close(closed)));

async function publicKey({ publicKey: key }: Pair, kid: string): Promise<JWK> {
  return { ...(await exportJWK(key)), kid, use: 'sig' };
}

const open = (cooldownMs?: number): OutsideIssuer =>
  createOutsideIssuer(
    { issuer: ISSUER, jwksUrl, audience: AUDIENCE },
    { clock, ...(cooldownMs === undefined ? {} : { cooldownMs }) },
  );

type TokenClaims = { issuer?: string; audience?: string; expires?: number; claims?: Record<string, unknown> };

function unsigned({
  issuer = ISSUER,
  audience = AUDIENCE,
  expires = NOW + 60,
  claims = {},
}: TokenClaims = {}): SignJWT {
  return new SignJWT({ sub: 'subject', iat: NOW - 5, email: EMAIL, email_verified: true, ...claims })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(expires);
}

const token = (claims?: TokenClaims, kid = 'one', { privateKey }: Pair = pair): Promise<string> =>
  unsigned(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);

const IDENTITY = { subject: 'subject', email: EMAIL, issuedAtMs: (NOW - 5) * 1_000 };

describe('a token of an outside issuer', () => {
  it('states subject, verified email and time of issue', async () => {
    expect(await open().identityOf(await token())).toEqual(IDENTITY);
  });

  it.each([
    ['of another issuer', { issuer: 'https://elsewhere.example.com' }],
    ['for another audience', { audience: 'shop' }],
    ['that has expired', { expires: NOW - 60 }],
    ['whose email is not verified', { claims: { email_verified: false } }],
    ['whose email is verified in words', { claims: { email_verified: 'true' } }],
    ['without an email', { claims: { email: undefined } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['with an empty subject', { claims: { sub: '' } }],
    ['without a time of issue', { claims: { iat: undefined } }],
    ['issued more than 24 hours ago', { claims: { iat: NOW - 86_410 } }],
    ['issued in the future', { claims: { iat: NOW + 60 } }],
  ] as const)('%s is none', async (_, claims) => {
    expect(await open().identityOf(await token(claims))).toBeNull();
  });

  it('is refused without a signature', async () => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      iss: ISSUER,
      aud: AUDIENCE,
      exp: NOW + 60,
      iat: NOW,
      sub: 'subject',
      email: EMAIL,
      email_verified: true,
    };
    expect(await open().identityOf(`${part({ alg: 'none', kid: 'one' })}.${part(claims)}.`)).toBeNull();
  });

  it('is refused when the public key was used as a secret to sign it', async () => {
    const secret = new TextEncoder().encode(await exportSPKI(pair.publicKey));
    const forged = await unsigned().setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
    expect(await open().identityOf(forged)).toBeNull();
  });

  it('signed with an unpublished key is refused, and invented keys do not cause endless fetching', async () => {
    const issuer = open();
    const before = fetched;
    const stranger = await generateKeyPair('RS256');
    for (const kid of ['one', 'two', 'three', 'four']) {
      expect(await issuer.identityOf(await token({}, kid, stranger))).toBeNull();
    }
    expect(fetched - before).toBe(1);
  });

  it('signed with a new key is accepted once the key is published', async () => {
    const issuer = open(0);
    expect(await issuer.identityOf(await token())).toEqual(IDENTITY);
    const next = await generateKeyPair('RS256');
    expect(await issuer.identityOf(await token({}, 'next', next))).toBeNull();
    published = [await publicKey(next, 'next')];
    expect(await issuer.identityOf(await token({}, 'next', next))).toEqual(IDENTITY);
    expect(await issuer.identityOf(await token())).toBeNull();
    published = [await publicKey(pair, 'one')];
  });

  it('cannot be verified while the keys cannot be fetched', async () => {
    for (const way of ['error', 'nothing'] as const) {
      answer = way;
      await expect(open().identityOf(await token())).rejects.toThrow(IssuerUnavailable);
    }
    const nowhere = createOutsideIssuer(
      { issuer: ISSUER, jwksUrl: 'http://127.0.0.1:1/keys', audience: AUDIENCE },
      { clock },
    );
    await expect(nowhere.identityOf(await token())).rejects.toThrow(IssuerUnavailable);
  });

  it('is refused when it is not a token', async () => {
    for (const text of ['', 'x', 'a.b.c', 'e30.e30.']) expect(await open().identityOf(text)).toBeNull();
  });
});
