import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CREDENTIALS, openVault, VaultError } from '../../src/providers/vault.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { Document, ReadStore } from '../../src/readstore/read-store.ts';
import { documentId } from '../../src/shared/ids.ts';
import { present } from './sessions.ts';

type Stored = Document & { environment: string; wrappedKey: string; fields: Record<string, string> };

const key = randomBytes(32);
const clock = { now: () => 1_750_000_000_000 };
const fields = { user: 'ada', password: 'hunter2-hunter2', script: { steps: [{ do: 'nothing' }] } };

let folder: string;
let readStore: ReadStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vault-'));
  readStore = openEmbeddedReadStore({ file: join(folder, 'readModels.db') });
});
afterAll(async () => {
  await readStore.close();
  await rm(folder, { recursive: true });
});

const vaultOf = (masterKey = key, at = clock) => openVault({ readStore, key: masterKey, clock: at });
const stored = () => readStore.collection<Stored>(CREDENTIALS);
const record = async (tenant: string, connection: string) =>
  present(await stored().get(documentId(tenant, connection)));

/** Puts a record that was tampered with in place of the real one. */
async function replace(original: Stored, changes: Partial<Stored>): Promise<void> {
  const changed = { ...original, ...changes, _position: `${original._position}x` };
  expect(await stored().compareAndSet(changed, original._position)).toBe(true);
}

