import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/shared/hash.ts';
import { forgetAnswer } from '../support/repeated-request.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import { type Answer, COMPANY, eventually, startTestService, type TestService } from '../support/test-service.ts';

type Key = {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
  readonly generation: number;
  readonly graceUntil: string | null;
  readonly revokedAt: string | null;
  readonly revokedReason: string | null;
  readonly lastUsedAt: string | null;
};

let api: TestService;
let admin: Record<string, string | undefined>;
/** Ahead of the system's clock by what a test has let pass. */
let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs };
const MINUTE = 60_000;

beforeAll(async () => {
  api = await startTestService({ clock });
  admin = bearer((await signIn(api)).accessToken);
});
afterAll(() => api.stop());

/** Time goes by; the admin signs in again, since the token of before has run out. */
async function pass(ms: number): Promise<void> {
  aheadMs += ms;
  admin = bearer((await signIn(api)).accessToken);
}

async function made(requested: Record<string, unknown> = {}): Promise<Key> {
  const body = { name: 'Key', scopes: ['rules:read', 'connections:read'], ...requested };
  const answer = await api.call<Key>('POST', '/auth/api-keys', body, admin);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  await api.service.httpServices.waitFor(['api-keys'], answer.headers.get('x-log-position') ?? '', 100_000);
  return answer.body.result;
}

const onKey = (id: string, what: string, body?: unknown) =>
  api.call<Key>('POST', `/auth/api-keys/${id}/${what}`, body, admin);

function as({ key, secret }: Pick<Key, 'key' | 'secret'>, path = '/banks/transaction-rules'): Promise<Answer<never>> {
  return api.call('GET', path, undefined, { 'x-api-key': key, 'x-api-secret': secret, 'x-company-id': undefined });
}

async function refused(credentials: Pick<Key, 'key' | 'secret'>): Promise<void> {
  const answer = await as(credentials);
  expect([answer.status, answer.body.code]).toEqual([401, 'AUTHENTICATION_INVALID']);
}

async function listed(id: string): Promise<Key | undefined> {
  const headers = { ...admin, 'x-min-log-position': await api.service.log.head() };
  const list = await api.call<{ items: Key[] }>('GET', '/auth/api-keys?limit=200', undefined, headers);
  return list.body.result.items.find((one) => one.id === id);
}

