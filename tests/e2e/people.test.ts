import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTenant } from '../../src/commands/create-tenancy.ts';
import { createApp } from '../../src/http/core/app.ts';
import { forgetAnswer } from '../support/repeated-request.ts';
import { bearer, type Credentials, firstAdmin, type Pair, signIn } from '../support/signed-in.ts';
import { type Answer, COMPANY, eventually, startTestService, type TestService } from '../support/test-service.ts';

type User = { id: string; email: string; role: string; status: string };
type List<Item> = { items: Item[]; nextCursor: string | null };

const PASSWORD = 'a planted password';
/** A verdict on a token is taken for half a second. */
const WITHIN_A_SECOND_MS = 1_000;

let api: TestService;
let admin: Record<string, string | undefined>;
let waits: number[] = [];

beforeAll(async () => {
  api = await startTestService({
    wait: async (ms) => {
      waits.push(ms);
    },
  });
  admin = bearer((await signIn(api)).accessToken);
});
beforeEach(() => {
  waits = [];
});
afterAll(() => api.stop());

const newEmail = (): string => `${randomUUID()}@example.com`;

async function added(role = 'analyst', email = newEmail()): Promise<User & Credentials> {
  const answer = await api.call<User>('POST', '/auth/users', { email, role, password: PASSWORD }, admin);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return { ...answer.body.result, password: PASSWORD };
}

async function signedIn(role?: string): Promise<{ user: User & Credentials; pair: Pair }> {
  const user = await added(role);
  return { user, pair: await signIn(api, user) };
}

const me = (token: string) => api.call<Record<string, unknown>>('GET', '/auth/me', undefined, bearer(token));
const refresh = (refreshToken: string) => api.call<Pair>('POST', '/auth/refresh', { refreshToken });
const logOut = (refreshToken: string) => api.call('POST', '/auth/logout', { refreshToken });
const logIn = (email: string, password: string, headers = {}) =>
  api.call<Pair>('POST', '/auth/login', { email, password }, headers);
const change = (id: string, body: object, as = admin) => api.call<User>('PATCH', `/auth/users/${id}`, body, as);

const said = ({ status, body }: Answer) => [status, body.code];
const REFUSED = [401, 'AUTHENTICATION_INVALID'];

async function refusedWithinASecond(ask: () => Promise<Answer>): Promise<void> {
  await eventually(ask, (answer) => answer.status === 401, WITHIN_A_SECOND_MS);
}

describe('signing in with an idempotency key', () => {
  it('gets the same session again, and refreshing the same pair', async () => {
    const { user } = await signedIn();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await logIn(user.email, PASSWORD, headers);
    const again = await logIn(user.email, PASSWORD, headers);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const refreshUnder = (refreshToken: string, key: string) =>
      api.call<Pair>('POST', '/auth/refresh', { refreshToken }, { 'idempotency-key': key });
    const key = randomUUID();
    const { refreshToken } = first.body.result;
    const refreshed = await refreshUnder(refreshToken, key);
    expect((await refreshUnder(refreshToken, key)).body).toEqual(refreshed.body);
    // It was no second spending of the token, so the session lives on.
    expect((await refreshUnder(refreshed.body.result.refreshToken, randomUUID())).status).toBe(200);
    expect((await refreshUnder(refreshToken, randomUUID())).status).toBe(401);
  });

  it('tries and counts another password under the same key, and keeps no refusal', async () => {
    const { user } = await signedIn();
    const headers = { 'idempotency-key': randomUUID() };
    expect((await logIn(user.email, PASSWORD, headers)).status).toBe(200);
    const wrong = await logIn(user.email, `not ${PASSWORD}`, headers);
    expect([wrong.status, wrong.body.code]).toEqual([401, 'LOGIN_FAILED']);
    const again = await logIn(user.email, `not ${PASSWORD}`, headers);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([401, null]);
  });

  it('is completed where a request was cut off after the work and before the answer', async () => {
    const { pair } = await signedIn();
    const key = randomUUID();
    const spend = () =>
      api.call<Pair>('POST', '/auth/refresh', { refreshToken: pair.refreshToken }, { 'idempotency-key': key });
    expect((await spend()).status).toBe(200);
    await forgetAnswer(api, key);
    const again = await spend();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect((await refresh(again.body.result.refreshToken)).status).toBe(200);
  });
});

