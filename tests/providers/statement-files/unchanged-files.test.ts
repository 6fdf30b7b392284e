import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BankProvider, ProviderPage, ProviderSession } from '../../../src/providers/bank-provider.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { camtNotification } from '../../support/report-texts.ts';
import { type BankRow, camtStatement, mt940Statement } from '../../support/statement-texts.ts';
import { accountsOf, NOW_MS, present, rowsOf, sessionOf, unclaimed, type Window } from '../sessions.ts';
import { recordTheSame } from './unchanged-files.property.ts';

const EVER = { fromDay: '1970-01-01', toDay: '2025-06-16' };
const OLD = new Date(NOW_MS - 3_600_000);

let root: string;
let bank: BankProvider;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'unchanged-'));
  await mkdir(join(root, 'acme'));
  bank = newProcess();
});
afterEach(() => rm(root, { recursive: true }));

const newProcess = () => createStatementFiles({ statementsDir: root, folderOwners: unclaimed });

async function deliver(name: string, content: string): Promise<void> {
  await writeFile(join(root, 'acme', name), content);
  await utimes(join(root, 'acme', name), OLD, OLD);
}
const gone = (name: string) => rm(join(root, 'acme', name));

const row = (day: number, change: number, text = `row ${change}`): BankRow => ({
  day: `2025-03-${String(day).padStart(2, '0')}`,
  change,
  text,
});
/** A file of days that have one row each. */
const daily = (day: number, change = day) => mt940Statement({ opening: 1_000 + day, rows: [row(day, change)] });

type Asked = { readonly window?: Window; readonly recordPages?: number; readonly session?: Partial<ProviderSession> };

/** A listing of an account, whose first pages are recorded: all of them unless a number is given. */
async function listed(
  { window = EVER, recordPages = Infinity, session: over = {} }: Asked = {},
  meanwhile = async () => {},
) {
  const session = sessionOf({ folder: 'acme' }, { environment: 'production', ...over });
  const [account] = await accountsOf(bank, session);
  const pages: ProviderPage[] = [];
  let cursor: string | null = null;
  do {
    const page: ProviderPage = await bank.fetchPage(session, { account: present(account), ...window, cursor });
    pages.push(page);
    if (pages.length <= recordPages) page.recorded?.();
    cursor = page.nextCursor;
    await meanwhile();
  } while (cursor !== null);
  const days = [...new Set(rowsOf(pages).map(({ transactionDate }) => Number(transactionDate.slice(8, 10))))];
  const unchanged = pages.reduce((sum, page) => sum + (page.unchanged ?? 0), 0);
  return { days, unchanged, pages, notes: pages.flatMap(({ notes = [] }) => notes), exchanges: session.exchanges };
}

