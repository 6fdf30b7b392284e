import { beforeEach, describe, expect, it } from 'vitest';
import type { IncomingTransaction } from '../../../src/deciders/transaction-stamp.ts';
import { type StatementCase, statementCases } from '../../support/statement-cases.ts';
import { type BankRow, camtStatement, mt940Statement } from '../../support/statement-texts.ts';

let ledger: StatementCase['ledger'];
let deliver: StatementCase['deliver'];
const openCase = statementCases();
beforeEach(async () => {
  ({ ledger, deliver } = await openCase());
});

const shown = () =>
  ledger.rows().map(({ amount, incoming, description }) => `${incoming ? '+' : '-'}${amount} ${description}`);
const row = (change: number, text: string, over: Partial<BankRow> = {}): BankRow => ({
  day: '2025-03-03',
  change,
  text,
  ...over,
});

describe('rows of one day', () => {
  it('add nothing when they are delivered again in another order, format and file', async () => {
    const rows = [row(10, 'Ann'), row(-4, 'Fee'), row(10, 'Bob')];
    await deliver('1.sta', mt940Statement({ opening: 100, rows }));
    expect(await ledger.sync()).toMatchObject({ inserted: 3 });
    await deliver('2.xml', camtStatement({ opening: 100, rows: rows.toReversed() }));
    await deliver('3.sta', mt940Statement({ opening: 90, rows: [row(10, 'Before', { day: '2025-03-01' }), ...rows] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 1 });
    expect(shown().sort()).toEqual(['+10 Ann', '+10 Before', '+10 Bob', '-4 Fee']);
    expect(ledger.completeness()).toMatchObject({ status: 'complete' });
  });

  it('stay two when one statement lists two equal ones, or two statements list one each', async () => {
    await deliver('1.sta', mt940Statement({ opening: 100, rows: [row(-2, 'Fee'), row(-2, 'Fee')] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 2 });
    await deliver('2.sta', mt940Statement({ opening: 96, rows: [row(-2, 'Fee')] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 1 });
    expect(await ledger.sync()).toMatchObject({ inserted: 0, conflicts: 0 });
    expect(ledger.completeness()).toMatchObject({ status: 'complete' });
  });

  it('stay a payment and its fee that share a reference, in one statement and in two', async () => {
    const [payment, fee] = [row(-50, 'Payment', { reference: 'R1' }), row(-50, 'Fee', { reference: 'R1' })];
    await deliver('1.xml', camtStatement({ opening: 500, rows: [payment, fee] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 2 });
    const [later, itsFee] = [row(-7, 'Payment 2', { reference: 'R2' }), row(-7, 'Fee 2', { reference: 'R2' })];
    await deliver('2.xml', camtStatement({ opening: 400, rows: [later] }));
    await ledger.sync();
    await deliver('3.xml', camtStatement({ opening: 393, rows: [itsFee] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 1 });
    expect(shown().sort()).toEqual(['-50 Fee', '-50 Payment', '-7 Fee 2', '-7 Payment 2']);
  });

  it('are those of the final statement when interim ones preceded it', async () => {
    const rows = [row(10, 'Ann'), row(10, 'Bob'), row(10, 'Ann')];
    for (const [index, one] of rows.entries()) {
      await deliver(`${index}.sta`, mt940Statement({ opening: 100 + 10 * index, rows: [one] }));
      await ledger.sync();
    }
    await deliver('final.xml', camtStatement({ opening: 100, rows }));
    expect(await ledger.sync()).toMatchObject({ inserted: 0 });
    expect(shown().sort()).toEqual(['+10 Ann', '+10 Ann', '+10 Bob']);
  });

  it('are imported whichever of two interim statements is delivered first', async () => {
    await deliver('2.sta', mt940Statement({ opening: 110, rows: [row(10, 'Bob')] }));
    await ledger.sync();
    await deliver('1.sta', mt940Statement({ opening: 100, rows: [row(10, 'Ann')] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 1, conflicts: 0 });
    expect(shown().sort()).toEqual(['+10 Ann', '+10 Bob']);
  });

  it('are noted as changed, and not recorded again, when the bank corrects a text', async () => {
    await deliver(
      '1.xml',
      camtStatement({ opening: 100, rows: [row(10, 'Invoce 7', { reference: 'R' }), row(3, 'Other')] }),
    );
    await ledger.sync();
    await deliver(
      '2.xml',
      camtStatement({ opening: 100, rows: [row(10, 'Invoice 7', { reference: 'R' }), row(3, 'Other')] }),
    );
    expect(await ledger.sync()).toMatchObject({ inserted: 0, conflicts: 1 });
    expect(shown()).toEqual(['+10 Invoce 7', '+3 Other']);
  });
});

describe('rows that an earlier version recorded', () => {
  const former = (changes: Partial<IncomingTransaction>): IncomingTransaction => ({
    providerId: null,
    discriminator: null,
    transactionDate: '2025-03-03T00:00:00.000Z',
    amount: '10',
    incoming: true,
    balance: '110',
    currency: 'EUR',
    description: 'Ann',
    nameSurname: null,
    iban: null,
    idNo: '',
    code: null,
    findAI: false,
    ...changes,
  });

  it('keep their stamps and are not duplicated, whatever stamps they have', async () => {
    const rows = [row(10, 'Ann'), row(10, 'Bob'), row(-4, 'Fee', { reference: 'R' })];
    await deliver('1.xml', camtStatement({ opening: 100, rows }));
    await ledger.recordFormerly([
      former({ discriminator: '110' }),
      former({ description: 'Bob, as it was read then', discriminator: '120' }),
      former({ providerId: 'NL71RABO0123456789/EUR/2025-03-03/R', amount: '4', incoming: false, description: 'Fee' }),
    ]);
    expect(await ledger.sync()).toMatchObject({ inserted: 0 });
    await deliver('2.sta', mt940Statement({ opening: 116, rows: [row(10, 'Cem')] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 1 });
    expect(await ledger.sync()).toMatchObject({ inserted: 0 });
    expect(ledger.rows()).toHaveLength(4);
  });

  it('are found on the day on which that version booked them', async () => {
    const text = mt940Statement({
      opening: 100,
      rows: [row(10, 'Costs', { day: '2025-10-01' })],
      from: '2025-10-03',
      to: '2025-10-04',
    });
    await deliver('1.sta', text.replace('2510011001', '251001'));
    await ledger.recordFormerly([former({ transactionDate: '2025-10-01T00:00:00.000Z', description: 'Costs' })]);
    expect(await ledger.sync()).toMatchObject({ inserted: 0 });
  });
});