describe('vault', () => {
  it('returns what was stored, also after it is opened again', async () => {
    const receipt = await (await vaultOf()).put('t1', 'c1', 'production', fields);
    expect(receipt.updatedAt).toBe('2025-06-15T15:06:40.000Z');
    expect(await (await vaultOf()).get('t1', 'c1')).toEqual({ environment: 'production', fields, ...receipt });
  });

  it('holds nothing of another tenant or connection', async () => {
    const vault = await vaultOf();
    await vault.put('t1', 'c1', 'production', fields);
    expect(await vault.get('t2', 'c1')).toBeUndefined();
    expect(await vault.get('t1', 'c2')).toBeUndefined();
  });

  it('replaces what was there, even when the clock stops or is set back', async () => {
    const vault = await vaultOf();
    await vault.put('t1', 'c3', 'demo', { seed: 'one' });
    await vault.put('t1', 'c3', 'demo', { seed: 'two' });
    const past = await vaultOf(key, { now: () => 1 });
    await past.put('t1', 'c3', 'demo', { seed: 'three' });
    expect((await vault.get('t1', 'c3'))?.fields).toEqual({ seed: 'three' });
  });

  it('keeps the whole write of one of several concurrent writers', async () => {
    const vault = await vaultOf();
    await Promise.all(['a', 'b', 'c'].map((name) => vault.put('t1', 'c4', 'demo', { seed: name, user: name })));
    const won = (await vault.get('t1', 'c4'))?.fields;
    expect(won?.seed).toBe(won?.user);
  });

  it('deletes what is destroyed, also when asked twice', async () => {
    const vault = await vaultOf();
    await vault.put('t1', 'c5', 'production', fields);
    await vault.destroy('t1', 'c5');
    await vault.destroy('t1', 'c5');
    expect(await vault.get('t1', 'c5')).toBeUndefined();
  });

  it('has one fingerprint for one content, and none in common between tenants or keys', async () => {
    const vault = await vaultOf();
    const other = await vaultOf(randomBytes(32));
    const reordered = Object.fromEntries(Object.entries(fields).reverse());
    const receipts = [
      await vault.put('t1', 'c6', 'production', fields),
      await vault.put('t1', 'c6', 'production', reordered),
      await vault.put('t1', 'c6', 'production', { ...fields, user: 'eve' }),
      await vault.put('t2', 'c6', 'production', fields),
      await other.put('t1', 'c7', 'production', fields),
    ];
    const [first, same, ...others] = receipts.map(({ fingerprint }) => fingerprint);
    expect(same).toBe(first);
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it('writes no secret to disk', async () => {
    await (await vaultOf()).put('t1', 'c8', 'production', fields);
    await readStore.close();
    const bytes = await Promise.all(
      ['readModels.db', 'readModels.db-wal'].map((name) => readFile(join(folder, name)).catch(() => Buffer.alloc(0))),
    );
    readStore = openEmbeddedReadStore({ file: join(folder, 'readModels.db') });
    expect(Buffer.concat(bytes).includes('t1/c8')).toBe(true);
    expect(Buffer.concat(bytes).includes('hunter2')).toBe(false);
  });

  it.each<[string, (mine: Stored, other: Stored) => Partial<Stored>]>([
    ['a record of another tenant', (_mine, other) => ({ wrappedKey: other.wrappedKey, fields: other.fields })],
    ['a data key of another record', (_mine, other) => ({ wrappedKey: other.wrappedKey })],
    ['a field of another record', (mine, other) => ({ fields: { ...mine.fields, user: other.fields.user ?? '' } })],
    [
      'two fields swapped',
      ({ fields: { user = '', password = '', ...rest } }) => ({ fields: { ...rest, user: password, password: user } }),
    ],
    ['a field left out', ({ fields: { user: _user, ...rest } }) => ({ fields: rest })],
    ['a field added', (mine) => ({ fields: { ...mine.fields, extra: mine.fields.user ?? '' } })],
    ['another environment', () => ({ environment: 'demo' })],
    ['nothing in a field', (mine) => ({ fields: { ...mine.fields, user: '' } })],
  ])('refuses %s, without a word of what is in it', async (_what, change) => {
    const vault = await vaultOf();
    await vault.put('t1', 'c9', 'production', fields);
    await vault.put('t2', 'c9', 'production', { ...fields, user: 'eve' });
    await replace(await record('t1', 'c9'), change(await record('t1', 'c9'), await record('t2', 'c9')));
    const error = await vault.get('t1', 'c9').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VaultError);
    expect(error).toMatchObject({ code: 'VAULT_RECORD_UNREADABLE' });
    expect(JSON.stringify(error) + String(error)).not.toMatch(/ada|eve|hunter2/);
  });

  it('refuses a record with any one bit changed', async () => {
    const vault = await vaultOf();
    await vault.put('t1', 'c10', 'production', { password: 'hunter2' });
    const original = await record('t1', 'c10');
    const texts = [original.wrappedKey, original.fields.password ?? ''].map((text) => Buffer.from(text, 'base64'));
    const place = fc
      .integer({ min: 0, max: 1 })
      .chain((which) => fc.tuple(fc.constant(which), fc.nat({ max: (texts[which]?.length ?? 1) * 8 - 1 })));
    await fc.assert(
      fc.asyncProperty(place, async ([which, bit]) => {
        const bytes = Buffer.from(present(texts[which]));
        bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        const text = bytes.toString('base64');
        await replace(await record('t1', 'c10'), which === 0 ? { wrappedKey: text } : { fields: { password: text } });
        await expect(vault.get('t1', 'c10')).rejects.toMatchObject({ code: 'VAULT_RECORD_UNREADABLE' });
        const { wrappedKey, fields: sealed } = original;
        await replace(await record('t1', 'c10'), { wrappedKey, fields: sealed });
      }),
      { numRuns: 60 },
    );
    expect((await vault.get('t1', 'c10'))?.fields).toEqual({ password: 'hunter2' });
  });

  it('refuses another key, and an invalid key', async () => {
    await (await vaultOf()).put('t1', 'c11', 'production', fields);
    await expect((await vaultOf(randomBytes(32))).get('t1', 'c11')).rejects.toMatchObject({
      code: 'VAULT_RECORD_UNREADABLE',
    });
    await expect(vaultOf(randomBytes(16))).rejects.toMatchObject({ code: 'VAULT_KEY_INVALID' });
  });
});