describe('signing in', () => {
  it('gives a short token for requests and a long one for the next pair', async () => {
    const { user, pair } = await signedIn('operator');
    expect(pair).toMatchObject({ expiresIn: 900, tokenType: 'Bearer', refreshToken: expect.stringMatching(/^bcr_/) });
    const { body } = await me(pair.accessToken);
    expect(body.result).toMatchObject({
      id: user.id,
      email: user.email,
      role: 'operator',
      tenant: { id: api.tenantId, name: 'First tenant' },
      companies: expect.arrayContaining([{ id: COMPANY, name: 'First tenant' }]),
    });
    const next = await refresh(pair.refreshToken);
    expect(next.status).toBe(200);
    expect(next.headers.get('cache-control')).toBe('no-store');
    expect((await me(next.body.result.accessToken)).status).toBe(200);
  });

  it('recognises an email in any spelling', async () => {
    const user = await added('analyst', `Ada.${randomUUID()}@Example.com`);
    expect((await logIn(`  ${user.email.toUpperCase()} `, PASSWORD)).status).toBe(200);
  });

  it('fails with the same body for an unknown email, a wrong password and a disabled user', async () => {
    const off = await added();
    await change(off.id, { status: 'disabled' });
    const on = await added();
    const bodies = [];
    for (const [email, password] of [
      [newEmail(), PASSWORD],
      [on.email, 'wrong'],
      [off.email, PASSWORD],
      ['no address', 'x'],
    ] as const) {
      const answer = await logIn(email, password, { 'x-request-id': 'fixed-id-1' });
      expect(answer.status).toBe(401);
      bodies.push(answer.body);
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]?.code).toBe('LOGIN_FAILED');
  });

  it('is slowed after 5 failures, for a known email and an unknown one alike, also after a success', async () => {
    const known = await added();
    for (const email of [known.email, newEmail()]) {
      waits = [];
      for (let nth = 0; nth < 7; nth += 1) await logIn(email, 'wrong');
      expect(waits.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 1_000]);
      // And what is left of the wait before, of which a slow machine leaves nothing.
      expect(waits[6]).toBeGreaterThanOrEqual(2_000);
    }
    expect((await logIn(known.email, PASSWORD)).status).toBe(200);
    waits = [];
    await logIn(known.email, 'wrong');
    // None was waited where the attempt was asked to retry later.
    expect(waits[0] ?? Infinity).toBeGreaterThanOrEqual(4_000);
  });

  it('is not slowed by successes', async () => {
    const { email } = await added();
    for (let nth = 0; nth < 7; nth += 1) expect((await logIn(email, PASSWORD)).status).toBe(200);
    expect(waits).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('refuses callers that would wait too long, with the time to retry', async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 20 }, () => logIn(email, 'wrong')));
    const away = answers.filter((answer) => answer.status === 429);
    expect(away).toHaveLength(12);
    expect(away[0]?.body.code).toBe('RATE_LIMITED');
    expect(Number(away[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    // The right password waits its turn as a wrong one does.
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(8);
  });
});

