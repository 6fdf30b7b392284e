import * as crypto from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LoginNames, openLoginNames } from '../../src/identity/login-names.ts';
import { openSecrets, type Secrets } from '../../src/identity/secrets.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { Document, ReadStore } from '../../src/readstore/read-store.ts';

const hashed = vi.hoisted(() => ({ times: 0 }));
vi.mock('node:crypto', async (original) => {
  const actual = await original<typeof import('node:crypto')>();
  const scrypt = (...given: unknown[]): void => {
    hashed.times += 1;
    (actual.scrypt as (...all: unknown[]) => void)(...given);
  };
  return { ...actual, scrypt };
});

const KEY = Buffer.alloc(32, 1);
const EMAIL = 'ada@example.com';
const PASSWORD = 'a planted password';

let folder: string;
let readStore: ReadStore;
let secrets: Secrets;
let loginNames: LoginNames;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bank-hashes-'));
  readStore = openEmbeddedReadStore({ file: join(folder, 'store.sqlite') });
  secrets = await openSecrets(readStore, KEY);
  loginNames = await openLoginNames(readStore, KEY);
});
afterEach(async () => {
  await readStore.close();
  rmSync(folder, { recursive: true, force: true });
});

const there = async (): Promise<boolean> => true;
const salted = (password: string) => ({ password, salt: loginNames.saltOf(EMAIL) });

async function added(tenantId: string, password: string): Promise<string> {
  const userId = `user of ${tenantId}`;
  await loginNames.claim(EMAIL, { tenantId, userId }, there);
  await secrets.keepPassword(userId, salted(password));
  return userId;
}

/** What release 1.0.0 stored: one claim of the email in the installation, and a salt of the user's own. */
async function addedBefore(tenantId: string, password: string): Promise<string> {
  const userId = `user of ${tenantId}`;
  const salt = crypto.randomBytes(16);
  const hash = crypto.scryptSync(password, salt, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 });
  const written = `scrypt$32768$8$3$${salt.toString('base64')}$${hash.toString('base64')}`;
  const put = (name: string, document: Document & Record<string, unknown>) =>
    readStore.collection({ name, indexes: [] }).putMany([document]);
  await put('login_names', { _id: loginNames.keyOf(EMAIL), _position: '000000000001', tenantId, userId });
  await put('secret_hashes', { _id: userId, _position: '000000000001', hash: written });
  return userId;
}

async function tried(password: string): Promise<{ right: readonly string[]; hashes: number }> {
  const owners = await loginNames.ownersOf(EMAIL);
  hashed.times = 0;
  const right = await secrets.whosePassword(
    owners.map(({ userId }) => userId),
    salted(password),
  );
  return { right, hashes: hashed.times };
}

describe('a password', () => {
  it('takes one hash, whether no tenant knows the email or many do', async () => {
    expect(await tried(PASSWORD)).toEqual({ right: [], hashes: 1 });
    for (const nth of [1, 2, 3, 4, 5]) await added(`tenant ${nth}`, `${PASSWORD} ${nth}`);
    expect(await tried('wrong')).toEqual({ right: [], hashes: 1 });
    expect(await tried(`${PASSWORD} 4`)).toEqual({ right: ['user of tenant 4'], hashes: 1 });
  });

  it('of several users is found for each of them', async () => {
    const users = [await added('one', PASSWORD), await added('two', PASSWORD)];
    await added('three', 'another password');
    expect((await tried(PASSWORD)).right).toEqual(users);
  });

  it('kept by release 1.0.0 stays right, beside users of other tenants, and costs one hash from then on', async () => {
    const old = await addedBefore('one', PASSWORD);
    expect(await tried('wrong')).toEqual({ right: [], hashes: 1 });
    const other = await added('two', 'another password');
    expect(await tried('another password')).toEqual({ right: [other], hashes: 2 });
    expect(await tried(PASSWORD)).toEqual({ right: [old], hashes: 2 });
    expect(await tried(PASSWORD)).toEqual({ right: [old], hashes: 1 });
    expect(await tried('wrong')).toEqual({ right: [], hashes: 1 });
  });

  it('that is replaced while the former one is tried stays the newer one', async () => {
    const old = await addedBefore('one', PASSWORD);
    const [trial] = await Promise.all([tried(PASSWORD), secrets.keepPassword(old, salted('the newer one'))]);
    expect(trial.right).toEqual([old]);
    expect((await tried('the newer one')).right).toEqual([old]);
    expect((await tried(PASSWORD)).right).toEqual([]);
  });
});

describe('an email', () => {
  it('that one tenant knows is stored as release 1.0.0 reads it, also when others come', async () => {
    const names = readStore.collection<Document & { tenantId?: string }>({ name: 'login_names', indexes: [] });
    await added('one', PASSWORD);
    await added('two', PASSWORD);
    expect(await names.get(loginNames.keyOf(EMAIL))).toMatchObject({ tenantId: 'one', userId: 'user of one' });
  });

  it('is claimed by many tenants at once, and by one user of each', async () => {
    const tenants = ['one', 'two', 'three', 'four', 'five'];
    const claims = await Promise.all(
      tenants.map((tenantId) => loginNames.claim(EMAIL, { tenantId, userId: 'first' }, there)),
    );
    expect(claims).toEqual([true, true, true, true, true]);
    const again = await Promise.all(
      tenants.map((tenantId) => loginNames.claim(EMAIL, { tenantId, userId: 'second' }, there)),
    );
    expect(again).toEqual([false, false, false, false, false]);
    const owners = await loginNames.ownersOf(` ${EMAIL.toUpperCase()}`);
    expect(owners.map(({ tenantId }) => tenantId).sort()).toEqual([...tenants].sort());
  });

  it('claimed without a user is free in its tenant, and stays claimed in the others', async () => {
    await loginNames.claim(EMAIL, { tenantId: 'one', userId: 'lost' }, there);
    await loginNames.claim(EMAIL, { tenantId: 'two', userId: 'lost' }, there);
    const nobody = async (): Promise<boolean> => false;
    expect(await loginNames.claim(EMAIL, { tenantId: 'two', userId: 'second' }, nobody)).toBe(true);
    expect(await loginNames.claim(EMAIL, { tenantId: 'one', userId: 'first' }, nobody)).toBe(true);
    expect(await loginNames.ownersOf(EMAIL)).toEqual([
      { tenantId: 'one', userId: 'first' },
      { tenantId: 'two', userId: 'second' },
    ]);
  });
});
