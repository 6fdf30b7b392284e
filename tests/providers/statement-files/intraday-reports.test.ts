import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BankProvider } from '../../../src/providers/bank-provider.ts';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { type BankReport, camtReport, mt942Report } from '../../support/report-texts.ts';
import { type BankRow, camtStatement, mt940Statement } from '../../support/statement-texts.ts';
import { NOW_MS, pagesOf, present, rowsOf, sessionOf, unclaimed } from '../sessions.ts';
import { soundStatements } from './reading.ts';

const MONDAY = '2025-03-03';
const TUESDAY = '2025-03-04';
const row = (change: number, text: string, more: Partial<BankRow> = {}): BankRow => ({
  day: TUESDAY,
  change,
  text,
  ...more,
});
const noon: BankReport = { madeAt: `${TUESDAY}T12:00:00` };

describe('camt.052', () => {
  it('yields its booked entries as rows, and the sum of the pending ones', async () => {
    const report = camtReport({
      ...noon,
      booked: [row(10, 'in'), row(-3, 'out')],
      pending: [row(-5, 'waits'), row(2, 'too')],
      balances: { OPBD: 100, ITBD: 107, ITAV: 90 },
    });
    const [statement] = await soundStatements(report.replace('PDNG</Cd></Sts>', 'FUTR</Cd></Sts>'));
    expect(statement).toMatchObject({
      format: 'camt.052',
      opening: { amount: '100' },
      closing: { amount: '107', day: TUESDAY },
      available: '90',
      intraday: { asOf: `${TUESDAY}T12:00:00`, pending: '2' },
      rows: [
        { amount: '10', incoming: true },
        { amount: '3', incoming: false },
      ],
    });
  });

  it('that lists only what is new states the current balance, and no opening balance that its rows do not start from', async () => {
    const report = camtReport({ ...noon, booked: [row(-3, 'new')], balances: { OPBD: 100, ITBD: 107 } });
    expect(await soundStatements(report)).toMatchObject([{ opening: null, closing: { amount: '107' } }]);
  });

  it('without entries or balances states nothing', async () => {
    expect(await soundStatements(camtReport(noon))).toMatchObject([
      { rows: [], opening: null, closing: null, available: null, intraday: { pending: '0' } },
    ]);
  });

  it.each([
    ['<Amt Ccy="EUR">5</Amt>', '<Amt>5</Amt>', 'an entry has no currency (Amt Ccy)'],
    ['DBIT', 'X', 'an entry is neither CRDT nor DBIT (CdtDbtInd)'],
    ['>5<', '>x<', 'an amount is not a decimal number'],
  ])('with a pending entry of %s as %s is refused', async (part, instead, message) => {
    const { statements, faults } = await readStatements(
      Buffer.from(camtReport({ ...noon, pending: [row(-5, 'x')] }).replace(part, instead)),
    );
    expect([statements, faults.map((fault) => [fault.message, fault.place])]).toEqual([
      [],
      [[message, 'Rpt[1]/Ntry[1]']],
    ]);
  });
});

describe('MT942', () => {
  const report = mt942Report({ ...noon, pending: [row(-5, 'waits'), row(2, 'too')] });

  it('yields no rows, but their sum', async () => {
    expect(await soundStatements(report)).toMatchObject([
      {
        format: 'MT942',
        account: { key: 'NL71RABO0123456789/EUR' },
        rows: [],
        opening: null,
        closing: null,
        available: null,
        intraday: { asOf: `${TUESDAY}T1200`, pending: '-3' },
      },
    ]);
  });

  it('of several accounts is read, also in SWIFT blocks and under one :20:', async () => {
    const second = report.replace('NL71RABO0123456789', 'OTHER');
    const keys = async (text: string) => (await soundStatements(text)).map(({ account }) => account.key);
    const both = ['NL71RABO0123456789/EUR', 'OTHER/EUR'];
    expect(await keys(report + second)).toEqual(both);
    expect(await keys(report.replace(/-\n$/, '') + second.replace(':20:REPORT\n', ''))).toEqual(both);
    expect(await keys(`{1:F01X}{2:O942X}{4:\n${report.replace(/-\n$/, '-}')}`)).toEqual(both.slice(0, 1));
  });

  it.each([
    [':90D:1EUR5,', ':90D:1EUR6,', 'the movements come to 5, but the sum (:90D:) is 6'],
    [':25:NL71RABO0123456789\n', '', 'the report has no account (:25:)'],
    [':34F:EURD0,\n:34F:EURC0,\n', ':34F:\n', 'the currency (:34F:) cannot be read'],
    ['D5,NTRF', 'X5,NTRF', 'a movement (:61:) cannot be read'],
    [':90C:', ':62F:C250304EUR1,\n:90C:', 'a statement (MT940) is among reports (MT942)'],
  ])('with %s as %s is refused', async (part, instead, message) => {
    const { statements, faults } = await readStatements(Buffer.from(report.replace(part, instead)));
    expect([statements, faults.map((fault) => fault.message)]).toEqual([[], [message]]);
  });
});

