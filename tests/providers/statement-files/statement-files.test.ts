import { appendFile, mkdir, mkdtemp, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BankProvider, ProviderSession } from '../../../src/providers/bank-provider.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { sha256 } from '../../../src/shared/hash.ts';
import { accountsOf, NOW_MS, pagesOf, present, rowsOf, sessionOf, unclaimed } from '../sessions.ts';

const EVER = { fromDay: '1970-01-01', toDay: '2025-06-16' };
const OLD = new Date(NOW_MS - 3_600_000);

let root: string;
let bank: BankProvider;
let waited: number[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'statements-'));
  await mkdir(join(root, 'acme'));
  waited = [];
  const wait = async (ms: number) => void waited.push(ms);
  bank = createStatementFiles({ statementsDir: root, folderOwners: unclaimed, wait });
});
afterEach(() => rm(root, { recursive: true }));

async function deliver(name: string, content: string, at = OLD): Promise<void> {
  const path = join(root, 'acme', name);
  await writeFile(path, content);
  await utimes(path, at, at);
}

/** A statement with one row for each amount, all on one day and equal except for the amount. */
function statement(day: string, opening: number, amounts: readonly number[], account = 'ACC'): string {
  const date = day.slice(2).replaceAll('-', '');
  const balance = (amount: number) => `${amount < 0 ? 'D' : 'C'}${date}EUR${Math.abs(amount)},`;
  const rows = amounts.map(
    (amount) => `:61:${date}${amount < 0 ? 'D' : 'C'}${Math.abs(amount)},NTRFNONREF\n:86:same\n`,
  );
  const closing = amounts.reduce((sum, amount) => sum + amount, opening);
  return `:20:R\n:25:${account}\n:28C:1\n:60F:${balance(opening)}\n${rows.join('')}:62F:${balance(closing)}\n-\n`;
}

const session = (over: Partial<ProviderSession> = {}) =>
  sessionOf({ folder: 'acme' }, { environment: 'production', ...over });
/** For each row its group and its number there. */
const groupsOf = async (window = EVER) => {
  const [account] = await accountsOf(bank, session());
  const pages = await pagesOf(bank, session(), present(account), window);
  return rowsOf(pages).map(({ group }) => `${group?.key} ${group?.index}`);
};

