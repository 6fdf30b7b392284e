import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, type Credentials, firstAdmin, type Pair, signIn } from '../support/signed-in.ts';
import { type Answer, eventually, startTestService, type TestService } from '../support/test-service.ts';

type Session = {
  readonly id: string;
  readonly userId: string;
  readonly current: boolean;
  readonly userAgent: string | null;
  readonly beganAt: string;
  readonly refreshedAt: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
  readonly endedReason: string | null;
  readonly endedBy: string | null;
};
type List = { items: Session[]; nextCursor: string | null; count?: { value: number } };
type Headers = Record<string, string | undefined>;

const PASSWORD = 'a planted password';
const DAY_MS = 86_400_000;

let aheadMs = 0;
let api: TestService;
let admin: Headers;
let adminId: string;

beforeAll(async () => {
  api = await startTestService({ clock: { now: () => Date.now() + aheadMs } });
  admin = bearer((await signIn(api)).accessToken);
  adminId = (await api.call<{ id: string }>('GET', '/auth/me', undefined, admin)).body.result.id;
});
afterAll(() => api.stop());

async function added(role = 'analyst'): Promise<Credentials & { id: string }> {
  const person = { email: `${randomUUID()}@example.com`, password: PASSWORD };
  const answer = await api.call<{ id: string }>('POST', '/auth/users', { ...person, role }, admin);
  return { ...person, id: answer.body.result.id };
}

async function begun(person: Credentials, userAgent = 'test'): Promise<Pair> {
  const { email, password } = person;
  const answer = await api.call<Pair>('POST', '/auth/login', { email, password }, { 'user-agent': userAgent });
  expect(answer.status).toBe(200);
  return answer.body.result;
}

async function listed(as: Headers, query = ''): Promise<Answer<List>> {
  const position = await api.service.log.head();
  return api.call<List>('GET', `/auth/sessions${query}`, undefined, { ...as, 'x-min-log-position': position });
}
const items = async (as: Headers, query = ''): Promise<Session[]> => (await listed(as, query)).body.result.items;
const ended = (id: string, as: Headers) => api.call<Session>('DELETE', `/auth/sessions/${id}`, undefined, as);
const me = (pair: Pair) => api.call('GET', '/auth/me', undefined, bearer(pair.accessToken));

const WITHIN_A_SECOND_MS = 1_000;
const refused = (pair: Pair) =>
  eventually(
    () => me(pair),
    ({ status }) => status === 401,
    WITHIN_A_SECOND_MS,
  );