describe('intraday reports beside statements', () => {
  let root: string;
  let bank: BankProvider;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'reports-'));
    await mkdir(join(root, 'acme'));
    bank = createStatementFiles({ statementsDir: root, folderOwners: unclaimed, wait: async () => {} });
  });
  afterEach(() => rm(root, { recursive: true }));

  const session = () => sessionOf({ folder: 'acme' }, { environment: 'production' });

  async function deliver(name: string, content: string): Promise<void> {
    await writeFile(join(root, 'acme', name), content);
    await utimes(join(root, 'acme', name), new Date(NOW_MS - 3_600_000), new Date(NOW_MS - 3_600_000));
  }

  async function account() {
    const { accounts, faults } = await bank.discoverAccounts(session());
    expect([accounts.length, faults]).toEqual([1, []]);
    return present(accounts[0]);
  }

  /** The groups and numbers of all rows, each of them once. */
  async function slots(): Promise<string[]> {
    const pages = await pagesOf(bank, session(), await account(), { fromDay: '2025-01-01', toDay: '2025-12-31' });
    return [
      ...new Set(rowsOf(pages).map(({ group }) => `${group?.key.split('/').slice(2).join(' ')} ${group?.index}`)),
    ].sort();
  }

  const monday = mt940Statement({ opening: 90, rows: [{ day: MONDAY, change: 10, text: 'x' }] });

  it('count in the available balance with the pending rows of the last report, until the statement of the day', async () => {
    await deliver('a.sta', monday);
    expect(await account()).toMatchObject({ balance: '100', availableBalance: null });
    await deliver('b.xml', camtReport({ madeAt: `${TUESDAY}T09:00:00`, pending: [row(-5, 'a')] }));
    expect(await account()).toMatchObject({ balance: '100', availableBalance: '95' });
    await deliver('c.xml', camtReport({ ...noon, booked: [row(-5, 'a')], pending: [row(-20, 'b'), row(1, 'c')] }));
    expect(await account()).toMatchObject({ balance: '100', availableBalance: '76' });
    await deliver('c copy.xml', camtReport({ ...noon, booked: [row(-5, 'a')], pending: [row(-20, 'b'), row(1, 'c')] }));
    expect(await account()).toMatchObject({ balance: '100', availableBalance: '76' });
    await deliver('d.sta', mt940Statement({ opening: 100, rows: [row(-5, 'a')] }));
    expect(await account()).toMatchObject({ balance: '95', availableBalance: null });
  });

  it('are added to the balances that the bank states: booked, available including an overdraft, and their own', async () => {
    const withOverdraft = monday.replace(/-\n$/, ':64:C250303EUR600,\n-\n');
    await deliver('a.sta', withOverdraft);
    await deliver(
      'b.xml',
      camtReport({ ...noon, pending: [row(-5, 'a')], booked: [row(7, 'b')], balances: { ITBD: 107 } }),
    );
    expect(await account()).toMatchObject({ balance: '107', availableBalance: '602' });
    await deliver(
      'c.xml',
      camtReport({ ...noon, madeAt: `${TUESDAY}T13:00:00`, pending: [row(-5, 'a')], balances: { ITAV: 42 } }),
    );
    expect(await account()).toMatchObject({ balance: '100', availableBalance: '42' });
  });

  it('as MT942 count in the available balance, and yield no row', async () => {
    await deliver('a.sta', monday);
    await deliver('b.942', mt942Report({ ...noon, pending: [row(-5, 'waits'), row(2, 'too')] }));
    expect(await account()).toMatchObject({ balance: '100', availableBalance: '97' });
    expect(await slots()).toEqual([`${MONDAY} C10 0`]);
  });

  it('without a statement list the account, with an unknown balance', async () => {
    await deliver('b.942', mt942Report({ ...noon, pending: [row(-5, 'waits')] }));
    expect(await account()).toMatchObject({ balance: null, availableBalance: null });
  });

  it.each<[string, string]>([
    [
      'camt.053',
      camtStatement({ opening: 100, rows: [row(-5, 'A?', { reference: 'S1' }), row(-5, 'B?', { reference: 'S2' })] }),
    ],
    ['MT940', mt940Statement({ opening: 100, rows: [row(-5, 'A?'), row(-5, 'B?')] })],
  ])('book rows that the later %s does not duplicate, in whatever order they are read', async (_format, statement) => {
    const first = camtReport({ madeAt: `${TUESDAY}T09:00:00`, booked: [row(-5, 'a', { reference: 'R1' })] });
    const second = camtReport({
      ...noon,
      booked: [row(-5, 'a', { reference: 'R1' }), row(-5, 'b', { reference: 'R2' })],
    });
    await deliver('a.sta', monday);
    await deliver('b.xml', first);
    const early = [`${MONDAY} C10 0`, `${TUESDAY} D5 0`];
    expect(await slots()).toEqual(early);
    await deliver('c.xml', second);
    const late = [...early, `${TUESDAY} D5 1`];
    expect(await slots()).toEqual(late);
    await deliver('d.sta', statement);
    expect(await slots()).toEqual(late);
    await deliver('0.sta', statement);
    await rm(join(root, 'acme', 'd.sta'));
    expect(await slots()).toEqual(late);
  });

  it('that list only what is new keep equal rows separate', async () => {
    await deliver('a.sta', monday);
    await deliver(
      'b.xml',
      camtReport({ madeAt: `${TUESDAY}T09:00:00`, booked: [row(-5, 'a')], balances: { OPBD: 100, ITBD: 95 } }),
    );
    await deliver('c.xml', camtReport({ ...noon, booked: [row(-5, 'a')], balances: { OPBD: 100, ITBD: 90 } }));
    expect(await slots()).toEqual([`${MONDAY} C10 0`, `${TUESDAY} D5 0`, `${TUESDAY} D5 1`]);
  });

  it('leave out a row of a day that a statement covers completely', async () => {
    await deliver(
      'b.xml',
      camtReport({
        ...noon,
        booked: [row(-5, 'a'), row(-6, 'taken back'), { ...row(-7, 'tomorrow'), day: '2025-03-05' }],
      }),
    );
    await deliver('d.sta', mt940Statement({ opening: 100, rows: [row(-5, 'A')] }));
    expect(await slots()).toEqual([`${TUESDAY} D5 0`, '2025-03-05 D7 0']);
  });
});
