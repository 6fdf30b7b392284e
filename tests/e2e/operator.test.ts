import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/http/core/app.ts';
import { forgetAnswer } from '../support/repeated-request.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import { type Answer, startTestService, type TestService } from '../support/test-service.ts';

const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';

type NewTenant = {
  readonly tenant: { readonly id: string; readonly name: string };
  readonly company: { readonly id: string };
  readonly admin: { readonly email: string; readonly password: string };
  readonly apiKey: { readonly key: string; readonly secret: string };
};

let api: TestService;
beforeAll(async () => {
  api = await startTestService({ environment: { OPERATOR_TOKEN } });
});
afterAll(() => api.stop());

const operator = bearer(OPERATOR_TOKEN);

function add(body: unknown, headers: Record<string, string | undefined> = {}): Promise<Answer<NewTenant>> {
  return api.call('POST', '/operator/tenants', body, { ...operator, ...headers });
}

async function added(name: string): Promise<NewTenant> {
  const adminEmail = `${name.toLowerCase()}@example.com`;
  const answer = await add({ name, adminEmail });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.result;
}

const as = ({ apiKey, company }: NewTenant) => ({
  'x-api-key': apiKey.key,
  'x-api-secret': apiKey.secret,
  'x-company-id': company.id,
});

describe('a tenant that the operator adds', () => {
  it('has a key that works at once, and an admin who can sign in', async () => {
    const acme = await added('Acme');
    expect(acme).toMatchObject({ tenant: { name: 'Acme' }, admin: { email: 'acme@example.com' } });
    const body = { bankCode: 'demo', title: 'Theirs' };
    expect((await api.call('POST', '/banks/accounts', body, as(acme))).status).toBe(201);
    const { accessToken } = await signIn(api, acme.admin);
    const headers = { ...bearer(accessToken), 'x-company-id': undefined };
    const keys = await api.call<{ items: { key: string }[] }>('GET', '/auth/api-keys', undefined, headers);
    expect(keys.body.result.items.map(({ key }) => key)).toEqual([acme.apiKey.key]);
  });

  it('sees nothing of other tenants', async () => {
    const [one, two] = [await added('One'), await added('Two')];
    const opened = await api.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: '1' }, as(one));
    const path = `/banks/accounts/${opened.body.result.id}`;
    const written = { 'x-min-log-position': opened.headers.get('x-log-position') ?? '' };
    expect((await api.call('GET', path, undefined, { ...as(one), ...written })).status).toBe(200);
    expect((await api.call('GET', path, undefined, as(two))).body.code).toBe('CONNECTION_NOT_FOUND');
    const foreign = { ...as(two), 'x-company-id': one.company.id };
    expect((await api.call('GET', '/banks/accounts', undefined, foreign)).body.code).toBe('COMPANY_NOT_FOUND');
  });

  it('is listed with the others, oldest first, page by page', async () => {
    const made = [await added('Paged-1'), await added('Paged-2')];
    const headers = { ...operator, 'x-min-log-position': await api.service.log.head() };
    const seen: { id: string; name: string }[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path: string = `/operator/tenants?limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page: Answer<{ items: typeof seen; nextCursor: string | null }> = await api.call(
        'GET',
        path,
        undefined,
        headers,
      );
      expect(page.status).toBe(200);
      seen.push(...page.body.result.items);
      cursor = page.body.result.nextCursor;
    }
    expect(seen.slice(-2).map(({ id, name }) => [id, name])).toEqual(
      made.map(({ tenant }) => [tenant.id, tenant.name]),
    );
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    expect(seen.map(({ id }) => id)).toContain(api.tenantId);
  });

  it('is made whoever else has the email of its admin, also of two requests at once', async () => {
    const body = { name: 'Twice', adminEmail: 'twice@example.com' };
    const answers = await Promise.all([add(body), add({ ...body, adminEmail: 'TWICE@example.com' })]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    for (const answer of answers) await signIn(api, answer.body.result.admin);
  });

  it('asked for again after a crash that lost the answer is the same, with a password and secret that work', async () => {
    const body = { name: 'Lost', adminEmail: 'lost@example.com' };
    const lost = (await add(body, { 'idempotency-key': 'lost' })).body.result;
    await forgetAnswer(api, 'lost', '');
    const given = (await add(body, { 'idempotency-key': 'lost' })).body.result;
    expect([given.tenant, given.company, given.apiKey.key]).toEqual([lost.tenant, lost.company, lost.apiKey.key]);
    expect((await api.call('GET', '/banks/accounts', undefined, as(given))).status).toBe(200);
    expect((await api.call('GET', '/banks/accounts', undefined, as(lost))).status).toBe(401);
    await signIn(api, given.admin);
  });

  it.each([
    [{ name: '', adminEmail: 'a@example.com' }],
    [{ name: 'x', adminEmail: 'nobody' }],
    [{ name: 'x', adminEmail: 'a@example.com', more: 1 }],
  ])('is not made of %j', async (body) => {
    expect((await add(body)).body.code).toBe('VALIDATION_FAILED');
  });

  it('leaves its password and secret in no log line and no file', async () => {
    const own = await startTestService({ environment: { OPERATOR_TOKEN } });
    const body = { name: 'Quiet', adminEmail: 'quiet@example.com' };
    const headers = { ...operator, 'idempotency-key': 'quiet' };
    const { apiKey, admin } = (await own.call<NewTenant>('POST', '/operator/tenants', body, headers)).body.result;
    await own.service.stop();
    const contents = readdirSync(own.dataDir)
      .map((name) => join(own.dataDir, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path));
    for (const text of [apiKey.secret, admin.password, OPERATOR_TOKEN]) {
      expect(text.length).toBeGreaterThan(16);
      expect(own.logLines.join('\n')).not.toContain(text);
      expect(contents.some((content) => content.includes(text))).toBe(false);
    }
  });
});

describe('the operator', () => {
  it('is only the bearer of the token', async () => {
    const wrong = await add({}, { authorization: `Bearer ${OPERATOR_TOKEN}x` });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'AUTHENTICATION_INVALID']);
    const admin = bearer((await signIn(api)).accessToken);
    expect((await add({}, admin)).body.code).toBe('AUTHENTICATION_INVALID');
    const keyed = await api.call('GET', '/operator/tenants');
    expect([keyed.status, keyed.body.code]).toEqual([401, 'AUTHENTICATION_REQUIRED']);
    expect((await api.call('DELETE', '/operator/tenants', undefined, operator)).body.code).toBe('METHOD_NOT_ALLOWED');
  });

  it('may nothing inside a tenant', async () => {
    for (const path of ['/banks/accounts', '/auth/api-keys', '/auth/me']) {
      expect((await api.call('GET', path, undefined, operator)).body.code).toBe('AUTHENTICATION_INVALID');
    }
  });

  it('does not exist where no token is configured, whatever is asked', async () => {
    const app = createApp({ ...api.service.httpServices, operatorTokenHash: null });
    for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
      const response = await app.request('/operator/tenants', {
        method,
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
      });
      const none = await app.request('/operator/nothing', { method });
      const bodies = (await Promise.all([response.json(), none.json()])) as { meta?: object }[];
      expect([response.status, none.status]).toEqual([404, 404]);
      expect({ ...bodies[0], meta: null }).toEqual({ ...bodies[1], meta: null });
    }
  });
});
