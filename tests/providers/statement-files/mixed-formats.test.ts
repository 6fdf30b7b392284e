import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '../../../src/log/log.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { memoryLog } from '../../support/small-reactor-services.ts';
import { openStatementLedger, type StatementLedger } from '../../support/statement-ledger.ts';
import { type BankRow, camtStatement, mt940Statement } from '../../support/statement-texts.ts';
import { NOW_MS, sessionOf, unclaimed } from '../sessions.ts';

const ACCOUNT = 'NL71RABO0123456789';
const DAY = '2025-03-04';
const columns = { account: { value: ACCOUNT }, currency: { value: 'EUR' }, date: 'Date', amount: 'Amount' };
const more = { description: 'Text', reference: 'Ref' };
const csv = { columns: { ...columns, ...more }, dateFormat: 'yyyy-MM-dd', decimal: '.' };

let root: string;
let log: EventLog;
let folder = '';
let cases = 0;
let ledger: StatementLedger;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mixed-'));
  log = memoryLog();
});
afterAll(async () => {
  await log.close();
  await rm(root, { recursive: true });
});
beforeEach(async () => {
  cases += 1;
  folder = `case-${cases}`;
  await mkdir(join(root, folder));
  const bank = createStatementFiles({ statementsDir: root, folderOwners: unclaimed });
  const session = () => sessionOf({ folder, csv }, { environment: 'production', tenantId: folder });
  ledger = await openStatementLedger(log, bank, session, folder);
});

async function deliver(name: string, content: string): Promise<void> {
  await writeFile(join(root, folder, name), content);
  await utimes(join(root, folder, name), new Date(NOW_MS - 3_600_000), new Date(NOW_MS - 3_600_000));
}

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
      cases += 1;
      folder = `case-${cases}`;
      await mkdir(join(root, folder));
      const bank = createStatementFiles({ statementsDir: root, folderOwners: unclaimed });
      const session = () => sessionOf({ folder, csv }, { environment: 'production', tenantId: folder });
      ledger = await openStatementLedger(log, bank, session, folder);
      await deliver('a', first);
      expect(await ledger.sync()).toMatchObject({ inserted: 3 });
      await deliver('b', second);
      expect(await ledger.sync()).toMatchObject({ inserted: 0 });
      await rm(join(root, folder, 'a'));
      expect(await ledger.sync()).toMatchObject({ inserted: 0 });
    }
  });

  it('keep equal rows of one file separate, and those of another day', async () => {
    await deliver('a', csvOf([...ROWS, row(-5, 'Coffee', 'B1'), { ...row(-5, 'Coffee', 'B1'), day: '2025-03-05' }]));
    expect(await ledger.sync()).toMatchObject({ inserted: 5 });
  });

  it('add a row that the other format does not have', async () => {
    await deliver('a', csvOf(ROWS));
    await ledger.sync();
    await deliver('b', camtStatement({ opening: 100, rows: [...exported, row(-5, 'Third', 'B4')] }));
    expect(await ledger.sync()).toMatchObject({ inserted: 1 });
  });
});
