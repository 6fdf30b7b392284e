import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bearer, signIn } from '../support/signed-in.ts';
import { SECRET, startTestService } from '../support/test-service.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-first-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('the first start', () => {
  it('makes a tenant, a company, an admin and a key, and the next start none', async () => {
    const first = await startTestService({ dataDir });
    expect(first.service.bootstrapped).toMatchObject({
      apiKey: { secret: SECRET },
      admin: { email: 'admin@example.com' },
    });
    await first.stop();
    const second = await startTestService({ dataDir });
    expect(second.service.bootstrapped).toBeNull();
    expect((await second.call('GET', '/banks/accounts')).status).toBe(200);
    await second.stop();
  });

  it('leaves no secret in any file, and its keys readable by the owner alone', async () => {
    const { service, stop } = await startTestService({ dataDir });
    const password = service.bootstrapped?.admin.password ?? '';
    expect(password.length).toBeGreaterThanOrEqual(12);
    await stop();
    for (const name of readdirSync(dataDir)) {
      const path = join(dataDir, name);
      if (statSync(path).isDirectory()) continue;
      const content = readFileSync(path);
      expect([name, content.includes(SECRET), content.includes(password)]).toEqual([name, false, false]);
      if (name.endsWith('.key')) expect(statSync(path).mode & 0o077).toBe(0);
    }
  });

  it('makes folder and files accessible to the owner only, whatever modes they had', async () => {
    const first = await startTestService({ dataDir });
    await first.stop();
    chmodSync(dataDir, 0o755);
    for (const name of ['log.sqlite', 'read-models.sqlite', 'state.sqlite']) chmodSync(join(dataDir, name), 0o644);
    const second = await startTestService({ dataDir });
    const modes = ['', ...readdirSync(dataDir).filter((name) => name.includes('.sqlite'))].map((name) => [
      name,
      statSync(join(dataDir, name)).mode & 0o077,
    ]);
    await second.stop();
    expect(modes.length).toBeGreaterThan(3);
    expect(modes.filter(([, others]) => others !== 0)).toEqual([]);
  });

  it.each(['token.key', 'encryption.key'])('refuses a %s that others may read', async (name) => {
    const first = await startTestService({ dataDir });
    await first.stop();
    chmodSync(join(dataDir, name), 0o640);
    await expect(startTestService({ dataDir })).rejects.toThrow('must be accessible to its owner only');
  });

  it('makes no tenant when its port is taken, so that the next start prints the credentials', async () => {
    const first = await startTestService();
    const PORT = new URL(first.service.url).port;
    await expect(startTestService({ dataDir, environment: { PORT } })).rejects.toThrow('EADDRINUSE');
    const second = await startTestService({ dataDir });
    expect(second.service.bootstrapped).toMatchObject({ apiKey: { secret: SECRET } });
    await Promise.all([first.stop(), second.stop()]);
  });

  it('closes its stores when its port is taken, so that the next start can open them', async () => {
    const first = await startTestService();
    const PORT = new URL(first.service.url).port;
    await expect(startTestService({ dataDir, environment: { PORT } })).rejects.toThrow('EADDRINUSE');
    const second = await startTestService({ dataDir });
    await Promise.all([first.stop(), second.stop()]);
  });

  it('accepts the configured secret again when the read store was lost, and rebuilds the read models', async () => {
    const first = await startTestService({ dataDir });
    await first.call('POST', '/banks/accounts', { bankCode: 'demo', title: 'Kept' });
    await first.stop();
    for (const name of readdirSync(dataDir)) if (name.startsWith('read-models')) rmSync(join(dataDir, name));
    const again = await startTestService({ dataDir });
    const position = await again.service.log.head();
    expect(await again.service.httpServices.waitFor(['api-keys', 'companies', 'connections'], position, 100_000)).toBe(
      true,
    );
    const list = await again.call<{ items: { title: string }[] }>('GET', '/banks/accounts');
    expect(list.body.result.items.map((one) => one.title)).toEqual(['Kept']);
    await again.stop();
  });

  it('lets the configured admin sign in again when the read store was lost', async () => {
    const admin = { email: 'ada@example.com', password: 'a planted password' };
    const environment = { BOOTSTRAP_ADMIN_EMAIL: admin.email, BOOTSTRAP_ADMIN_PASSWORD: admin.password };
    const first = await startTestService({ dataDir, environment });
    await first.stop();
    for (const name of readdirSync(dataDir)) if (name.startsWith('read-models')) rmSync(join(dataDir, name));
    const again = await startTestService({ dataDir, environment });
    expect((await again.call('POST', '/auth/login', admin)).status).toBe(200);
    await again.stop();
  });

  it('does not restore a password that was replaced', async () => {
    const admin = { email: 'ada@example.com', password: 'a planted password' };
    const environment = { BOOTSTRAP_ADMIN_EMAIL: admin.email, BOOTSTRAP_ADMIN_PASSWORD: admin.password };
    const first = await startTestService({ dataDir, environment });
    const { accessToken } = await signIn(first);
    const body = { currentPassword: admin.password, newPassword: 'another planted password' };
    expect((await first.call('POST', '/auth/me/password', body, bearer(accessToken))).status).toBe(200);
    await first.stop();
    const again = await startTestService({ dataDir, environment });
    expect((await again.call('POST', '/auth/login', admin)).status).toBe(401);
    await again.stop();
  });
});
