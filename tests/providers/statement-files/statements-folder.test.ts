import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProviderSession } from '../../../src/providers/bank-provider.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { sessionOf, unclaimed } from '../sessions.ts';

const STATEMENT = ':20:R\n:25:SECRET-ACCOUNT\n:28C:1\n:60F:C250301EUR1,\n:62F:C250301EUR1,\n-\n';

let outside: string;
let root: string;
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'statements-'));
  root = join(outside, 'root');
  await mkdir(join(root, 'mine'), { recursive: true });
  await mkdir(join(root, 'other'));
  await mkdir(join(outside, 'elsewhere'));
  await writeFile(join(root, 'other', 'a.sta'), STATEMENT);
  await writeFile(join(outside, 'elsewhere', 'a.sta'), STATEMENT);
});
afterEach(() => rm(outside, { recursive: true }));

const discover = (folder: unknown, over: Partial<ProviderSession> = {}) =>
  createStatementFiles({ statementsDir: root, folderOwners: unclaimed, settleMs: 0 }).discoverAccounts(
    sessionOf({ folder }, { environment: 'production', ...over }),
  );

describe('the statements folder', () => {
  it.each([
    '',
    '.',
    '..',
    '../elsewhere',
    'mine/../other',
    'mine/..',
    '/etc',
    '\\etc',
    'mine\\..\\other',
    'C:',
    'a\u0000b',
    'mine//',
    '.hidden',
    'mine/.ssh',
    'x'.repeat(201),
    5,
    null,
    ['mine'],
  ])('cannot be %j', async (folder) => {
    await expect(discover(folder)).rejects.toMatchObject({ kind: 'permanent', code: 'PROVIDER_CREDENTIALS_INVALID' });
  });

  it('is refused in the same way whether it is missing, a file, leads outside or belongs to another tenant', async () => {
    await symlink(join(outside, 'elsewhere'), join(root, 'way-out'));
    await symlink(root, join(root, 'mine', 'up'));
    await writeFile(join(root, 'file'), STATEMENT);
    await writeFile(join(root, 'other', '.tenant'), 'tenant-b\n');
    const errors = await Promise.all(
      ['missing', 'file', 'way-out', 'mine/up', 'other'].map((folder) =>
        discover(folder).catch((error: unknown) => error),
      ),
    );
    for (const error of errors) {
      expect(error).toMatchObject({
        kind: 'permanent',
        code: 'STATEMENT_FOLDER_NOT_GRANTED',
        message: 'the statements folder does not exist, or is not granted to this company',
      });
    }
    expect((await discover('other', { tenantId: 'tenant-b' })).accounts.length).toBe(1);
  });

  it('may be a link or a nested folder below the root', async () => {
    await symlink(join(root, 'other'), join(root, 'alias'));
    await mkdir(join(root, 'a b', 'c'), { recursive: true });
    await writeFile(join(root, 'a b', 'c', 'x.sta'), STATEMENT);
    expect((await discover('alias')).accounts.length).toBe(1);
    expect((await discover('a b/c')).accounts.length).toBe(1);
  });

  it('yields no file outside it to which a link leads, even below the root', async () => {
    await symlink(join(outside, 'elsewhere', 'a.sta'), join(root, 'mine', '1-outside.sta'));
    await symlink(join(root, 'other', 'a.sta'), join(root, 'mine', '2-neighbour.sta'));
    await symlink(join(root, 'mine', 'nowhere'), join(root, 'mine', '3-dangling.sta'));
    await symlink(join(root, 'mine', '4-self.sta'), join(root, 'mine', '4-self.sta'));
    const { accounts, faults } = await discover('mine');
    expect(accounts).toEqual([]);
    expect(faults.map(({ code, source }) => [code, source])).toEqual([
      ['STATEMENT_FILE_UNREADABLE', '1-outside.sta'],
      ['STATEMENT_FILE_UNREADABLE', '2-neighbour.sta'],
      ['STATEMENT_FILE_UNREADABLE', '4-self.sta'],
    ]);
    expect(JSON.stringify(faults)).not.toContain(outside);
  });

  it('follows a link within it, and leaves subfolders alone', async () => {
    await mkdir(join(root, 'mine', 'archive'));
    await writeFile(join(root, 'mine', 'archive', 'old.sta'), 'broken');
    await writeFile(join(root, 'mine', 'real.sta'), STATEMENT);
    await symlink(join(root, 'mine', 'real.sta'), join(root, 'mine', 'link.sta'));
    expect(await discover('mine')).toMatchObject({ accounts: [{ accountNo: 'SECRET-ACCOUNT' }], faults: [] });
  });
});
