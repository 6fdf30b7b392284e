import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { withPayments } from '../../../src/providers/statement-files/batch-details.ts';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import { type BankBatch, camtNotification } from '../../support/report-texts.ts';
import { type StatementCase, statementCases } from '../../support/statement-cases.ts';
import { type BankRow, camtStatement, mt940Statement } from '../../support/statement-texts.ts';
import { present } from '../sessions.ts';
import { soundStatements } from './reading.ts';

const EVER = { fromDay: '1970-01-01', toDay: '2100-01-01' };
const DAY = '2025-03-04';
const BATCH: BankBatch = {
  day: DAY,
  change: -300,
  text: 'SALARIES',
  reference: 'B1',
  payments: [
    { change: -100, text: 'March', name: 'Ann' },
    { change: -150, text: 'March', name: 'Bob' },
    { change: -50, text: 'March', name: 'Cem' },
  ],
};
const FEE = { day: DAY, change: -2, text: 'Fee', reference: 'F1' };
const statement = (text = BATCH.text) => camtStatement({ opening: 1_000, rows: [{ ...BATCH, text }, FEE] });
const notification = (change: Partial<BankBatch> = {}) => camtNotification([{ ...BATCH, ...change }]);

const PAYMENTS = ['-100 Ann', '-150 Bob', '-2 ', '-50 Cem'];
const WHOLE = ['-2 ', '-300 '];

let log: StatementCase['log'];
let bank: StatementCase['bank'];
let ledger: StatementCase['ledger'];
let session: StatementCase['session'];
let newBank: StatementCase['newBank'];
let deliver: StatementCase['deliver'];
let remove: StatementCase['remove'];
const newCase = statementCases();
const openCase = async (): Promise<void> => {
  ({ log, bank, ledger, session, newBank, deliver, remove } = await newCase());
};
beforeEach(openCase);

const shown = () =>
  ledger
    .rows()
    .map(({ amount, incoming, nameSurname }) => `${incoming ? '+' : '-'}${amount} ${nameSurname ?? ''}`)
    .sort();
const sum = () =>
  ledger.rows().reduce((total, { amount, incoming }) => total + (incoming ? 1 : -1) * Number(amount), 0);

describe('camt.054', () => {
  it('lists the payments of its booked batches that add up', async () => {
    const [read] = await soundStatements(notification());
    expect(read).toMatchObject({ format: 'camt.054', opening: null, closing: null, notes: [] });
    expect(read?.rows.map(({ amount, incoming, nameSurname, day }) => [amount, incoming, nameSurname, day])).toEqual([
      ['100', false, 'Ann', DAY],
      ['150', false, 'Bob', DAY],
      ['50', false, 'Cem', DAY],
    ]);
  });

  it('may hold payments in the other direction', async () => {
    const payments = [
      { change: -310, text: 'a' },
      { change: 10, text: 'b' },
    ];
    const [read] = await soundStatements(notification({ payments }));
    expect(read?.rows.map(({ amount, incoming }) => [amount, incoming])).toEqual([
      ['310', false],
      ['10', true],
    ]);
  });

  it.each<[string, Partial<BankBatch>, string]>([
    ['do not add up', { change: -301 }, 'the payments of the batch do not add up to it'],
    [
      'are in another currency',
      { payments: [...BATCH.payments.slice(0, 2), { change: -50, text: 'x', currency: 'USD' }] },
      'a payment of the batch has no amount in the currency of the account',
    ],
    [
      'are too many',
      { change: -2_001, payments: Array.from({ length: 2_001 }, () => ({ change: -1, text: 'x' })) },
      'the batch has more than 2000 payments',
    ],
  ])('whose payments %s leaves the batch one row, with a note', async (_what, change, message) => {
    const { statements, faults } = await readStatements(Buffer.from(notification(change)));
    expect(statements).toEqual([]);
    expect(faults.map(({ code, message: said, place }) => [code, said, place])).toEqual([
      ['STATEMENT_DETAILS_DIFFER', message, 'Ntfctn[1]/Ntry[1]'],
    ]);
  });

  it('with a single payment, or a pending batch, has no batch', async () => {
    expect(await soundStatements(notification({ change: -100, payments: BATCH.payments.slice(0, 1) }))).toEqual([]);
    expect(await soundStatements(notification().replace('BOOK', 'PDNG'))).toEqual([]);
  });
});

