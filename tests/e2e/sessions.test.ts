import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sent } from '../support/raw-request.ts';
import { bearer, firstAdmin } from '../support/signed-in.ts';
import { type Answer, eventually, startTestService, type TestService } from '../support/test-service.ts';

type Session = { accessToken: string; expiresIn: number };
type SignIn = { hasSession: boolean; provider: null };

let api: TestService;
let origin: string;

beforeAll(async () => {
  api = await startTestService();
  origin = api.service.url;
});
afterAll(() => api.stop());

const PATH = '/auth/session';
const own = (headers: Record<string, string> = {}) => ({
  'x-api-key': undefined,
  'x-api-secret': undefined,
  ...headers,
});
const opened = (headers: Record<string, string> = {}) =>
  api.call<Session>('POST', PATH, firstAdmin(api), own({ origin, ...headers }));
const renewed = (cookie: string, headers: Record<string, string> = {}) =>
  api.call<Session>('POST', `${PATH}/refresh`, undefined, own({ origin, cookie, ...headers }));
const closed = (cookie: string, headers: Record<string, string> = {}) =>
  api.call<{ ended: boolean }>('DELETE', PATH, undefined, own({ origin, cookie, ...headers }));
const me = (token: string) => api.call<{ email: string }>('GET', '/auth/me', undefined, bearer(token));

/** As a browser sends it back. */
function cookieOf({ headers }: Answer): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const FOREIGN: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://127.0.0.1:1' },
  { origin: '', 'sec-fetch-site': 'cross-site' },
];

describe('the session of a browser', () => {
  it('gives the page an access token, and keeps the refresh token where no script can read it', async () => {
    const answer = await opened();
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body.result).sort()).toEqual(['accessToken', 'expiresIn']);
    const [pair, ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
    expect(pair).toMatch(/^bank_session=bcr_/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/auth/session', 'SameSite=Strict']);
    expect((await me(answer.body.result.accessToken)).body.result.email).toBe(firstAdmin(api).email);
    expect(JSON.stringify(answer.body)).not.toContain('bcr_');
  });

  it('asks for TLS wherever the host is another machine', async () => {
    for (const host of ['bank.example.com', 'localhost.example.com', '10.0.0.1:3000']) {
      const body = JSON.stringify(firstAdmin(api));
      const head = `POST ${PATH} HTTP/1.1\r\nhost: ${host}\r\norigin: https://${host}\r\ncontent-type: application/json`;
      const answer = await sent(api.service.url, `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      expect([answer.status, answer.headers.get('set-cookie')], host).toEqual([
        200,
        expect.stringContaining('; Secure; '),
      ]);
    }
  });

  it('is renewed by its cookie, and ends when one is used that was replaced twice', async () => {
    const first = cookieOf(await opened());
    const next = await renewed(`other=1; ${first}; more=2`);
    expect(next.status).toBe(200);
    expect(cookieOf(next)).not.toBe(first);
    expect((await me(next.body.result.accessToken)).status).toBe(200);
    const third = await renewed(cookieOf(next));
    expect((await renewed(first)).body.code).toBe('AUTHENTICATION_INVALID');
    const stolen = await renewed(cookieOf(third));
    expect([stolen.status, stolen.body.code]).toEqual([401, 'AUTHENTICATION_INVALID']);
    expect(stolen.headers.get('set-cookie')).toContain('bank_session=; Max-Age=0; Path=/auth/session;');
  });

  it('goes on where the answer to a renewal was lost, or several ask at once', async () => {
    const first = cookieOf(await opened());
    const lost = await renewed(first);
    const again = await renewed(first);
    expect([again.status, cookieOf(again)]).toEqual([200, cookieOf(lost)]);
    const both = await Promise.all([renewed(cookieOf(again)), renewed(cookieOf(again))]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(both.map(cookieOf)).size).toBe(1);
    expect((await me(again.body.result.accessToken)).status).toBe(200);
  });

  it('forgives no refresh token that is used twice', async () => {
    const { email, password } = firstAdmin(api);
    type Pair = { refreshToken: string };
    const pair = await api.call<Pair>('POST', '/auth/login', { email, password }, own());
    const refreshed = ({ refreshToken }: Pair) => api.call<Pair>('POST', '/auth/refresh', { refreshToken }, own());
    const next = await refreshed(pair.body.result);
    expect((await refreshed(pair.body.result)).status).toBe(401);
    expect((await refreshed(next.body.result)).status).toBe(401);
  });

  it('is ended with its cookie and its access tokens', async () => {
    const answer = await opened();
    const ended = await closed(cookieOf(answer));
    expect(ended.body.result).toEqual({ ended: true });
    expect(ended.headers.get('set-cookie')).toContain('bank_session=; Max-Age=0;');
    await eventually(
      () => me(answer.body.result.accessToken),
      ({ status }) => status === 401,
    );
    expect((await renewed(cookieOf(answer))).status).toBe(401);
    expect((await closed('')).body.result).toEqual({ ended: false });
  });

  it('shows a page without a cookie that it has to sign in, by an answer that is no failure', async () => {
    const without = await api.call<SignIn>('GET', PATH, undefined, own());
    expect(without.body.result).toEqual({ hasSession: false, provider: null });
    const cookie = cookieOf(await opened());
    expect((await api.call<SignIn>('GET', PATH, undefined, own({ cookie }))).body.result.hasSession).toBe(true);
    expect((await renewed('')).body.code).toBe('AUTHENTICATION_INVALID');
  });

  it('refuses every page of another origin, and sets no cookie for it', async () => {
    const cookie = cookieOf(await opened());
    for (const headers of FOREIGN) {
      const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
      const { origin: _, ...bare } = { origin, ...own(given) };
      const sent = 'origin' in given ? { ...bare, origin: given.origin } : bare;
      for (const [method, path, body] of [
        ['POST', PATH, firstAdmin(api)],
        ['POST', `${PATH}/refresh`, undefined],
        ['DELETE', PATH, undefined],
      ] as const) {
        const answer = await api.call(method, path, body, { ...sent, cookie });
        expect([answer.status, answer.body.code], JSON.stringify({ headers, method })).toEqual([403, 'ORIGIN_REFUSED']);
        expect(answer.headers.get('set-cookie')).toBeNull();
      }
    }
    expect((await renewed(cookie)).status, 'the session of the cookie goes on').toBe(200);
  });

  it('is no credential of any other path', async () => {
    const cookie = cookieOf(await opened());
    for (const path of ['/auth/me', '/banks/transactions']) {
      expect((await api.call('GET', path, undefined, own({ cookie, origin }))).status).toBe(401);
    }
  });

  it('is refused for a wrong password as for an unknown email', async () => {
    const wrong = await api.call('POST', PATH, { ...firstAdmin(api), password: 'wrong' }, own({ origin }));
    const unknown = { email: `${randomUUID()}@example.com`, password: 'wrong' };
    const nobody = await api.call('POST', PATH, unknown, own({ origin }));
    const { requestId: _, ...meta } = wrong.body.meta ?? {};
    const { requestId: __, ...other } = nobody.body.meta ?? {};
    expect([wrong.status, wrong.body.code, meta]).toEqual([nobody.status, nobody.body.code, other]);
    expect(wrong.body.code).toBe('LOGIN_FAILED');
    expect(wrong.headers.get('set-cookie')).toBeNull();
  });

  it('takes no code where no provider is configured', async () => {
    const grant = { code: 'any', verifier: 'v'.repeat(43) };
    expect((await api.call('POST', PATH, grant, own({ origin }))).body.code).toBe('LOGIN_FAILED');
  });
});