describe('statement files: what is imported', () => {
  it('lists each account and currency once, as of its latest statement', async () => {
    await deliver('b.sta', statement('2025-03-01', 100, [10]) + statement('2025-03-03', 110, [-5]));
    await deliver('a.sta', statement('2025-03-04', 105, [1]) + statement('2025-03-02', 7, [], 'OTHER'));
    const { accounts, faults } = await bank.discoverAccounts(session());
    expect(faults).toEqual([]);
    expect(
      accounts.map((account) => [account.providerAccountId, account.balance, account.lastTransactionDate]),
    ).toEqual([
      ['ACC/EUR', '106', '2025-03-04T00:00:00.000Z'],
      ['OTHER/EUR', '7', null],
    ]);
  });

  it('uses the later of two statements of a day, which continues from the other', async () => {
    await deliver('a.sta', statement('2025-03-01', 110, [5]));
    await deliver('b.sta', statement('2025-03-01', 100, [10]));
    expect(await accountsOf(bank, session())).toMatchObject([{ balance: '115' }]);
  });

  it('yields the rows of an account in the order of files, with the stated balances', async () => {
    await deliver('a.sta', statement('2025-03-01', 100, [10, -3]) + statement('2025-03-01', 0, [1], 'OTHER'));
    await deliver('b.sta', statement('2025-03-02', 0, [2], 'OTHER'));
    await deliver('c.sta', statement('2025-03-02', 107, [4]));
    const [account] = await accountsOf(bank, session());
    const pages = await pagesOf(bank, session(), present(account), EVER);
    expect(pages.map((page) => rowsOf([page]).map(({ balance }) => balance))).toEqual([['110', '107', '111']]);
    expect(pages.map(({ statedBalances }) => statedBalances)).toEqual([
      [
        { fromDay: '2025-03-01', toDay: '2025-03-01', opening: '100', closing: '107', net: '7' },
        { fromDay: '2025-03-02', toDay: '2025-03-02', opening: '107', closing: '111', net: '4' },
      ],
    ]);
  });

  it('yields only the requested days', async () => {
    await deliver(
      'a.sta',
      statement('2025-03-01', 100, [1]) + statement('2025-03-02', 101, [2]) + statement('2025-03-03', 103, [3]),
    );
    const [account] = await accountsOf(bank, session());
    const pages = await pagesOf(bank, session(), present(account), { fromDay: '2025-03-02', toDay: '2025-03-03' });
    expect(rowsOf(pages).map(({ amount }) => amount)).toEqual(['2']);
    expect(pages.flatMap(({ statedBalances }) => statedBalances).map(({ closing }) => closing)).toEqual(['103']);
  });

  it('splits a large file into pages of 200 rows, none lost and none twice', async () => {
    const amounts = Array.from({ length: 3_000 }, (_, index) => index + 1);
    await deliver(
      'a.sta',
      statement('2025-03-01', 0, amounts.slice(0, 1_500)) + statement('2025-03-02', 0, amounts.slice(1_500)),
    );
    await deliver('b.sta', statement('2025-03-03', 0, amounts.slice(0, 2)));
    const [account] = await accountsOf(bank, session());
    const pages = await pagesOf(bank, session(), present(account), EVER);
    expect(pages.map((page) => rowsOf([page]).length)).toEqual([...Array.from({ length: 15 }, () => 200), 2]);
    expect(rowsOf(pages).map(({ amount }) => Number(amount))).toEqual([...amounts, 1, 2]);
    expect(pages.map(({ statedBalances }) => statedBalances.length)).toEqual([
      2,
      ...Array.from({ length: 14 }, () => 0),
      1,
    ]);
  });

  it('counts one request for each reading of the folder, and stops when cancelled', async () => {
    await deliver('a.sta', statement('2025-03-01', 100, [10]));
    const counted = session();
    const [account] = await accountsOf(bank, counted);
    await pagesOf(bank, counted, present(account), EVER);
    expect(counted.requests()).toBe(2);
    await expect(bank.discoverAccounts(session({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
      kind: 'transient',
      code: 'PROVIDER_REQUEST_ABORTED',
    });
  });
});

describe('statement files: the same rows again', () => {
  it('numbers the rows of a statement the same in whatever file it is delivered', async () => {
    const twins = statement('2025-03-01', 100, [10, -10, 10, 10]);
    await deliver('a.sta', twins);
    const once = await groupsOf();
    expect(new Set(once).size).toBe(4);
    await deliver('b.sta', twins);
    await deliver('c.sta', statement('2025-02-01', 1, []) + twins);
    expect(await groupsOf()).toEqual([...once, ...once, ...once]);
  });

  it('numbers the rows of a daily and of a monthly statement the same', async () => {
    await deliver('1.sta', statement('2025-03-01', 100, [10, 10]));
    await deliver('2.sta', statement('2025-03-02', 120, [-5, 7]));
    const daily = await groupsOf();
    await rm(join(root, 'acme', '1.sta'));
    await rm(join(root, 'acme', '2.sta'));
    const month =
      statement('2025-03-01', 100, [10, 10]).replace(/:62F:[\s\S]*/, '') +
      statement('2025-03-02', 120, [-5, 7]).replace(/[\s\S]*:60F:.*\n/, '');
    await deliver('month.sta', month);
    expect(await groupsOf()).toEqual(daily);
  });

  it('starts over with a file that changed between two pages, and skips one that is gone', async () => {
    const amounts = Array.from({ length: 2_500 }, (_, index) => index + 1);
    await deliver('a.sta', statement('2025-03-01', 0, amounts));
    await deliver('b.sta', statement('2025-03-02', 0, [1]));
    const [found] = await accountsOf(bank, session());
    const account = present(found);
    const first = await bank.fetchPage(session(), { account, ...EVER, cursor: null });
    await deliver('a.sta', statement('2025-03-01', 0, [...amounts, 5]));
    const again = await bank.fetchPage(session(), { account, ...EVER, cursor: first.nextCursor });
    expect(rowsOf([again])[0]?.amount).toBe('1');
    expect(again.listings[0]?.listing).not.toBe(first.listings[0]?.listing);
    await rm(join(root, 'acme', 'a.sta'));
    const last = await bank.fetchPage(session(), { account, ...EVER, cursor: first.nextCursor });
    expect([rowsOf([last]).length, last.nextCursor]).toEqual([1, null]);
  });

  it.each(['x', '', Buffer.from('[1,2,3]').toString('base64url')])('refuses the cursor %j', async (cursor) => {
    await deliver('a.sta', statement('2025-03-01', 0, [1]));
    const [account] = await accountsOf(bank, session());
    await expect(bank.fetchPage(session(), { account: present(account), ...EVER, cursor })).rejects.toMatchObject({
      code: 'PROVIDER_CURSOR_INVALID',
    });
  });
});

describe('statement files: what is not imported', () => {
  it('names each broken statement and imports the good ones, even of the same file', async () => {
    await deliver('1-good.sta', statement('2025-03-01', 100, [10]));
    await deliver('2-half.sta', statement('2025-03-02', 110, [1]) + statement('2025-03-03', 111, [1]).slice(0, 21));
    await deliver('3-notes.txt', 'call the bank');
    await deliver('4-empty.xml', '');
    await deliver('5-bad.xml', '<Document><BkToCstmrStmt>\n</Document>');
    const { accounts, faults, notes } = await bank.discoverAccounts(session());
    expect(faults).toEqual([
      {
        code: 'STATEMENT_FILE_INVALID',
        message: 'the statement has no opening balance (:60F:)',
        source: '2-half.sta',
        place: 'line 9',
      },
      {
        code: 'STATEMENT_FILE_INVALID',
        message: expect.stringContaining('not well-formed XML'),
        source: '5-bad.xml',
        place: 'line 2',
      },
    ]);
    const unknown = 'the file is in no format that is read';
    expect(notes).toEqual([
      { code: 'STATEMENT_FORMAT_UNKNOWN', message: unknown, source: '3-notes.txt', place: null },
      { code: 'STATEMENT_FORMAT_UNKNOWN', message: 'the file is empty', source: '4-empty.xml', place: null },
    ]);
    const pages = await pagesOf(bank, session(), present(accounts[0]), EVER);
    expect(rowsOf(pages).map(({ amount }) => amount)).toEqual(['10', '1']);
    expect(pages.flatMap((page) => page.faults)).toEqual([]);
    expect((await bank.discoverAccounts(session())).faults).toEqual(faults);
  });

  it('names a broken file in a page when it arrived after the accounts were listed', async () => {
    await deliver('a.sta', statement('2025-03-01', 100, [10]));
    const [account] = await accountsOf(bank, session());
    await deliver('b.sta', ':20:x\n');
    const pages = await pagesOf(bank, session(), present(account), EVER);
    expect(pages.flatMap(({ faults }) => faults.map(({ source }) => source))).toEqual(['b.sta']);
  });

  it('refuses a file beyond 1 GiB without reading it', async () => {
    await deliver('a.sta', '');
    await truncate(join(root, 'acme', 'a.sta'), 1024 ** 3 + 1);
    await utimes(join(root, 'acme', 'a.sta'), OLD, OLD);
    expect((await bank.discoverAccounts(session())).faults).toMatchObject([
      { code: 'STATEMENT_FILE_TOO_LARGE', source: 'a.sta' },
    ]);
  });

  it.each(['a.sta.tmp', 'a.part', 'a.FILEPART', 'a.xml.crdownload', '.a.sta'])(
    'leaves %s for later without a fault',
    async (name) => {
      await deliver(name, 'half a sta');
      expect(await bank.discoverAccounts(session())).toMatchObject({ accounts: [], faults: [] });
    },
  );

  it('waits once for a file that changed within 2 seconds, and reads it when it has settled', async () => {
    await deliver('a.sta', statement('2025-03-01', 100, [10]), new Date(NOW_MS - 1_999));
    expect(await bank.discoverAccounts(session())).toMatchObject({ accounts: [{}], faults: [], notes: [] });
    expect(waited).toEqual([2_000]);
  });

  it('notes a file that keeps changing, or fails if there is nothing else', async () => {
    const changing = new Date(NOW_MS + 1_999);
    await deliver('a.sta', statement('2025-03-01', 100, [10]).slice(0, 40), changing);
    const kind = { kind: 'transient', code: 'STATEMENT_FILE_BEING_WRITTEN' };
    await expect(bank.discoverAccounts(session())).rejects.toMatchObject(kind);
    await deliver('b.sta', statement('2025-03-01', 100, [10]));
    expect(await bank.discoverAccounts(session())).toMatchObject({
      accounts: [{}],
      faults: [],
      notes: [{ code: 'STATEMENT_FILE_BEING_WRITTEN', source: 'a.sta' }],
    });
  });

  it('notices a file that was repaired under the same name', async () => {
    await deliver('a.sta', ':20:x\n');
    expect((await bank.discoverAccounts(session())).faults.length).toBe(1);
    await appendFile(join(root, 'acme', 'a.sta'), statement('2025-03-01', 1, []).slice(6));
    await utimes(join(root, 'acme', 'a.sta'), OLD, OLD);
    expect(await bank.discoverAccounts(session())).toMatchObject({ accounts: [{}], faults: [] });
  });
});

describe('statement files: statements whose balances do not add up', () => {
  const wrong = statement('2025-03-02', 110, [1, 2]).replace('EUR113,', 'EUR112,');
  const difference = 'the rows lead from the opening balance 110 to 113, but the closing balance is 112';

  it('are refused with the file, the line, the computed and the stated balance; the others are imported', async () => {
    await deliver('a.sta', `${statement('2025-03-01', 100, [10])}${wrong}${statement('2025-03-03', 112, [4])}`);
    const { accounts, faults } = await bank.discoverAccounts(session());
    expect(faults).toEqual([
      { code: 'STATEMENT_BALANCES_DIFFER', message: difference, source: 'a.sta', place: 'line 17' },
    ]);
    const pages = await pagesOf(bank, session(), present(accounts[0]), EVER);
    expect(rowsOf(pages).map(({ amount }) => amount)).toEqual(['10', '4']);
  });

  it('are imported with a note if the connection says balances: note', async () => {
    await deliver('a.sta', wrong);
    const noting = sessionOf({ folder: 'acme', balances: 'note' }, { environment: 'production' });
    const { accounts, faults } = await bank.discoverAccounts(noting);
    expect(faults).toEqual([]);
    const pages = await pagesOf(bank, noting, present(accounts[0]), EVER);
    expect(rowsOf(pages).map(({ amount }) => amount)).toEqual(['1', '2']);
    expect(pages.flatMap(({ notes }) => notes ?? [])).toEqual([
      { code: 'STATEMENT_BALANCES_DIFFER', message: difference, source: 'a.sta', place: 'line 9' },
    ]);
    expect((await bank.discoverAccounts(session())).faults).toHaveLength(1);
  });

  it('notes what was read leniently with the rows it belongs to', async () => {
    await deliver('a.sta', statement('2025-03-01', 100, [10]).replace('NTRF', 'NET '));
    const [account] = await accountsOf(bank, session());
    const pages = await pagesOf(bank, session(), present(account), EVER);
    expect(pages.flatMap(({ notes }) => notes ?? [])).toMatchObject([
      { code: 'STATEMENT_READ_LENIENTLY', source: 'a.sta', place: 'line 5' },
    ]);
    const elsewhere = await pagesOf(bank, session(), present(account), { fromDay: '2025-03-02', toDay: '2025-03-03' });
    expect(elsewhere.flatMap(({ notes }) => notes ?? [])).toEqual([]);
  });
});

describe('statement files: what the connector log records', () => {
  it('says for each file what was read from it or why it was skipped, and nothing of its content', async () => {
    const good = statement('2025-03-01', 100, [10, -3]);
    await deliver('good.sta', good);
    await deliver('broken.sta', good.replace('C10,', 'C1x,'));
    await deliver('early.sta', good, new Date(NOW_MS + 500));
    await deliver('arriving.sta.part', good);
    const asked = session();
    const [account] = await accountsOf(bank, asked);
    await pagesOf(bank, asked, present(account), EVER);
    expect(asked.exchanges).toHaveLength(asked.requests());
    const [listing, page] = asked.exchanges;
    expect([listing?.method, listing?.url, page?.url]).toEqual([
      'READ',
      'statements:///acme',
      'statements:///acme?account=ACC%2FEUR&from=1970-01-01&to=2025-06-16',
    ]);
    const read = { name: 'good.sta', size: good.length, sha256: sha256(good), statements: 1, rows: 2 };
    expect(JSON.parse(String(listing?.response?.body))).toEqual({
      seen: 4,
      files: [
        { name: 'arriving.sta.part', skipped: 'still being written' },
        expect.objectContaining({ name: 'broken.sta', skipped: 'STATEMENT_FILE_INVALID', size: good.length }),
        { name: 'early.sta', skipped: 'still being written' },
        { ...read, accounts: ['ACC/EUR'] },
      ],
    });
    expect(JSON.stringify(asked.exchanges)).not.toContain('NONREF');
  });

  it('says why a folder could not be read', async () => {
    const asked = sessionOf({ folder: 'elsewhere' }, { environment: 'production' });
    await expect(bank.discoverAccounts(asked)).rejects.toThrow();
    expect(asked.exchanges[0]?.response?.body).toContain('STATEMENT_FOLDER_NOT_GRANTED');
  });
});
