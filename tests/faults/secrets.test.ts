import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/test-service.ts';

const planted = (what: string): string => `${what}-${randomBytes(18).toString('hex')}`;

const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const TOKEN_KEY = randomBytes(32).toString('base64');
const OPERATOR_TOKEN = planted('operator');
const METRICS_TOKEN = planted('metrics');
const BOOTSTRAP_ADMIN_PASSWORD = planted('first-password');

const dataDir = mkdtempSync(join(tmpdir(), 'bank-secrets-'));
let api: TestService;
/** Each with the answer in which it may stand, by the number of the request; -1 for none. */
const secrets = new Map<string, { readonly text: string; readonly shownBy: number }>();
const answers: string[] = [];

type Headers = Record<string, string | undefined>;

function note(what: string, text: string | undefined, shownBy = -1): void {
  if (text === undefined || text.length < 16) throw new Error(`no secret: ${what}`);
  secrets.set(what, { text, shownBy });
}

/** Keeps the whole answer, and gives the number of the request along. */
async function ask<R = Record<string, never>>(
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<{ status: number; result: R; nth: number; position: string }> {
  const all = { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': 'company-one', ...headers };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(`${api.service.url}${path}`, {
    method,
    headers: [...sent, ...(body === undefined ? [] : [['content-type', 'application/json'] as [string, string]])],
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  answers.push(`${[...response.headers].map((header) => header.join(': ')).join('\n')}\n\n${text}`);
  const isJson = response.headers.get('content-type')?.includes('application/json') ?? false;
  const position = response.headers.get('x-log-position') ?? '';
  return { status: response.status, result: isJson ? JSON.parse(text).result : {}, nth: answers.length - 1, position };
}

const personal = (token: string): Headers => ({
  'x-api-key': undefined,
  'x-api-secret': undefined,
  'x-company-id': undefined,
  authorization: `Bearer ${token}`,
});

type Pair = { accessToken: string; refreshToken: string };

async function signIn(who: string, email: string, password: string): Promise<Pair> {
  const { result, nth } = await ask<Pair>('POST', '/auth/login', { email, password }, personal('none-at-all'));
  note(`${who}: access token`, result.accessToken, nth);
  note(`${who}: refresh token`, result.refreshToken, nth);
  return result;
}

/** Everything that knows a secret is used, rightly and wrongly, once with an idempotency key and again. */
async function useEverything(): Promise<void> {
  const first = await signIn('admin', 'admin@example.com', BOOTSTRAP_ADMIN_PASSWORD);
  // Two tokens of one session in the same second are one.
  await wait(1_100);
  const refreshed = await ask<Pair>(
    'POST',
    '/auth/refresh',
    { refreshToken: first.refreshToken },
    personal('none-at-all'),
  );
  note('access token after a refresh', refreshed.result.accessToken, refreshed.nth);
  note('refresh token after a refresh', refreshed.result.refreshToken, refreshed.nth);
  const admin = personal(refreshed.result.accessToken);

  type Key = { id: string; key: string; secret: string };
  const once = planted('idempotency');
  note('idempotency key', once);
  const requested = { name: 'Secrets', scopes: ['rules:read'] };
  const key = await ask<Key>('POST', '/auth/api-keys', requested, { ...admin, 'idempotency-key': once });
  note('API secret', key.result.secret, key.nth);
  const again = await ask<Key>('POST', '/auth/api-keys', requested, { ...admin, 'idempotency-key': once });
  expect(again.result.secret).toBe(key.result.secret);
  answers[again.nth] = '';
  const rotated = await ask<Key>('POST', `/auth/api-keys/${key.result.id}/rotate`, { graceSeconds: 60 }, admin);
  note('rotated API secret', rotated.result.secret, rotated.nth);
  await api.service.httpServices.waitFor(['api-keys'], rotated.position, 100_000);
  for (const secret of [key.result.secret, rotated.result.secret, planted('wrong-secret')]) {
    await ask('GET', '/banks/transaction-rules', undefined, { 'x-api-key': key.result.key, 'x-api-secret': secret });
  }
  await ask('GET', `/banks/accounts/${rotated.result.secret}?token=${rotated.result.secret}`);
  await ask('POST', `/auth/api-keys/${key.result.id}/revoke`, { reason: 'leaked' }, admin);

  const [given, replaced] = [planted('given-password'), planted('replaced-password')];
  note('password that was given', given);
  note('password that replaced it', replaced);
  const person = { email: 'person@example.com', role: 'analyst', password: given };
  await ask('POST', '/auth/users', person, { ...admin, 'idempotency-key': planted('adding') });
  const made = await ask<{ password: string }>(
    'POST',
    '/auth/users',
    { email: 'made@example.com', role: 'auditor' },
    admin,
  );
  note('password that was made up', made.result.password, made.nth);
  const theirs = personal((await signIn('person', person.email, given)).accessToken);
  const change = { currentPassword: given, newPassword: replaced };
  expect((await ask('POST', '/auth/me/password', change, theirs)).status).toBe(200);
  const wrong = planted('wrong-password');
  note('wrong password', wrong);
  await ask('POST', '/auth/login', { email: person.email, password: wrong }, personal('none-at-all'));
  const later = await signIn('person again', person.email, replaced);
  await ask('POST', '/auth/logout', { refreshToken: later.refreshToken }, personal('none-at-all'));
  await ask('POST', '/auth/refresh', { refreshToken: later.refreshToken }, personal('none-at-all'));

  type Tenant = { admin: { password: string }; apiKey: { secret: string } };
  const operator = personal(OPERATOR_TOKEN);
  const newTenant = { name: 'Secrets', adminEmail: 'secrets@example.com' };
  const tenant = await ask<Tenant>('POST', '/operator/tenants', newTenant, {
    ...operator,
    'idempotency-key': planted('tenant'),
  });
  note("new tenant's password", tenant.result.admin.password, tenant.nth);
  note("new tenant's API secret", tenant.result.apiKey.secret, tenant.nth);
  await ask('GET', '/operator/tenants', undefined, operator);
  await ask('GET', '/metrics', undefined, personal(METRICS_TOKEN));
  await ask('GET', '/metrics', undefined, personal(planted('wrong')));

  const bank = [planted('bank-seed'), planted('bank-seed')];
  note('bank credential', bank[0]);
  note('bank credential after it', bank[1]);
  const opened = await ask<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Secrets' });
  const path = `/banks/accounts/${opened.result.id}`;
  for (const seed of bank) await ask('PUT', `${path}/credentials`, { seed, transactionsPerDay: 2 });
  await ask('PUT', `${path}/credentials`, { seed: bank[0], unknown: bank[1] });
  await ask('POST', `${path}/setup`, undefined, { prefer: 'wait=20' });
  await ask('POST', `${path}/sync`, { from: '2026-01-01', to: '2026-01-05' }, { prefer: 'wait=20' });
  const gone = planted('bank-gone');
  note('bank credential of an archived connection', gone);
  const other = await ask<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Archived' });
  await ask('PUT', `/banks/accounts/${other.result.id}/credentials`, { seed: gone });
  await ask('POST', `/banks/accounts/${other.result.id}/archive`);

  const lists = [
    '/auth/api-keys',
    '/auth/users',
    '/auth/me',
    '/banks/accounts',
    path,
    `${path}/health`,
    '/banks/audit/history?limit=200',
  ];
  for (const list of lists) await ask('GET', list, undefined, admin);
}

beforeAll(async () => {
  api = await startTestService({
    dataDir,
    environment: {
      ENCRYPTION_KEY,
      TOKEN_KEY,
      OPERATOR_TOKEN,
      METRICS_TOKEN,
      BOOTSTRAP_ADMIN_PASSWORD,
      BOOTSTRAP_ADMIN_EMAIL: 'admin@example.com',
    },
  });
  note('ENCRYPTION_KEY', ENCRYPTION_KEY);
  note('TOKEN_KEY', TOKEN_KEY);
  note('OPERATOR_TOKEN', OPERATOR_TOKEN);
  note('METRICS_TOKEN', METRICS_TOKEN);
  note('BOOTSTRAP_ADMIN_PASSWORD', BOOTSTRAP_ADMIN_PASSWORD);
  note('BOOTSTRAP_API_SECRET', api.secret);
  await useEverything();
});
afterAll(async () => {
  await api?.service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/**
 * The bytes by which a secret could stand somewhere: plain, in each of base64's three phases, hex, percent-encoded, and
 * what a key's base64 stands for.
 */
function formsOf(text: string): Buffer[] {
  const plain = Buffer.from(text);
  const phases = [0, 1, 2].flatMap((shift) =>
    (['base64', 'base64url'] as const).map((encoding) => {
      // Letters that share bits with what stands before and after are left out.
      const letters = Buffer.concat([Buffer.alloc(shift), plain])
        .toString(encoding)
        .replaceAll('=', '');
      return letters.slice(shift === 0 ? 0 : shift + 1, -2);
    }),
  );
  const hex = [plain.toString('hex'), plain.toString('hex').toUpperCase()];
  const bytes = Buffer.from(text, 'base64');
  const isKey = bytes.length === 32 && bytes.toString('base64') === text;
  return [
    ...[text, encodeURIComponent(text), text.split('').reverse().join(''), ...phases, ...hex].map((form) =>
      Buffer.from(form),
    ),
    ...(isKey ? [bytes, Buffer.from(bytes.toString('hex'))] : []),
  ];
}

function namesIn(content: Buffer, nth?: number): string[] {
  return [...secrets]
    .filter(([, { text, shownBy }]) => shownBy !== nth && formsOf(text).some((form) => content.includes(form)))
    .map(([what]) => what);
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile());
}

/** File and secret, for each that stands in a file. */
function foundInFiles(): string[] {
  return filesOf(dataDir).flatMap((path) => namesIn(readFileSync(path)).map((what) => `${path}: ${what}`));
}

describe('after everything with a secret was used', () => {
  it('more than twenty secrets are looked for', () => {
    expect(secrets.size).toBeGreaterThan(20);
    expect(filesOf(dataDir).some((path) => path.endsWith('-wal'))).toBe(true);
  });

  it('no file holds one in any form, neither while the service runs nor once it has stopped', async () => {
    expect(foundInFiles()).toEqual([]);
    await api.service.stop();
    expect(foundInFiles()).toEqual([]);
  });

  it('no log line holds one', () => {
    expect(api.logLines.length).toBeGreaterThan(30);
    expect(namesIn(Buffer.from(api.logLines.join('\n')))).toEqual([]);
  });

  it('no answer holds one but the first', () => {
    const shown = [...secrets.values()].filter(({ text, shownBy }) => answers[shownBy]?.includes(text));
    expect(shown.length).toBe([...secrets.values()].filter(({ shownBy }) => shownBy >= 0).length);
    expect(
      answers.flatMap((answer, nth) => namesIn(Buffer.from(answer), nth).map((what) => `${nth}: ${what}`)),
    ).toEqual([]);
  });

  it.each(['plain', 'base64', 'hex', 'percent-encoded'])('one that leaked %s would be found', (form) => {
    const path = join(dataDir, 'leak');
    const leak = {
      plain: `x${OPERATOR_TOKEN}x`,
      base64: Buffer.from(`{"token":"${OPERATOR_TOKEN}"}`).toString('base64'),
      hex: Buffer.from(OPERATOR_TOKEN).toString('hex'),
      'percent-encoded': encodeURIComponent(ENCRYPTION_KEY),
    }[form];
    writeFileSync(path, String(leak));
    expect(foundInFiles()).toEqual([`${path}: ${form === 'percent-encoded' ? 'ENCRYPTION_KEY' : 'OPERATOR_TOKEN'}`]);
    rmSync(path);
  });
});