describe('statement files that have not changed', () => {
  it('are not read again once their rows are recorded, but their rows are counted', async () => {
    for (const day of [1, 2, 3]) await deliver(`${day}.sta`, daily(day));
    expect(await listed()).toMatchObject({ days: [1, 2, 3], unchanged: 0 });
    const again = await listed();
    expect(again).toMatchObject({ days: [], unchanged: 3 });
    const { files } = JSON.parse(String(again.exchanges.at(-1)?.response?.body));
    expect(files).toHaveLength(3);
    expect(files[0]).toMatchObject({ name: '1.sta', rows: 1, leftOut: 'unchanged since it was recorded' });
  });

  it('are listed again as long as what they hold is not recorded', async () => {
    await deliver('1.sta', daily(1));
    await listed({ recordPages: 0 });
    expect(await listed()).toMatchObject({ days: [1], unchanged: 0 });
  });

  it('are listed again if only the first page was recorded, or only the last one', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => row(1, index + 1));
    await deliver('1.sta', mt940Statement({ opening: 0, rows }));
    expect((await listed({ recordPages: 1 })).pages).toHaveLength(2);
    expect((await listed({ recordPages: 0 })).pages).toHaveLength(2);
    bank = newProcess();
    const session = sessionOf({ folder: 'acme' }, { environment: 'production' });
    const account = present((await accountsOf(bank, session))[0]);
    const { nextCursor } = await bank.fetchPage(session, { account, ...EVER, cursor: null });
    (await bank.fetchPage(session, { account, ...EVER, cursor: nextCursor })).recorded?.();
    expect((await listed()).pages).toHaveLength(2);
    expect(await listed()).toMatchObject({ days: [], unchanged: 300, pages: { length: 1 } });
  });

  it('are read once by a new process, by another connection, and with other settings', async () => {
    await deliver('1.sta', daily(1));
    await listed();
    expect(await listed({ session: { connectionId: 'another' } })).toMatchObject({ days: [1] });
    expect(await listed({ session: { credentials: { folder: 'acme', charset: 'windows-1252' } } })).toMatchObject({
      days: [1],
    });
    expect(await listed()).toMatchObject({ days: [] });
    bank = newProcess();
    expect(await listed()).toMatchObject({ days: [1] });
  });

  it.each<[string, () => Promise<void>, number[]]>([
    [
      'a new file states one of their days',
      () => deliver('new.xml', camtStatement({ opening: 1_003, rows: [row(3, 3)] })),
      [2, 3, 4],
    ],
    ['a file of one of their days changed', () => deliver('3.sta', daily(3, 33)), [2, 3, 4]],
    ['a file of one of their days is gone', () => gone('3b.sta'), [2, 3, 4]],
    ['a new file states a new day', () => deliver('7.sta', daily(7)), [5, 7]],
    ['a file is not a statement', () => deliver('readme.txt', 'hello'), []],
    [
      'a payment notification covers a day',
      () =>
        deliver(
          'n.xml',
          camtNotification([
            {
              ...row(3, 3),
              reference: 'R',
              payments: [
                { change: 1, text: 'a' },
                { change: 2, text: 'b' },
              ],
            },
          ]),
        ),
      [2, 3, 4],
    ],
  ])('are listed again for that day and its neighbours when %s', async (_what, change, days) => {
    for (const day of [1, 2, 3, 4, 5]) await deliver(`${day}.sta`, daily(day));
    await deliver('3b.sta', daily(3));
    await listed();
    await change();
    const after = await listed();
    expect(after.days.sort()).toEqual(days);
    expect(await listed()).toMatchObject({ days: [] });
  });

  it('with many days are listed only for the days that another file changed', async () => {
    const rows = [1, 2, 3, 4, 5, 6].map((day) => row(day, day));
    await deliver('month.sta', mt940Statement({ opening: 0, rows }));
    await listed();
    await deliver('more.sta', mt940Statement({ opening: 3, rows: [row(3, 3)] }));
    expect(await listed()).toMatchObject({ days: [2, 3, 4], unchanged: 3 });
  });

  it('are listed again for days that were not requested, or not completely', async () => {
    for (const day of [1, 2, 3, 4, 5]) await deliver(`${day}.sta`, daily(day));
    expect(await listed({ window: { fromDay: '2025-03-02', toDay: '2025-03-05' } })).toMatchObject({ days: [2, 3, 4] });
    // Rows of another UTC day may be missing on the first and the last day.
    expect(await listed()).toMatchObject({ days: [1, 2, 4, 5], unchanged: 1 });
    expect(await listed()).toMatchObject({ days: [], unchanged: 5 });
    expect(await listed({ window: { fromDay: '2025-03-01', toDay: '2025-03-06' } })).toMatchObject({
      days: [1, 5],
      unchanged: 3,
    });
  });

  it('that were missing while others of their day were listed are listed when they are back', async () => {
    const rows = [...Array.from({ length: 1_999 }, (_, index) => row(1, index + 1)), row(2, 2)];
    await deliver('1.sta', mt940Statement({ opening: 0, rows }));
    await deliver('2.sta', daily(2));
    await listed({}, () => rm(join(root, 'acme', '2.sta'), { force: true }));
    await deliver('2.sta', daily(2));
    expect((await listed()).days).toContain(2);
    expect(await listed()).toMatchObject({ days: [] });
  });

  it('that were missing when their second page was due are listed when they are back', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => row(1, index + 1));
    const content = mt940Statement({ opening: 0, rows });
    await deliver('1.sta', content);
    await listed({}, () => rm(join(root, 'acme', '1.sta'), { force: true }));
    await deliver('1.sta', content);
    expect(rowsOf((await listed()).pages)).toHaveLength(3_000);
  });

  it('that had other content while others of their day were listed are listed when they are back', async () => {
    const rows = [...Array.from({ length: 1_999 }, (_, index) => row(1, index + 1)), row(2, 2)];
    await deliver('1.sta', mt940Statement({ opening: 0, rows }));
    await deliver('2.sta', daily(2));
    await listed({}, () => deliver('2.sta', daily(2, 22)));
    await deliver('2.sta', daily(2));
    expect((await listed()).days).toContain(2);
  });

  it('yield the same notes again', async () => {
    await deliver('1.sta', daily(1).replace(',NTRF', '.00NTRF'));
    const { notes } = await listed();
    expect(notes).toMatchObject([{ code: 'STATEMENT_READ_LENIENTLY', source: '1.sta' }]);
    await listed({ window: { fromDay: '2025-01-01', toDay: '2025-01-05' } });
    expect(await listed()).toMatchObject({ days: [], notes });
    await deliver('1.sta', daily(1));
    expect(await listed()).toMatchObject({ notes: [] });
  });
});

describe('syncs that leave out what is recorded', () => {
  it('record the same as those that list everything, in whatever order files are added and removed', async () => {
    // A thousand histories are among the hard tests.
    await recordTheSame(30);
  });
});
