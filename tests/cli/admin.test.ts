import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import { startTestService } from '../support/test-service.ts';

const BANK = join(import.meta.dirname, '../../cli/bank.ts');
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-admin-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function reset(...args: string[]): { code: number | null; output: string; value: (name: string) => string } {
  const env = { ...CHILD_ENVIRONMENT, DATA_DIR: dataDir };
  const run = spawnSync(process.execPath, [BANK, 'admin', 'reset', ...args], { env, encoding: 'utf8' });
  const output = run.stdout + run.stderr;
  const value = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(output)?.[1] ?? '';
  return { code: run.status, output, value };
}

describe('bank admin reset', () => {
  it('gives the first admin a new password and the tenant a new key, and ends the sessions', async () => {
    const first = await startTestService({ dataDir });
    const old = await signIn(first);
    const oldPassword = first.service.bootstrapped?.admin.password;
    await first.stop();
    const done = reset();
    expect([done.code, done.value('admin')]).toEqual([0, 'admin@example.com']);
    const again = await startTestService({ dataDir });
    const position = await again.service.log.head();
    await again.service.httpServices.waitFor(['api-keys', 'users'], position, 100_000);
    const logIn = (password: string) => again.call('POST', '/auth/login', { email: done.value('admin'), password });
    expect((await logIn(done.value('password'))).status).toBe(200);
    expect((await logIn(oldPassword ?? '')).status).toBe(401);
    expect((await again.call('GET', '/auth/me', undefined, bearer(old.accessToken))).status).toBe(401);
    const key = { 'x-api-key': done.value('x-api-key'), 'x-api-secret': done.value('x-api-secret') };
    expect((await again.call('GET', '/banks/accounts', undefined, key)).status).toBe(200);
    expect((await again.call('GET', '/banks/accounts')).status).toBe(200);
    await again.stop();
  });

  it('works where the read store was lost, for a named admin, and also where that one is disabled', async () => {
    const first = await startTestService({ dataDir });
    const admin = bearer((await signIn(first)).accessToken);
    const added = { email: 'second@example.com', role: 'admin', password: 'a planted password' };
    const { body } = await first.call<{ id: string }>('POST', '/auth/users', added, admin);
    await first.call('PATCH', `/auth/users/${body.result.id}`, { status: 'disabled' }, admin);
    await first.stop();
    expect(reset('--email', 'SECOND@example.com')).toMatchObject({ code: 0 });
    const done = reset('--email', 'second@example.com');
    const again = await startTestService({ dataDir });
    const { status } = await again.call('POST', '/auth/login', {
      email: added.email,
      password: done.value('password'),
    });
    expect(status).toBe(200);
    await again.stop();
    for (const name of readdirSync(dataDir)) {
      if (/^(read-models|state)\.sqlite/.test(name)) rmSync(join(dataDir, name));
    }
    const lost = reset();
    expect(lost.code).toBe(0);
    const third = await startTestService({ dataDir });
    const relogin = { email: 'admin@example.com', password: lost.value('password') };
    expect((await third.call('POST', '/auth/login', relogin)).status).toBe(200);
    await third.stop();
  });

  it('asks for the tenant where users of several have the email', async () => {
    const environment = { OPERATOR_TOKEN: 'operator-token-0001-of-32-characters' };
    const service = await startTestService({ dataDir, environment });
    const headers = { ...bearer(environment.OPERATOR_TOKEN), 'x-company-id': undefined };
    const body = { name: 'Second', adminEmail: 'admin@example.com' };
    const second = await service.call<{ tenant: { id: string } }>('POST', '/operator/tenants', body, headers);
    await service.stop();
    const unclear = reset('--email', body.adminEmail);
    expect(unclear).toMatchObject({ code: 1, output: expect.stringContaining('--tenant') });
    const done = reset('--email', body.adminEmail, '--tenant', second.body.result.tenant.id);
    expect(done.code).toBe(0);
    const again = await startTestService({ dataDir });
    const pair = await signIn(again, { email: body.adminEmail, password: done.value('password') });
    const me = await again.call<{ tenant: { name: string } }>('GET', '/auth/me', undefined, {
      ...bearer(pair.accessToken),
      'x-company-id': undefined,
    });
    expect(me.body.result.tenant.name).toBe('Second');
    await again.stop();
  });

  it('is refused without a log, beside a running service, and for anyone but an admin', async () => {
    expect(reset()).toMatchObject({ code: 1, output: expect.stringContaining('does not exist') });
    const service = await startTestService({ dataDir });
    const admin = bearer((await signIn(service)).accessToken);
    const analyst = { email: 'analyst@example.com', role: 'analyst', password: 'a planted password' };
    await service.call('POST', '/auth/users', analyst, admin);
    expect(reset()).toMatchObject({ code: 1, output: expect.stringContaining('is the service running?') });
    await service.stop();
    expect(reset('--email', 'nobody@example.com').output).toBe('no user has this email\n');
    expect(reset('--email', analyst.email).output).toBe('this user is no admin\n');
  });
});
