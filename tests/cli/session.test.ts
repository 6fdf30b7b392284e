import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, firstLine, NoAnswer } from '../../cli/service/prompt.ts';
import { tokenOf } from '../../cli/service/session.ts';
import { writeSession } from '../../cli/service/session-file.ts';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { bearer, type Credentials, firstAdmin, type Pair } from '../support/signed-in.ts';
import { COMPANY, startTestService, type TestService } from '../support/test-service.ts';

const BANK = join(import.meta.dirname, '../../cli/bank.ts');
const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';

type Done = { readonly code: number | null; readonly out: string; readonly err: string };
type Kept = { url: string; email: string; accessToken: string; expiresAt: number; refreshToken: string };

let api: TestService;
let admin: Credentials;
let home: string;
let file: string;
beforeAll(async () => {
  api = await startTestService({ environment: { OPERATOR_TOKEN } });
  admin = firstAdmin(api);
});
afterAll(() => api.stop());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bank-home-'));
  file = join(home, 'bank', 'session.json');
  return () => rmSync(home, { recursive: true, force: true });
});

/** Runs `bank` as somebody whose home and folder of settings are empty at first. */
function bank(args: readonly string[], more: Record<string, string> = {}, input = ''): Promise<Done> {
  const env = { ...CHILD_ENVIRONMENT, HOME: home, XDG_CONFIG_HOME: home, BANK_URL: api.service.url, ...more };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BANK, ...args], { env });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdin.end(input);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

const kept = (): Kept => JSON.parse(readFileSync(file, 'utf8'));
const signedIn = () => bank(['login', '--email', admin.email], {}, `${admin.password}\n`);

/** As if the access token had expired. */
function expire(): Kept {
  const session = kept();
  writeFileSync(file, JSON.stringify({ ...session, accessToken: 'expired', expiresAt: 0 }));
  return session;
}

