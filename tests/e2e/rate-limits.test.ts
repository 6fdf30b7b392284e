import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, signIn } from '../support/signed-in.ts';
import { setClock } from '../support/small-reactor-services.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const clock = setClock('2026-01-05T10:00:00.000Z');
let api: TestService;
beforeAll(async () => {
  api = await startTestService({
    clock,
    environment: { RATE_LIMIT_PER_MINUTE: '5', AUTH_FAILURES_PER_MINUTE: '3', TRUST_PROXY: '1' },
  });
});
afterAll(() => api.stop());

const from = (address: string) => ({ 'x-forwarded-for': `203.0.113.9, ${address}` });
const list = (headers: Record<string, string | undefined> = {}) =>
  api.call('GET', '/banks/accounts', undefined, headers);
const nextMinute = () => clock.pass(60_000 - (clock.now() % 60_000));

describe('the rate limit', () => {
  it('shows on every answer to a caller, and refuses one too many with the time to retry', async () => {
    nextMinute();
    clock.pass(20_000);
    const answers = [await list()];
    answers.push(await api.call('GET', '/banks/accounts/never-issued'));
    answers.push(await api.call('POST', '/banks/accounts', {}));
    answers.push(await list(), await list(), await list());
    const seen = answers.map(({ status, headers }) => [status, headers.get('ratelimit-remaining')]);
    expect(seen.map(([status]) => status)).toEqual([200, 404, 400, 200, 200, 429]);
    expect(seen.map(([, left]) => left)).toEqual(['4', '3', '2', '1', '0', '0']);
    const last = answers.at(-1);
    expect(last?.body.code).toBe('RATE_LIMITED');
    expect(last?.headers.get('ratelimit-limit')).toBe('5');
    expect(last?.headers.get('ratelimit-reset')).toBe('40');
    expect(last?.headers.get('retry-after')).toBe('40');
    nextMinute();
    expect((await list()).status).toBe(200);
  });

  it('counts what is refused for a lack of rights, and each caller alone', async () => {
    nextMinute();
    const admin = bearer((await signIn(api)).accessToken);
    const requested = { name: 'Narrow', scopes: ['rules:read'] };
    const made = await api.call<{ key: string; secret: string }>('POST', '/auth/api-keys', requested, admin);
    await api.service.httpServices.waitFor(['api-keys'], made.headers.get('x-log-position') ?? '', 100_000);
    const narrow = { 'x-api-key': made.body.result.key, 'x-api-secret': made.body.result.secret };
    const statuses: number[] = [];
    for (let nth = 0; nth < 6; nth += 1) statuses.push((await list(narrow)).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
    expect((await list()).status).toBe(200);
  });

  it('does not apply to health, version and the reference', async () => {
    nextMinute();
    for (const path of ['/health/live', '/version', '/openapi.json']) {
      for (let nth = 0; nth < 8; nth += 1) {
        const response = await fetch(`${api.service.url}${path}`);
        expect([response.status, response.headers.get('ratelimit-limit')]).toEqual([200, null]);
        await response.body?.cancel();
      }
    }
  });
});

describe('credentials that are wrong too often', () => {
  it('are no longer checked from that address, for the rest of the minute', async () => {
    nextMinute();
    const wrong = { 'x-api-secret': 'wrong' };
    for (let nth = 0; nth < 3; nth += 1) expect((await list({ ...wrong, ...from('198.51.100.1') })).status).toBe(401);
    const barred = await list({ ...wrong, ...from('198.51.100.1') });
    expect([barred.status, barred.body.code, barred.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '60']);
    expect((await list({ ...wrong, ...from('198.51.100.2') })).status).toBe(401);
    nextMinute();
    expect((await list({ ...wrong, ...from('198.51.100.1') })).status).toBe(401);
  });

  it('count as passwords and refresh tokens too, whatever email is tried', async () => {
    nextMinute();
    const there = from('198.51.100.4');
    const logIn = (nth: number) =>
      api.call('POST', '/auth/login', { email: `guess-${nth}@example.com`, password: 'a guess at a password' }, there);
    for (let nth = 0; nth < 2; nth += 1) expect((await logIn(nth)).body.code).toBe('LOGIN_FAILED');
    const refresh = await api.call('POST', '/auth/refresh', { refreshToken: 'bcr_guessed.token' }, there);
    expect(refresh.body.code).toBe('AUTHENTICATION_INVALID');
    expect((await logIn(9)).body.code).toBe('RATE_LIMITED');
    expect(
      (await api.call('POST', '/auth/login', { email: 'other@example.com', password: 'another guess' })).status,
    ).toBe(401);
  });

  it('do not lock out another client whose credentials were accepted a moment ago', async () => {
    nextMinute();
    expect((await list(from('198.51.100.3'))).status).toBe(200);
    for (let nth = 0; nth < 4; nth += 1) await list({ 'x-api-secret': `wrong-${nth}`, ...from('198.51.100.3') });
    expect((await list(from('198.51.100.3'))).status).toBe(200);
  });
});