describe('a session', () => {
  it('ends permanently when a used token is sent again, and so do the newest token and the access tokens', async () => {
    const { pair } = await signedIn();
    const next = (await refresh(pair.refreshToken)).body.result;
    expect(said(await refresh(pair.refreshToken))).toEqual(REFUSED);
    expect(said(await refresh(next.refreshToken))).toEqual(REFUSED);
    await refusedWithinASecond(() => me(next.accessToken));
  });

  it('gives one pair when its token is sent twice at once', async () => {
    const { pair } = await signedIn();
    const both = await Promise.all([refresh(pair.refreshToken), refresh(pair.refreshToken)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('ends with a logout, which may be repeated', async () => {
    const { pair } = await signedIn();
    expect((await me(pair.accessToken)).status).toBe(200);
    expect((await logOut(pair.refreshToken)).status).toBe(200);
    expect((await logOut(pair.refreshToken)).status).toBe(200);
    expect(said(await refresh(pair.refreshToken))).toEqual(REFUSED);
    await refusedWithinASecond(() => me(pair.accessToken));
  });

  it('is a new one for each login', async () => {
    const { user, pair } = await signedIn();
    const other = await signIn(api, user);
    await logOut(pair.refreshToken);
    expect((await me(other.accessToken)).status).toBe(200);
  });

  it('is refused with the same body whatever is wrong with its token', async () => {
    const { pair } = await signedIn();
    const [head = '', mac = ''] = pair.refreshToken.split('.');
    const forged = Buffer.from(Buffer.from(head.slice(4), 'base64url').toString().replace(/1$/, '2')).toString(
      'base64url',
    );
    for (const broken of [`${head}.${mac.slice(0, -2)}AA`, `bcr_${forged}.${mac}`, 'bcr_x', head, pair.accessToken]) {
      expect(said(await refresh(broken))).toEqual(REFUSED);
      expect(said(await logOut(broken))).toEqual(REFUSED);
    }
    expect((await refresh(pair.refreshToken)).status).toBe(200);
  });

  it('gives no access with a token that was changed, is of another key, or is missing', async () => {
    const { pair } = await signedIn();
    const [head, payload = '', signature] = pair.accessToken.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: firstAdmin(api).email })).toString('base64url');
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const tokens = [`${head}.${changed}.${signature}`, `${none}.${payload}.`, 'x', pair.refreshToken];
    for (const token of tokens) expect(said(await me(token))).toEqual(REFUSED);
  });
});

describe('what a user may', () => {
  it('is what the role says, on the banks as on the people', async () => {
    const rule = { name: 'r' };
    const reads = '/banks/transactions';
    for (const [role, list, write, people] of [
      ['admin', 200, 400, 200],
      ['operator', 200, 400, 403],
      ['analyst', 200, 403, 403],
      ['auditor', 200, 403, 403],
    ] as const) {
      const as = bearer((await signedIn(role)).pair.accessToken);
      expect([role, (await api.call('GET', reads, undefined, as)).status]).toEqual([role, list]);
      expect([role, (await api.call('POST', '/banks/transaction-rules', rule, as)).status]).toEqual([role, write]);
      expect([role, (await api.call('GET', '/auth/users', undefined, as)).status]).toEqual([role, people]);
    }
  });

  it('changes within a second with the role', async () => {
    const { user, pair } = await signedIn('analyst');
    const users = () => api.call('GET', '/auth/users', undefined, bearer(pair.accessToken));
    expect((await users()).status).toBe(403);
    expect((await change(user.id, { role: 'admin' })).status).toBe(200);
    await eventually(users, ({ status }) => status === 200, WITHIN_A_SECOND_MS);
    await change(user.id, { role: 'auditor' });
    await eventually(users, ({ status }) => status === 403, WITHIN_A_SECOND_MS);
  });

  it('loses access within a second of being disabled; earlier sessions stay ended', async () => {
    const { user, pair } = await signedIn();
    expect((await me(pair.accessToken)).status).toBe(200);
    expect((await change(user.id, { status: 'disabled' })).body.result.status).toBe('disabled');
    await refusedWithinASecond(() => me(pair.accessToken));
    expect(said(await refresh(pair.refreshToken))).toEqual(REFUSED);
    await change(user.id, { status: 'active' });
    expect(said(await refresh(pair.refreshToken))).toEqual(REFUSED);
    expect((await signIn(api, user)).accessToken).toEqual(expect.any(String));
  });

  it('is refused for keys where only people are allowed', async () => {
    for (const path of ['/auth/me', '/auth/users']) {
      expect(said(await api.call('GET', path))).toEqual([401, 'AUTHENTICATION_REQUIRED']);
    }
  });
});

describe('the profile of a user', () => {
  it('sets what is named, clears what is null, and keeps the rest', async () => {
    const { pair } = await signedIn();
    const as = bearer(pair.accessToken);
    const patch = (body: object) => api.call<Record<string, unknown>>('PATCH', '/auth/me', body, as);
    const profile = { displayName: 'Ada', locale: 'tr-tr', timezone: 'Europe/Istanbul', defaultCompanyId: COMPANY };
    expect((await patch(profile)).body.result).toMatchObject({ ...profile, locale: 'tr-TR' });
    const cleared = await patch({ locale: null });
    expect(cleared.body.result).toMatchObject({ displayName: 'Ada', locale: null, timezone: 'Europe/Istanbul' });
    const same = await patch({});
    expect([same.status, same.headers.get('x-log-position')]).toEqual([200, null]);
    expect(same.body.result).toEqual(cleared.body.result);
    expect((await me(pair.accessToken)).body.result).toEqual(cleared.body.result);
  });

  it('refuses what is no language, no time zone and no company of the tenant', async () => {
    const as = bearer((await signedIn()).pair.accessToken);
    for (const body of [
      { locale: 'not a locale' },
      { timezone: 'Mars/Olympus' },
      { timezone: '+03:00' },
      { displayName: '' },
      { email: 'x@example.com' },
    ]) {
      expect(said(await api.call('PATCH', '/auth/me', body, as))).toEqual([400, 'VALIDATION_FAILED']);
    }
    const company = await api.call('PATCH', '/auth/me', { defaultCompanyId: 'never-issued' }, as);
    expect(said(company)).toEqual([404, 'COMPANY_NOT_FOUND']);
  });
});

describe('a password', () => {
  const replace = (token: string, currentPassword: string, newPassword: string) =>
    api.call<Pair>('POST', '/auth/me/password', { currentPassword, newPassword }, bearer(token));

  it('that is replaced ends every session and begins another', async () => {
    const { user, pair } = await signedIn();
    const elsewhere = await signIn(api, user);
    const answer = await replace(pair.accessToken, PASSWORD, 'another planted password');
    expect(answer.status).toBe(200);
    const fresh = answer.body.result;
    expect((await me(fresh.accessToken)).status).toBe(200);
    for (const old of [pair, elsewhere]) {
      expect(said(await refresh(old.refreshToken))).toEqual(REFUSED);
      await refusedWithinASecond(() => me(old.accessToken));
    }
    expect((await refresh(fresh.refreshToken)).status).toBe(200);
    expect((await logIn(user.email, PASSWORD)).status).toBe(401);
    expect((await logIn(user.email, 'another planted password')).status).toBe(200);
  });

  it('is replaced only by someone who knows it, slowed like a login', async () => {
    const { user, pair } = await signedIn();
    for (let nth = 0; nth < 6; nth += 1) {
      expect(said(await replace(pair.accessToken, 'wrong', 'another planted password'))).toEqual([
        422,
        'PASSWORD_WRONG',
      ]);
    }
    expect(waits.at(-1)).toBe(1_000);
    expect((await logIn(user.email, PASSWORD)).status).toBe(200);
  });

  it('is generated where none is given, and shown once', async () => {
    const body = { email: newEmail(), role: 'analyst' };
    const answer = await api.call<User & Credentials>('POST', '/auth/users', body, admin);
    const { password, id } = answer.body.result;
    expect((await logIn(body.email, password)).status).toBe(200);
    const list = await api.call<List<User>>('GET', '/auth/users?limit=200', undefined, {
      ...admin,
      'x-min-log-position': answer.headers.get('x-log-position') ?? '',
    });
    expect(list.body.result.items.find((one) => one.id === id)).toMatchObject({ status: 'active', role: 'analyst' });
    expect(JSON.stringify(list.body)).not.toContain(password);
  });

  it('or token is in no file, event or log line', async () => {
    const { user, pair } = await signedIn();
    const secrets = [user.password, pair.refreshToken, pair.accessToken, firstAdmin(api).password];
    await refresh(pair.refreshToken);
    for (const name of readdirSync(api.dataDir)) {
      const path = join(api.dataDir, name);
      if (statSync(path).isDirectory()) continue;
      const content = readFileSync(path);
      for (const secret of secrets) expect([name, content.includes(secret)]).toEqual([name, false]);
    }
    for (const secret of secrets) expect(api.logLines.join('\n')).not.toContain(secret);
  });
});

describe('the users of a tenant', () => {
  /** The API as another tenant's admin, who was never there for the first one. */
  async function elsewhere(): Promise<{ as: Record<string, string | undefined>; admin: User; tenantId: string }> {
    const { log, clock, newId } = api.service.reactorServices;
    const tenantId = newId();
    const actor = { type: 'system' as const, id: 'test' };
    const context = { log, clock, newId, tenantId, companyId: null, actor, correlationId: newId() };
    await createTenant(context, { name: 'Elsewhere', createdAt: new Date().toISOString() });
    const email = newEmail();
    const outcome = await api.service.httpServices.people.add(context, {
      email,
      role: 'admin',
      displayName: null,
      password: PASSWORD,
    });
    if (!outcome.accepted) throw new Error(outcome.refused);
    const id = outcome.state.user?.id ?? '';
    await api.service.httpServices.waitFor(['users'], outcome.position ?? '', 100_000);
    const { accessToken } = await signIn(api, { email, password: PASSWORD });
    return { as: bearer(accessToken), admin: { id, email, role: 'admin', status: 'active' }, tenantId };
  }
  const without = { 'x-company-id': undefined };

  it('have emails that nobody else in the tenant has, in any spelling', async () => {
    const user = await added();
    const body = { email: user.email.toUpperCase(), role: 'analyst' };
    const answer = await api.call('POST', '/auth/users', body, admin);
    expect(said(answer)).toEqual([409, 'USER_EXISTS']);
    expect(Object.keys(answer.body.meta ?? {})).toEqual(['requestId']);
    expect((await logIn(user.email, PASSWORD)).status).toBe(200);
  });

  it('are one where two are added with one email at once', async () => {
    const body = { email: newEmail(), role: 'analyst', password: PASSWORD };
    const all = await Promise.all([1, 2, 3].map(() => api.call('POST', '/auth/users', body, admin)));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await logIn(body.email, PASSWORD)).status).toBe(200);
  });

  it('can neither be seen nor changed by another tenant', async () => {
    const user = await added();
    const other = await elsewhere();
    const as = { ...other.as, ...without };
    const list = await api.call<List<User>>('GET', '/auth/users', undefined, as);
    expect(list.body.result.items.map(({ id }) => id)).toEqual([other.admin.id]);
    const theirs = await change(user.id, { role: 'admin' }, as);
    const nobodys = await change('never-issued', { role: 'admin' }, as);
    expect([said(theirs), said(nobodys)]).toEqual([
      [404, 'USER_NOT_FOUND'],
      [404, 'USER_NOT_FOUND'],
    ]);
  });

  it('keep at least one admin, also when two disable each other at once', async () => {
    const { as, admin: first } = await elsewhere();
    const own = { ...as, ...without };
    expect(said(await change(first.id, { status: 'disabled' }, own))).toEqual([409, 'LAST_ADMIN']);
    expect(said(await change(first.id, { role: 'auditor' }, own))).toEqual([409, 'LAST_ADMIN']);
    const body = { email: newEmail(), role: 'admin', password: PASSWORD };
    const answer = await api.call<User>('POST', '/auth/users', body, own);
    await api.service.httpServices.waitFor(['users'], answer.headers.get('x-log-position') ?? '', 100_000);
    const second = { ...bearer((await signIn(api, body)).accessToken), ...without };
    const both = await Promise.all([
      change(first.id, { role: 'auditor' }, second),
      change(answer.body.result.id, { status: 'disabled' }, own),
    ]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    // The other was refused for being the last admin, or for being none any more by then.
    expect(['LAST_ADMIN', 'PERMISSION_DENIED', 'AUTHENTICATION_INVALID']).toContain(
      both.map(({ body: { code } }) => code).find((code) => code !== undefined),
    );
  });

  it('may use an email that a crash left claimed by nobody', async () => {
    const email = newEmail();
    const { httpServices: services } = api.service;
    const broken = createApp({
      ...services,
      people: {
        ...services.people,
        add: (context, wanted) =>
          services.people.add(
            { ...context, log: { ...context.log, readStreamPositions: async () => [], append: lost } as never },
            wanted,
          ),
      },
    });
    const body = JSON.stringify({ email, role: 'analyst', password: PASSWORD });
    const failed = await broken.request('/auth/users', {
      method: 'POST',
      headers: { authorization: admin.authorization ?? '', 'content-type': 'application/json' },
      body,
    });
    expect(failed.status).toBe(500);
    expect((await logIn(email, PASSWORD)).status).toBe(401);
    await added('analyst', email);
    expect((await logIn(email, PASSWORD)).status).toBe(200);
  });
});