describe('an API key', () => {
  it('shows the rows of a file only where it may read transactions', async () => {
    const opened = await api.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Dry' });
    const dryRun = async (...scopes: string[]) => {
      const { key, secret } = await made({ scopes });
      const path = `/banks/accounts/${opened.body.result.id}/dry-run`;
      const { status, body } = await api.call('POST', path, {}, { 'x-api-key': key, 'x-api-secret': secret });
      return [status, body.code, body.meta?.required];
    };
    expect(await dryRun('connections:write')).toEqual([403, 'PERMISSION_DENIED', 'transactions:read']);
    expect(await dryRun('transactions:read')).toEqual([403, 'PERMISSION_DENIED', 'connections:write']);
    expect(await dryRun('connections:write', 'transactions:read')).toEqual([422, 'DRY_RUN_NOT_SUPPORTED', undefined]);
  });

  it('works at once, for its scopes and no others', async () => {
    const key = await made();
    expect((await as(key)).status).toBe(200);
    const other = await as(key, '/banks/transactions');
    expect([other.status, other.body.meta?.required]).toEqual([403, 'transactions:read']);
    const write = await api.call(
      'POST',
      '/banks/transaction-rules',
      {},
      { 'x-api-key': key.key, 'x-api-secret': key.secret },
    );
    expect(write.status).toBe(403);
  });

  it('has the form that scanners look for', async () => {
    const { key, secret } = await made();
    for (const [text, form] of [
      [key, /^bck_[0-9a-f]{24}_[0-9a-f]{6}$/],
      [secret, /^bcs_[A-Za-z0-9_-]{43}_[0-9a-f]{6}$/],
    ] as const) {
      expect(text).toMatch(form);
      expect(text.slice(-6)).toBe(sha256(text.slice(0, -7)).slice(0, 6));
    }
  });

  it('sees the companies it was made for', async () => {
    const added = await api.call<{ id: string }>('POST', '/auth/companies', { name: 'Other' }, admin);
    await api.service.httpServices.waitFor(['companies'], added.headers.get('x-log-position') ?? '', 100_000);
    const key = await made({ companies: [added.body.result.id], scopes: ['connections:read'] });
    const credentials = { 'x-api-key': key.key, 'x-api-secret': key.secret };
    const outside = await api.call('GET', '/banks/accounts', undefined, { ...credentials, 'x-company-id': COMPANY });
    expect([outside.status, outside.body.code]).toEqual([403, 'PERMISSION_DENIED']);
    const own = { ...credentials, 'x-company-id': added.body.result.id };
    expect((await api.call('GET', '/banks/accounts', undefined, own)).status).toBe(200);
  });

  it.each([
    [{ companies: ['never-issued'] }, 404, 'COMPANY_NOT_FOUND'],
    [{ companies: [] }, 400, 'VALIDATION_FAILED'],
    [{ scopes: [] }, 400, 'VALIDATION_FAILED'],
    [{ scopes: ['rules:read', 'rules:read'] }, 400, 'VALIDATION_FAILED'],
    [{ scopes: ['everything'] }, 400, 'VALIDATION_FAILED'],
    [{ name: ' ' }, 400, 'VALIDATION_FAILED'],
    [{ expiresAt: '2020-01-01' }, 400, 'VALIDATION_FAILED'],
  ])('is not made with %j', async (requested, status, code) => {
    const answer = await api.call('POST', '/auth/api-keys', { name: 'x', scopes: ['rules:read'], ...requested }, admin);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('is made by an admin who is signed in, and by no key', async () => {
    for (const [method, path] of [
      ['POST', '/auth/api-keys'],
      ['GET', '/auth/api-keys'],
      ['POST', '/auth/api-keys/x/rotate'],
      ['POST', '/auth/api-keys/x/revoke'],
    ] as const) {
      expect((await api.call(method, path)).body.code).toBe('AUTHENTICATION_REQUIRED');
    }
    const unknown = await onKey('never-issued', 'revoke');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'API_KEY_NOT_FOUND']);
  });

  it('ends when it expires', async () => {
    const key = await made({ expiresAt: new Date(clock.now() + 10 * MINUTE).toISOString() });
    expect((await as(key)).status).toBe(200);
    await pass(10 * MINUTE);
    await refused(key);
    expect((await onKey(key.id, 'rotate')).body.code).toBe('API_KEY_EXPIRED');
    expect((await onKey(key.id, 'revoke')).status).toBe(200);
  });

  it('says when it was last used, to the minute', async () => {
    const key = await made();
    expect((await listed(key.id))?.lastUsedAt).toBeNull();
    const before = clock.now();
    await as(key);
    const used = await eventually(
      async () => (await listed(key.id))?.lastUsedAt ?? null,
      (at) => at !== null,
    );
    expect(Date.parse(used ?? '')).toBeGreaterThanOrEqual(before);
    await as(key);
    expect((await listed(key.id))?.lastUsedAt).toBe(used);
    await pass(MINUTE);
    await as(key);
    await eventually(
      async () => (await listed(key.id))?.lastUsedAt ?? '',
      (at) => at > (used ?? ''),
    );
  });
});