describe('the payments of a batch', () => {
  it('are imported in place of it, with balances that lead to the balance after the batch', async () => {
    await deliver('a.xml', notification());
    await deliver('b.xml', statement());
    expect(await ledger.sync()).toMatchObject({ inserted: 4 });
    expect(shown()).toEqual(PAYMENTS);
    expect(
      ledger
        .rows()
        .map(({ balance }) => Number(balance))
        .sort((x, y) => y - x),
    ).toEqual([900, 750, 700, 698]);
    expect(ledger.completeness()).toMatchObject({ status: 'complete' });
    expect(await ledger.sync()).toEqual({ inserted: 0, conflicts: 0 });
  });

  it('without a statement are not transactions, and list no account', async () => {
    await deliver('a.xml', notification());
    expect(await bank.discoverAccounts(session())).toMatchObject({ accounts: [], faults: [] });
  });

  it('that arrive after the batch was imported leave it one row', async () => {
    await deliver('a.xml', statement());
    expect(await ledger.sync()).toMatchObject({ inserted: 2 });
    await deliver('b.xml', notification());
    expect(await ledger.sync()).toEqual({ inserted: 0, conflicts: 0 });
    expect(shown()).toEqual(WHOLE);
  });

  it('are not duplicated by the batch when their notification is gone, nor by another wording of it', async () => {
    await deliver('a.xml', notification());
    await deliver('b.xml', statement());
    await ledger.sync();
    await remove('a.xml');
    await deliver('c.xml', statement('Salaries of March'));
    await deliver('d.sta', mt940Statement({ opening: 1_000, rows: [{ ...BATCH, reference: 'OTHER' }, FEE] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 0 });
    expect(shown()).toEqual(PAYMENTS);
  });

  it('are assigned to the batch with their reference among equal ones', async () => {
    const twin = { ...BATCH, text: 'OTHER', reference: 'B2' };
    await deliver('a.xml', notification());
    await deliver('b.xml', camtStatement({ opening: 1_000, rows: [twin, BATCH] }));
    await ledger.sync();
    expect(shown()).toEqual(['-100 Ann', '-150 Bob', '-300 ', '-50 Cem']);
    await remove('a.xml');
    await deliver('b.xml', camtStatement({ opening: 1_000, rows: [BATCH, twin] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 0 });
  });

  it.each<[string, Partial<BankBatch>, { reference?: string }]>([
    ['the notification', { reference: 'NOTPROVIDED' }, { reference: 'B1' }],
    ['the statement', {}, {}],
    ['both', { reference: 'NONREF' }, {}],
  ])(
    'are imported by day and amount if %s states no reference, and recognised again',
    async (_who, change, { reference }) => {
      const { reference: _, ...booked } = BATCH;
      await deliver('a.xml', notification(change));
      await deliver(
        'b.xml',
        camtStatement({ opening: 1_000, rows: [{ ...booked, ...(reference ? { reference } : {}) }, FEE] }),
      );
      expect(await ledger.sync()).toMatchObject({ inserted: 4 });
      expect(shown()).toEqual(PAYMENTS);
      await deliver('c.sta', mt940Statement({ opening: 1_000, rows: [booked, FEE] }));
      await deliver('d.xml', notification(change));
      expect(await ledger.sync()).toMatchObject({ inserted: 0 });
      expect(shown()).toEqual(PAYMENTS);
    },
  );

  it.each<[string, readonly BankBatch[], readonly BankRow[], boolean]>([
    ['another booking of the day has the amount', [], [{ day: DAY, change: -300, text: 'other' }], true],
    ['another batch has the amount', [{ ...BATCH, reference: 'OTHER' }], [], true],
    ['the booking is one payment to somebody', [], [], false],
  ])('stay one row if no reference says to which booking they belong and %s', async (what, batches, rows, noted) => {
    const { reference: _, ...booked } = BATCH;
    const name = what.includes('somebody') ? { name: 'Ann' } : {};
    await deliver('a.xml', camtNotification([{ ...BATCH, reference: 'NONREF' }, ...batches]));
    await deliver('b.xml', camtStatement({ opening: 1_000, rows: [{ ...booked, ...name }, FEE, ...rows] }));
    await ledger.sync();
    expect(shown().filter((one) => one.startsWith('-300'))).toHaveLength(1 + rows.length);
    expect(sum()).toBe(-302 - 300 * rows.length);
    const [account] = (await bank.discoverAccounts(session())).accounts;
    const { notes } = await newBank().fetchPage(session(), { account: present(account), ...EVER, cursor: null });
    expect(notes?.map(({ code, source, place }) => [code, source, place])).toEqual(
      noted ? [['STATEMENT_DETAILS_DIFFER', 'b.xml', DAY]] : [],
    );
  });

  it('are recognised beside those of an equal batch, whatever the order of the two', async () => {
    const other = {
      ...BATCH,
      reference: 'B2',
      payments: [
        { change: -120, text: 'April' },
        { change: -180, text: 'April' },
      ],
    };
    await deliver('a.xml', camtNotification([BATCH, other]));
    await deliver('b.xml', camtStatement({ opening: 1_000, rows: [BATCH, other] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 5 });
    await remove('b.xml');
    await deliver('b2.xml', camtStatement({ opening: 1_000, rows: [other, BATCH] }));
    expect(await ledger.sync()).toEqual({ inserted: 0, conflicts: 0 });
  });

  it('leave a recorded batch one row, whose changed text is noted', async () => {
    await deliver('a.xml', statement());
    await ledger.sync();
    await deliver('b.xml', notification());
    await remove('a.xml');
    await deliver('a2.xml', statement('Salaries of March'));
    expect(await ledger.sync()).toEqual({ inserted: 0, conflicts: 1 });
  });

  it('are completed by the next sync after one that stopped among them', async () => {
    await deliver('a.xml', notification());
    await deliver('b.xml', statement());
    const { appendMany } = log;
    // The first payment and the fee are recorded, then the log fails.
    let calls = 0;
    log.appendMany = async (appends) => {
      calls += 1;
      if (calls === 2) throw new Error('planted');
      return appendMany.call(log, appends);
    };
    await expect(ledger.sync()).rejects.toThrow('planted');
    log.appendMany = appendMany;
    expect(await ledger.sync()).toMatchObject({ conflicts: 0 });
    expect(shown()).toEqual(PAYMENTS);
  });

  it('are not added to the batch that the same file also lists without its reference', async () => {
    await deliver('a.xml', notification());
    const swift = (reference: string) => mt940Statement({ opening: 1_000, rows: [{ ...BATCH, reference }, FEE] });
    await deliver('b.sta', swift('OTHER') + swift('B1'));
    await ledger.sync();
    expect(shown()).toEqual(WHOLE);
    expect(await ledger.sync()).toMatchObject({ inserted: 0 });
  });

  it('leave the batch one row if another file already listed it without its reference', async () => {
    await deliver('a.xml', notification());
    await deliver('b.sta', mt940Statement({ opening: 1_000, rows: [{ ...BATCH, reference: 'OTHER' }, FEE] }));
    await ledger.sync();
    await deliver('c.xml', statement());
    expect(await ledger.sync()).toMatchObject({ inserted: 0 });
    expect(shown()).toEqual(WHOLE);
  });

  it('add up to the sum of the statement, in whatever order files are added and removed', async () => {
    const steps = fc.shuffledSubarray(
      ['+notification', '-notification', '+statement', '-statement', '+swift', '+again', 'sync', 'sync'],
      { minLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        await openCase();
        const swift = mt940Statement({ opening: 1_000, rows: [BATCH, FEE] });
        const contents: Record<string, string> = {
          notification: notification(),
          statement: statement(),
          swift,
          again: statement('x'),
        };
        for (const step of taken) {
          const name = step.slice(1);
          if (step === 'sync') await ledger.sync();
          else if (step.startsWith('+')) await deliver(name, contents[name] ?? '');
          else await remove(name);
        }
        await deliver('last', statement());
        await ledger.sync();
        expect(sum()).toBe(-302);
        expect([PAYMENTS, WHOLE]).toContainEqual(shown());
      }),
      { numRuns: 150 },
    );
  });
});

describe('a page of payments', () => {
  it('holds no more than it should: the rows after them are left for the next one', () => {
    const row = (name: string) => ({
      ...{
        providerId: null,
        discriminator: null,
        transactionDate: `${DAY}T00:00:00.000Z`,
        amount: '2',
        incoming: true,
      },
      ...{ balance: null, currency: 'EUR', description: name, nameSurname: null, iban: null, idNo: '', code: null },
      ...{ findAI: false, references: { bankReference: name } },
      group: { key: `A/EUR/${DAY}/C2`, size: 1, index: 0, formerDay: null },
    });
    const rows = ['a', 'b', 'c'].map(row);
    const payment = {
      ...row('p'),
      amount: '1',
      day: DAY,
      formerDay: null,
      reference: null,
      references: {},
      nth: 0,
      alike: 1,
    };
    const payments = [payment, payment];
    const batches = new Map([[`A/EUR/${DAY}/C2`, ['a', 'b', 'c'].map((reference) => ({ reference, payments }))]]);
    const listings = [
      { listing: 'x', rows: rows.slice(0, 1) },
      { listing: 'y', rows: rows.slice(1) },
    ];
    const cut = withPayments(listings, batches, 5);
    expect([cut.kept, cut.listings.map((one) => one.rows.map(({ details }) => details?.length))]).toEqual([
      2,
      [[2], [2]],
    ]);
    expect(withPayments(listings, batches, 6).kept).toBeNull();
    expect(withPayments(listings, batches, 1).kept).toBe(1);
  });
});