function lost(): Promise<never> {
  return Promise.reject(new Error('planted'));
}

describe('companies', () => {
  it('are added by an admin, and then named in requests', async () => {
    const answer = await api.call<{ id: string }>('POST', '/auth/companies', { name: 'Second' }, admin);
    expect(answer.status).toBe(201);
    const { id } = answer.body.result;
    const position = answer.headers.get('x-log-position') ?? '';
    const list = await api.call<List<{ id: string }>>('GET', '/auth/companies', undefined, {
      'x-company-id': undefined,
      'x-min-log-position': position,
    });
    expect(list.body.result.items.map((one) => one.id)).toEqual(expect.arrayContaining([COMPANY, id]));
    const opened = await api.call('POST', '/banks/accounts', { bankCode: 'demo', title: 'x' }, { 'x-company-id': id });
    expect(opened.status).toBe(201);
    expect((await api.call('POST', '/auth/companies', { name: 'x' })).status).toBe(401);
  });

  it('are listed to a key as far as it may see them', async () => {
    const all = await api.call<List<{ id: string }>>('GET', '/auth/companies', undefined, {
      'x-company-id': undefined,
    });
    const narrowed = await api.call<List<{ id: string }>>('GET', '/auth/companies');
    expect(all.body.result.items.length).toBeGreaterThan(1);
    expect(narrowed.body.result.items.map((one) => one.id)).toEqual([COMPANY]);
  });
});