describe('a rotation', () => {
  it('without grace ends the previous secret', async () => {
    const key = await made();
    const rotated = await onKey(key.id, 'rotate');
    expect([rotated.status, rotated.body.result.generation]).toEqual([200, 2]);
    expect(rotated.body.result.key).toBe(key.key);
    expect((await as(rotated.body.result)).status).toBe(200);
    aheadMs += 1_000;
    await refused(key);
  });

  it('with grace keeps the previous secret valid until it is over, and ends an older one', async () => {
    const first = await made();
    const second = (await onKey(first.id, 'rotate', { graceSeconds: 3600 })).body.result;
    expect(Date.parse(second.graceUntil ?? '')).toBeGreaterThan(clock.now() + 59 * MINUTE);
    for (const key of [first, second]) expect((await as(key)).status).toBe(200);
    const third = (await onKey(first.id, 'rotate', { graceSeconds: 3600 })).body.result;
    aheadMs += 1_000;
    await refused(first);
    for (const key of [second, third]) expect((await as(key)).status).toBe(200);
    await pass(60 * MINUTE);
    await refused(second);
    expect((await as(third)).status).toBe(200);
  });

  it('twice at once gives two secrets, of which the later is valid', async () => {
    const key = await made();
    const both = await Promise.all([onKey(key.id, 'rotate'), onKey(key.id, 'rotate')]);
    const newest = both.map((answer) => answer.body.result).find((one) => one.generation === 3);
    expect(both.map((answer) => answer.body.result.generation).sort()).toEqual([2, 3]);
    aheadMs += 1_000;
    expect((await as(newest as Key)).status).toBe(200);
  });

  it('and a creation, asked again after a crash that lost the answer, give a secret that works', async () => {
    const requested = { name: 'Key', scopes: ['rules:read'] };
    const ask = async (path: string, body: unknown, key: string): Promise<Key> =>
      (await api.call<Key>('POST', path, body, { ...admin, 'idempotency-key': key })).body.result;
    const twice = async (path: string, body: unknown, key: string): Promise<[lost: Key, given: Key]> => {
      const lost = await ask(path, body, key);
      await forgetAnswer(api, key);
      return [lost, await ask(path, body, key)];
    };
    const [lost, created] = await twice('/auth/api-keys', requested, 'create-once');
    expect([created.id, created.key, created.generation]).toEqual([lost.id, lost.key, 1]);
    await api.service.httpServices.waitFor(['api-keys'], await api.service.log.head(), 100_000);
    expect((await as(created)).status).toBe(200);
    await refused(lost);
    const [, rotated] = await twice(`/auth/api-keys/${created.id}/rotate`, { graceSeconds: 0 }, 'rotate-once');
    expect(rotated.generation).toBe(2);
    expect((await as(rotated)).status).toBe(200);
  });

  it.each([-1, 604_801, 1.5])('takes no grace of %d seconds', async (graceSeconds) => {
    expect((await onKey((await made()).id, 'rotate', { graceSeconds })).body.code).toBe('VALIDATION_FAILED');
  });
});

describe('a revocation', () => {
  it('holds within a second for every secret, and is final', async () => {
    const first = await made();
    const second = (await onKey(first.id, 'rotate', { graceSeconds: 3600 })).body.result;
    for (const key of [first, second]) expect((await as(key)).status).toBe(200);
    const revoked = await onKey(first.id, 'revoke', { reason: 'left the company' });
    expect(revoked.body.result).toMatchObject({ revokedReason: 'left the company', revokedAt: expect.any(String) });
    aheadMs += 1_000;
    for (const key of [first, second]) await refused(key);
    for (const what of ['rotate', 'revoke']) {
      const again = await onKey(first.id, what);
      expect([again.status, again.body.code]).toEqual([409, 'API_KEY_REVOKED']);
    }
    expect(await listed(first.id)).toMatchObject({ revokedReason: 'left the company' });
  });

  it('is effective while no read model advances', async () => {
    const key = await made();
    expect((await as(key)).status).toBe(200);
    await api.service.runner?.stop();
    expect((await onKey(key.id, 'revoke')).status).toBe(200);
    aheadMs += 1_000;
    await refused(key);
  });
});

describe('a secret', () => {
  it('is in one answer, and in no list, log line or file', async () => {
    const own = await startTestService();
    const headers = bearer((await signIn(own)).accessToken);
    const requested = { name: 'Key', scopes: ['rules:read'] };
    const first = (await own.call<Key>('POST', '/auth/api-keys', requested, { ...headers, 'idempotency-key': 'kept' }))
      .body.result;
    const rotate = `/auth/api-keys/${first.id}/rotate`;
    const second = (await own.call<Key>('POST', rotate, { graceSeconds: 60 }, headers)).body.result;
    const position = { ...headers, 'x-min-log-position': await own.service.log.head() };
    const list = await own.call<{ items: Key[] }>('GET', '/auth/api-keys', undefined, position);
    expect(list.body.result.items.map((one) => one.id)).toContain(first.id);
    const secrets = [first.secret, second.secret];
    const seen = [JSON.stringify(list.body), ...own.logLines].join('\n');
    for (const secret of secrets) {
      expect(secret).toMatch(/^bcs_/);
      expect(seen).not.toContain(secret);
    }
    for (const name of readdirSync(own.dataDir)) {
      const path = join(own.dataDir, name);
      if (statSync(path).isDirectory()) continue;
      const content = readFileSync(path);
      expect([name, ...secrets.map((secret) => content.includes(secret))]).toEqual([name, false, false]);
    }
    await own.stop();
  });
});
