import { beforeEach, describe, expect, it } from 'vitest';
import { type StatementCase, statementCases } from '../../support/statement-cases.ts';
import { type BankRow, camtStatement, mt940Statement } from '../../support/statement-texts.ts';

const ACCOUNT = 'NL71RABO0123456789';
const DAY = '2025-03-04';
const columns = { account: { value: ACCOUNT }, currency: { value: 'EUR' }, date: 'Date', amount: 'Amount' };
const more = { description: 'Text', reference: 'Ref' };
const csv = { columns: { ...columns, ...more }, dateFormat: 'yyyy-MM-dd', decimal: '.' };

let current: StatementCase;
const openCase = statementCases({ csv });
beforeEach(async () => {
  current = await openCase();
});

const row = (change: number, text: string, reference: string): BankRow => ({ day: DAY, change, text, reference });
const ROWS = [row(-5, 'Coffee', 'B1'), row(-5, 'Tea', 'B2'), row(7, 'Refund', 'B3')];
const csvOf = (rows: readonly BankRow[]) =>
  `Date,Amount,Text,Ref\n${rows.map(({ day, change, text, reference }) => `${day},${change},${text},${reference}\n`).join('')}`;
/** The rows as another format words and numbers them. */
const exported = ROWS.map((one, index) => ({ ...one, text: `POS 00${index}`, reference: `X${index}` }));
const ofx = `<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>${ACCOUNT}</BANKACCTFROM><BANKTRANLIST>${exported
  .map(
    ({ change, text, reference }) =>
      `<STMTTRN><DTPOSTED>20250304<TRNAMT>${change}<FITID>${reference}<MEMO>${text}</STMTTRN>`,
  )
  .join('')}</BANKTRANLIST></STMTRS></OFX>`;

describe('formats that state no balances, beside those that do', () => {
  it.each<[string, string, string]>([
    ['CSV and camt.053', csvOf(exported), camtStatement({ opening: 100, rows: ROWS })],
    ['OFX and MT940', ofx, mt940Statement({ opening: 100, rows: ROWS })],
    ['OFX and CSV', ofx, csvOf(ROWS)],
  ])('add nothing, whichever is read first: %s', async (_what, one, other) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      current = await openCase();
      await current.deliver('a', first);
      expect(await current.ledger.sync()).toMatchObject({ inserted: 3 });
      await current.deliver('b', second);
      expect(await current.ledger.sync()).toMatchObject({ inserted: 0 });
      await current.remove('a');
      expect(await current.ledger.sync()).toMatchObject({ inserted: 0 });
    }
  });

  it('keep equal rows of one file separate, and those of another day', async () => {
    await current.deliver(
      'a',
      csvOf([...ROWS, row(-5, 'Coffee', 'B1'), { ...row(-5, 'Coffee', 'B1'), day: '2025-03-05' }]),
    );
    expect(await current.ledger.sync()).toMatchObject({ inserted: 5 });
  });

  it('add a row that the other format does not have', async () => {
    await current.deliver('a', csvOf(ROWS));
    await current.ledger.sync();
    await current.deliver('b', camtStatement({ opening: 100, rows: [...exported, row(-5, 'Third', 'B4')] }));
    expect(await current.ledger.sync()).toMatchObject({ inserted: 1 });
  });
});