describe('bank login', () => {
  it('takes the password from standard input, and keeps a session that only its owner can read', async () => {
    const done = await signedIn();
    expect([done.code, done.err]).toEqual([0, '']);
    expect(done.out).toContain(`Signed in as ${admin.email} (admin) of `);
    expect(done.out).toContain(`company ${COMPANY}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'bank')).mode & 0o777).toBe(0o700);
    expect(Object.keys(kept()).sort()).toEqual(['accessToken', 'email', 'expiresAt', 'refreshToken', 'url']);
    expect(readFileSync(file, 'utf8')).not.toContain(admin.password);
    expect((await bank(['rules', 'list'])).code).toBe(0);
  });

  it('takes email and password from the environment, and ~/.config where nothing else is named', async () => {
    const given = { BANK_EMAIL: admin.email, BANK_PASSWORD: admin.password, XDG_CONFIG_HOME: '' };
    expect((await bank(['login'], given)).code).toBe(0);
    expect(existsSync(join(home, '.config/bank/session.json'))).toBe(true);
    expect((await bank(['rules', 'list'], { XDG_CONFIG_HOME: 'not/absolute' })).code).toBe(0);
  });

  it('says what is wrong, and keeps nothing', async () => {
    const wrong = await bank(['login', '--email', admin.email], {}, 'wrong password\n');
    expect([wrong.code, wrong.err.includes('LOGIN_FAILED')]).toEqual([3, true]);
    const nobody = await bank(['login']);
    expect([nobody.code, nobody.err.includes('--email')]).toEqual([78, true]);
    const away = await bank(['login', '--email', admin.email, '--url', 'http://127.0.0.1:1'], {}, 'password\n');
    expect([away.code, away.err.includes('does not answer')]).toEqual([7, true]);
    const none = await bank(['rules', 'list', '--url', 'nowhere']);
    expect([none.code, none.err.includes('must be an address')]).toEqual([1, true]);
    expect(existsSync(file)).toBe(false);
  });

  it('lists the tenants where there are several, and takes one of them', async () => {
    const operator = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'x-api-key': undefined, 'x-api-secret': undefined };
    const email = 'ada@several.example';
    const password = 'one password of both tenants';
    const ids: string[] = [];
    for (const name of ['First', 'Second']) {
      type Made = { tenant: { id: string }; admin: Credentials };
      const made = await api.call<Made>(
        'POST',
        '/operator/tenants',
        { name, adminEmail: `admin@${name.toLowerCase()}.example` },
        operator,
      );
      const { body } = await api.call<Pair>('POST', '/auth/login', made.body.result.admin);
      const added = await api.call(
        'POST',
        '/auth/users',
        { email, password, role: 'auditor' },
        { ...bearer(body.result.accessToken), 'x-company-id': undefined },
      );
      expect(added.status).toBe(201);
      ids.push(made.body.result.tenant.id);
    }
    const asked = await bank(['login', '--email', email], {}, `${password}\n`);
    expect(asked.code).toBe(6);
    for (const text of ['TENANT_REQUIRED', 'First', 'Second', ...ids]) expect(asked.err).toContain(text);
    const chosen = await bank(['login', '--email', email, '--tenant', ids[1] ?? ''], {}, `${password}\n`);
    expect([chosen.code, chosen.out.includes('of Second')]).toEqual([0, true]);
  });
});

describe('a session', () => {
  it('is renewed once its token has expired, and only once when several commands need it', async () => {
    await signedIn();
    const before = expire();
    const all = await Promise.all([1, 2, 3].map(() => bank(['rules', 'list'])));
    expect(all.map(({ code, err }) => [code, err])).toEqual(Array(3).fill([0, '']));
    const after = kept();
    expect(after.refreshToken).not.toBe(before.refreshToken);
    expect(after.expiresAt).toBeGreaterThan(Date.now());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // The first renewal was the only one: a second use of the token would have ended the session.
    expect((await bank(['rules', 'list'])).code).toBe(0);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it.each([0o640, 0o604, 0o622])('is refused in a file with mode %o', async (mode) => {
    await signedIn();
    chmodSync(file, mode);
    const done = await bank(['rules', 'list']);
    expect([done.code, done.err.includes('read by others')]).toEqual([78, true]);
    expect((await bank(['logout'])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it('is refused behind a link, and where the file holds something else', async () => {
    await signedIn();
    const elsewhere = join(home, 'elsewhere.json');
    writeFileSync(elsewhere, readFileSync(file), { mode: 0o600 });
    rmSync(file);
    symlinkSync(elsewhere, file);
    expect((await bank(['rules', 'list'])).code).toBe(78);
    rmSync(file);
    writeFileSync(file, '{"url": 1}', { mode: 0o600 });
    const done = await bank(['rules', 'list']);
    expect([done.code, done.err.includes('holds no session')]).toEqual([78, true]);
  });

  it('is for its own service only', async () => {
    await signedIn();
    const done = await bank(['rules', 'list', '--url', 'http://127.0.0.1:1']);
    expect([done.code, done.err.includes('bank login')]).toEqual([78, true]);
  });

  it('does not count where the environment names a key, even half of one', async () => {
    await signedIn();
    const wrong = { BANK_API_KEY: api.key, BANK_API_SECRET: 'wrong-wrong-wrong-wrong-wrong-wrong' };
    expect((await bank(['rules', 'list'], wrong)).code).toBe(3);
    expect((await bank(['rules', 'list'], { BANK_API_KEY: api.key })).code).toBe(78);
  });

  it('that has ended says so, and is forgotten', async () => {
    await signedIn();
    const { refreshToken } = kept();
    await api.call('POST', '/auth/logout', { refreshToken });
    expire();
    const done = await bank(['rules', 'list']);
    expect([done.code, done.err]).toEqual([3, 'the session has ended: bank login\n']);
    expect(existsSync(file)).toBe(false);
  });

  it('ends with bank logout, here and in the service', async () => {
    await signedIn();
    const { refreshToken } = kept();
    expect((await bank(['logout'])).out).toBe('Signed out\n');
    expect(existsSync(file)).toBe(false);
    expect((await api.call('POST', '/auth/refresh', { refreshToken })).status).toBe(401);
    expect((await bank(['logout'])).out).toBe('Nobody was signed in\n');
  });
});

describe('the renewal of a session', () => {
  it('is one for all who need it at once, also where a process ended while it held the lock', async () => {
    const renewals: string[] = [];
    const server = createServer((request, answer) => {
      request.on('data', (chunk: Buffer) => renewals.push(JSON.parse(chunk.toString()).refreshToken));
      request.on('end', () => {
        const result = { accessToken: 'new', refreshToken: 'second', expiresIn: 900, tokenType: 'Bearer' };
        answer.setHeader('content-type', 'application/json').end(JSON.stringify({ status: true, result }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const before = process.env.XDG_CONFIG_HOME;
    process.env.XDG_CONFIG_HOME = home;
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      writeSession({ url, email: admin.email, accessToken: 'old', expiresAt: 0, refreshToken: 'first' });
      writeFileSync(`${file}.lock`, '');
      utimesSync(`${file}.lock`, 0, 0);
      expect(await Promise.all([tokenOf(url), tokenOf(url), tokenOf(url)])).toEqual(['new', 'new', 'new']);
      expect(renewals).toEqual(['first']);
      expect(kept().refreshToken).toBe('second');
    } finally {
      if (before === undefined) delete process.env.XDG_CONFIG_HOME;
      else process.env.XDG_CONFIG_HOME = before;
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('a question on a terminal', () => {
  it('does not show a hidden answer, also after one that is shown', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let shown = '';
    output.on('data', (chunk) => {
      shown += chunk;
    });
    const email = ask('Email: ', { terminal: { input, output } });
    input.write('ada@acme.example\n');
    expect(await email).toBe('ada@acme.example');
    expect(shown).toContain('ada@acme.example');
    shown = '';
    const answer = ask('Password: ', { hidden: true, terminal: { input, output } });
    input.write('secret words\n');
    expect(await answer).toBe('secret words');
    expect(shown).toBe('Password: \n');
    const again = ask('Password: ', { hidden: true, terminal: { input, output } });
    input.write('\u0003');
    await expect(again).rejects.toThrow(NoAnswer);
  });

  it('ends with its input', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answer = ask('Email: ', { terminal: { input, output } });
    input.end();
    await expect(answer).rejects.toThrow(NoAnswer);
    const lines = new PassThrough();
    lines.end('one\r\ntwo\n');
    expect(await firstLine(lines)).toBe('one');
  });
});
