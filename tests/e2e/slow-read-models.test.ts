import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, signIn } from '../support/signed-in.ts';
import { slowReadModels } from '../support/slow-read-models.ts';
import { connectDemoBank, startTestService, type TestService } from '../support/test-service.ts';

const BEHIND_MS = 500;

let api: TestService;
let admin: Record<string, string | undefined>;
beforeAll(async () => {
  api = await startTestService({ environment: { BACKGROUND_THREAD: 'off' } });
  admin = bearer((await signIn(api)).accessToken);
  slowReadModels(api.service, BEHIND_MS);
});
afterAll(() => api.stop());

describe('while the read models are behind', () => {
  it('a new API key can be used at once', async () => {
    const body = { name: 'New', scopes: ['rules:read'] };
    const { result } = (await api.call<{ key: string; secret: string }>('POST', '/auth/api-keys', body, admin)).body;
    const asked = await api.call('GET', '/banks/transaction-rules', undefined, {
      'x-api-key': result.key,
      'x-api-secret': result.secret,
    });
    expect(asked.status).toBe(200);
  });

  it('a new company can be named at once', async () => {
    const made = await api.call<{ id: string }>('POST', '/auth/companies', { name: 'New' }, admin);
    const asked = await api.call('GET', '/banks/accounts', undefined, { 'x-company-id': made.body.result.id });
    expect(asked.status, JSON.stringify(asked.body)).toBe(200);
  });

  it('a new user can sign in at once', async () => {
    const user = { email: `new-${api.tenantId}@example.com`, password: 'A long password of theirs 1' };
    const added = await api.call('POST', '/auth/users', { ...user, role: 'analyst' }, admin);
    expect(added.status, JSON.stringify(added.body)).toBe(201);
    expect((await signIn(api, user)).expiresIn).toBeGreaterThan(0);
  });

  it('a setup that has ended does not call the bank again', async () => {
    const id = await connectDemoBank(api);
    await pause(2 * BEHIND_MS);
    const { items } = (await api.call<{ items: unknown[] }>('GET', `/banks/audit/connector-logs?accountId=${id}`)).body
      .result;
    expect(items).toHaveLength(1);
  });
});
