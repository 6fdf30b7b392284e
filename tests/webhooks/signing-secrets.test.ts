import { afterEach, describe, expect, it } from 'vitest';
import { openVault } from '../../src/providers/vault.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { openSigningSecrets, type SigningSecrets } from '../../src/webhooks/signing-secrets.ts';

const clock = { now: () => 1_700_000_000_000 };
const LATER = '2023-11-15T00:00:00.000Z';

describe('the signing secrets of a webhook', () => {
  let readStore: ReadStore;
  afterEach(() => readStore.close());

  async function secretsWith(key: number): Promise<SigningSecrets> {
    return openSigningSecrets(await openVault({ readStore, key: Buffer.alloc(32, key), clock }), clock);
  }

  it('are replaced when they cannot be read, and both sign after a rotation otherwise', async () => {
    readStore = openEmbeddedReadStore({ file: ':memory:' });
    const one = await secretsWith(1);
    const first = await one.create('tenant', 'hook');
    const second = await one.rotate('tenant', 'hook', LATER);
    expect(await one.valid('tenant', 'hook')).toEqual([second, first]);
    const other = await secretsWith(2);
    await expect(other.valid('tenant', 'hook')).rejects.toMatchObject({ code: 'VAULT_RECORD_UNREADABLE' });
    const third = await other.rotate('tenant', 'hook', LATER);
    expect(await other.valid('tenant', 'hook')).toEqual([third]);
  });
});