describe('the sessions of a user', () => {
  it('are listed newest first, with what the client called itself, and the present one is marked', async () => {
    const ada = await added();
    await begun(ada, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0');
    const second = await begun(ada, 'curl/8.0');
    const [newest, oldest, ...more] = await items(bearer(second.accessToken));
    expect(more).toEqual([]);
    expect(newest).toMatchObject({ userId: ada.id, userAgent: 'curl/8.0', current: true, endedAt: null });
    expect(oldest).toMatchObject({ userAgent: expect.stringContaining('Firefox/140.0'), current: false });
  });

  it('keep 200 characters of the name and none that cannot be seen', async () => {
    const ada = await added();
    const pair = await begun(ada, `\ta\u0080 b\u00ad${'x'.repeat(300)}`);
    const [session] = await items(bearer(pair.accessToken));
    expect(session?.userAgent).toBe(`a b ${'x'.repeat(196)}`);
  });

  it('show when they were last refreshed', async () => {
    const pair = await begun(await added());
    const [before] = await items(bearer(pair.accessToken));
    aheadMs += 60_000;
    const next = (await api.call<Pair>('POST', '/auth/refresh', { refreshToken: pair.refreshToken })).body.result;
    const [after] = await items(bearer(next.accessToken));
    expect(after?.id).toBe(before?.id);
    expect(Date.parse(after?.refreshedAt ?? '') - Date.parse(before?.refreshedAt ?? '')).toBeGreaterThanOrEqual(60_000);
    expect(after?.beganAt).toBe(before?.beganAt);
  });

  it('come page by page, each once, and are counted', async () => {
    const ada = await added();
    const pairs = [await begun(ada), await begun(ada), await begun(ada)];
    const as = bearer(pairs[0]?.accessToken ?? '');
    const all = await items(as);
    const paged: Session[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { result } = (await listed(as, `?limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`))
        .body as { result: List };
      paged.push(...result.items);
      cursor = result.nextCursor;
    }
    expect(paged).toEqual(all);
    expect((await listed(as, '?count=true')).body.result.count).toEqual({ value: 3, atLeast: false });
  });

  it('are those of others for an admin alone', async () => {
    const ada = await added();
    const pair = await begun(ada);
    const as = bearer(pair.accessToken);
    expect((await items(admin, `?userId=${ada.id}`)).map(({ userId, current }) => [userId, current])).toEqual([
      [ada.id, false],
    ]);
    const everybody = await items(admin, '?userId=*&limit=200');
    expect(everybody.map(({ userId }) => userId)).toEqual(expect.arrayContaining([ada.id, adminId]));
    expect(everybody.filter(({ current }) => current)).toHaveLength(1);
    expect(await items(as, `?userId=${ada.id}`)).toHaveLength(1);
    for (const userId of [adminId, randomUUID(), '*']) {
      const { status, body } = await listed(as, `?userId=${userId}`);
      expect([status, body.code, body.meta?.required]).toEqual([403, 'PERMISSION_DENIED', 'admin']);
    }
    expect(await items(admin, `?userId=${randomUUID()}`)).toEqual([]);
  });

  it('are no matter of an API key', async () => {
    const answer = await api.call('GET', '/auth/sessions');
    expect([answer.status, answer.body.code]).toEqual([401, 'AUTHENTICATION_REQUIRED']);
    const other = await api.call('DELETE', `/auth/sessions/${randomUUID()}`);
    expect([other.status, other.body.code]).toEqual([401, 'AUTHENTICATION_REQUIRED']);
  });
});

describe('ending a session', () => {
  it('stops its tokens within a second, and no others; it can be repeated', async () => {
    const ada = await added();
    const lost = await begun(ada);
    const [{ id } = { id: '' }] = await items(bearer(lost.accessToken));
    const kept = await begun(ada);
    const as = bearer(kept.accessToken);
    const answer = await ended(id, as);
    expect(answer.status).toBe(200);
    expect(answer.body.result).toMatchObject({ id, endedReason: 'logout', endedBy: ada.id, current: false });
    await refused(lost);
    const refresh = await api.call('POST', '/auth/refresh', { refreshToken: lost.refreshToken });
    expect(refresh.status).toBe(401);
    expect((await me(kept)).status).toBe(200);
    const again = await ended(id, as);
    expect([again.status, again.body]).toEqual([200, answer.body]);
    expect(again.headers.get('x-log-position')).toBeNull();
    expect((await items(as)).map((one) => one.id)).not.toContain(id);
    expect((await items(as, '?state=any')).find((one) => one.id === id)).toEqual(answer.body.result);
  });

  it('by an admin says that it was the admin', async () => {
    const ada = await added();
    const pair = await begun(ada);
    const [{ id } = { id: '' }] = await items(admin, `?userId=${ada.id}`);
    expect((await ended(id, admin)).body.result).toMatchObject({ userId: ada.id, endedBy: adminId });
    await refused(pair);
  });

  it('of another user is for nobody else: the answer is that of an id never issued', async () => {
    const ada = await added();
    const theirs = await begun(ada);
    const [{ id } = { id: '' }] = await items(bearer(theirs.accessToken));
    const as = bearer((await begun(await added('operator'))).accessToken);
    const said = ({ status, body: { meta: _, ...body } }: Answer) => [status, body];
    const foreign = await ended(id, as);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'SESSION_NOT_FOUND']);
    expect(said(foreign)).toEqual(said(await ended(randomUUID(), as)));
    expect((await me(theirs)).status).toBe(200);
  });

  it('may be that of the request', async () => {
    const pair = await begun(await added());
    const [{ id } = { id: '' }] = await items(bearer(pair.accessToken));
    expect((await ended(id, bearer(pair.accessToken))).body.result.current).toBe(true);
    await refused(pair);
  });
});

describe('a session that is over without an event of its own', () => {
  it('is in no list of open ones after a new password, and the new one is', async () => {
    const ada = await added();
    const old = await begun(ada);
    const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD} new` };
    const next = await api.call<Pair>('POST', '/auth/me/password', body, bearer(old.accessToken));
    const as = bearer(next.body.result.accessToken);
    const open = await items(as);
    expect(open.map(({ current, endedAt }) => [current, endedAt])).toEqual([[true, null]]);
    const [, before] = await items(as, '?state=any');
    expect(before).toMatchObject({ endedReason: 'password-replaced', endedBy: ada.id });
    const again = await ended(before?.id ?? '', as);
    expect([again.body.result, again.headers.get('x-log-position')]).toEqual([before, null]);
  });

  it('is in none after its user was disabled, also once they are active again', async () => {
    const ada = await added();
    await begun(ada);
    for (const status of ['disabled', 'active']) {
      await api.call('PATCH', `/auth/users/${ada.id}`, { status }, admin);
      expect([status, await items(admin, `?userId=${ada.id}`)]).toEqual([status, []]);
    }
    const [session] = await items(admin, `?userId=${ada.id}&state=any`);
    expect(session).toMatchObject({ endedReason: 'user-disabled', endedBy: adminId });
    expect((await listed(admin, `?userId=${ada.id}&count=true`)).body.result.count).toMatchObject({ value: 0 });
  });

  it('is in none once its time is over, at that moment', async () => {
    const ada = await added();
    await begun(ada);
    aheadMs += 31 * DAY_MS;
    const as = bearer((await signIn(api, firstAdmin(api))).accessToken);
    expect(await items(as, `?userId=${ada.id}`)).toEqual([]);
    const [session] = await items(as, `?userId=${ada.id}&state=any`);
    expect(session).toMatchObject({ endedReason: 'expired', endedBy: null });
    expect(session?.endedAt).toBe(session?.expiresAt);
  });
});
