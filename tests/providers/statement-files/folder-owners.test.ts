import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderRefused, grantFolder } from '../../../src/providers/statement-files/folder-grant.ts';
import { openFolderOwners } from '../../../src/providers/statement-files/folder-owners.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import { type ReadStore, ReadStoreUnavailable } from '../../../src/readstore/read-store.ts';
import { sessionOf } from '../sessions.ts';

const STATEMENT = ':20:R\n:25:SECRET-ACCOUNT\n:28C:1\n:60F:C250301EUR1,\n:62F:C250301EUR1,\n-\n';

let folder: string;
let root: string;
let readStore: ReadStore;
let tenants = 1;
beforeEach(async () => {
  tenants = 1;
  folder = await mkdtemp(join(tmpdir(), 'owners-'));
  root = join(folder, 'root');
  await drop('acme');
  await drop('acme/eur');
  readStore = openEmbeddedReadStore({ file: join(folder, 'read.sqlite') });
});
afterEach(async () => {
  await readStore.close();
  await rm(folder, { recursive: true });
});

async function drop(name: string): Promise<void> {
  await mkdir(join(root, name), { recursive: true });
  await writeFile(join(root, name, 'a.sta'), STATEMENT);
}

/** How many accounts a company finds there, `tenant` or `tenant/company`, or how it is refused. */
async function found(who: string, name: string): Promise<unknown> {
  const [tenantId = '', companyId = 'company'] = who.split('/');
  const folderOwners = await openFolderOwners(readStore, async () => tenants < 2);
  const bank = createStatementFiles({ statementsDir: root, folderOwners, settleMs: 0 });
  const session = sessionOf({ folder: name }, { environment: 'production', tenantId, companyId });
  return bank.discoverAccounts(session).then(
    ({ accounts }) => accounts.length,
    ({ kind, code, message }) => ({ kind, code, message }),
  );
}

describe('a folder of statements', () => {
  it('belongs to the company that opens it first, and appears not to exist to any other', async () => {
    expect(await found('a', 'acme')).toBe(1);
    const missing = await found('b', 'missing');
    expect(missing).toMatchObject({ kind: 'permanent', code: 'STATEMENT_FOLDER_NOT_GRANTED' });
    expect(await found('b', 'acme')).toEqual(missing);
    expect(await found('a/other', 'acme')).toEqual(missing);
    expect(await found('a', 'acme')).toBe(1);
  });

  it('opens only with a grant if there are several tenants, whoever was first', async () => {
    expect(await found('a', 'acme')).toBe(1);
    tenants = 2;
    const missing = await found('a', 'missing');
    expect(await found('a', 'acme')).toEqual(missing);
    grantFolder(root, 'acme', { tenantId: 'a', companyId: 'company' });
    expect(await found('a', 'acme')).toBe(1);
    expect(await found('a', 'acme/eur')).toBe(1);
    expect(await found('a/other', 'acme')).toEqual(missing);
    expect(await found('b', 'acme')).toEqual(missing);
    grantFolder(root, 'acme', { tenantId: 'b', companyId: 'company' });
    expect(await found('a', 'acme')).toEqual(missing);
    expect(await found('b', 'acme')).toBe(1);
  });

  it('is granted only below the statements directory', async () => {
    await symlink(folder, join(root, 'out'));
    const owner = { tenantId: 'a', companyId: 'company' };
    for (const name of ['..', '../x', 'out', '', '.hidden', 'a/../b']) {
      expect(() => grantFolder(root, name, owner)).toThrow(FolderRefused);
    }
    grantFolder(root, 'new/below', owner);
    expect(await found('a', 'new/below')).toBe(0);
  });

  it('is owned with everything below its top folder', async () => {
    expect(await found('a', 'acme/eur')).toBe(1);
    const missing = await found('b', 'missing');
    expect(await found('b', 'acme')).toEqual(missing);
    expect(await found('b', 'acme/eur')).toEqual(missing);
    await drop('acme/usd');
    expect(await found('b', 'acme/usd')).toEqual(missing);
    expect(await found('a', 'acme/usd')).toBe(1);
  });

  it('is owned under every name that leads to it', async () => {
    await symlink(join(root, 'acme'), join(root, 'alias'));
    await drop('ACME');
    await drop('straße');
    await drop('STRASSE');
    expect(await found('a', 'acme')).toBe(1);
    expect(await found('a', 'straße')).toBe(1);
    const missing = await found('b', 'missing');
    for (const name of ['alias', 'alias/eur', 'ACME', 'STRASSE']) expect(await found('b', name)).toEqual(missing);
  });

  it('that does not exist is owned by nobody', async () => {
    await found('b', 'later');
    await drop('later');
    expect(await found('a', 'later')).toBe(1);
  });

  it('requested by two tenants at once goes to one of them', async () => {
    const both = await Promise.all([found('a', 'acme'), found('b', 'acme')]);
    expect(both.filter((one) => one === 1)).toHaveLength(1);
  });

  it('belongs to the tenant named in a .tenant file, in it or above it, whoever was first', async () => {
    expect(await found('a', 'acme')).toBe(1);
    await writeFile(join(root, 'acme', '.tenant'), 'b\n');
    const missing = await found('a', 'missing');
    expect(await found('a', 'acme')).toEqual(missing);
    expect(await found('a', 'acme/eur')).toEqual(missing);
    expect(await found('b', 'acme/eur')).toBe(1);
    await writeFile(join(root, 'acme', 'eur', '.tenant'), 'c');
    expect(await found('b', 'acme/eur')).toEqual(missing);
    expect(await found('c', 'acme/eur')).toBe(1);
  });

  it('gives no access to a subfolder through a link', async () => {
    await drop('shared');
    await drop('shared/theirs');
    await writeFile(join(root, 'shared', 'theirs', '.tenant'), 'a');
    await rm(join(root, 'shared', 'a.sta'));
    await symlink(join(root, 'shared', 'theirs', 'a.sta'), join(root, 'shared', 'link.sta'));
    expect(await found('b', 'shared')).toBe(0);
  });

  it('cannot be opened while the store does not answer who owns it', async () => {
    const down = () => Promise.reject(new ReadStoreUnavailable('down'));
    const folderOwners = { owns: down, needsGrant: down };
    const bank = createStatementFiles({ statementsDir: root, folderOwners, settleMs: 0 });
    const session = sessionOf({ folder: 'acme' }, { environment: 'production' });
    await expect(bank.discoverAccounts(session)).rejects.toMatchObject({ kind: 'transient' });
  });
});
