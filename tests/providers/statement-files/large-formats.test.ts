import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LargeFiles, openLargeFiles } from '../../../src/providers/statement-files/large-files.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { camtNotification, camtReport, mt942Report } from '../../support/report-texts.ts';
import { camtStatement } from '../../support/statement-texts.ts';
import { NOW_MS, pagesOf, rowsOf, sessionOf, unclaimed } from '../sessions.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/statements');
const DAY = '2025-03-04';
const BATCH = { day: DAY, change: -300, text: 'SALARIES', reference: 'B1' };
const PAYMENTS = [
  { change: -100, text: 'March', name: 'Ann' },
  { change: -200, text: 'March', name: 'Bob' },
];
const columns = { account: { value: 'CSV' }, currency: { value: 'EUR' }, date: 'Buchungstag', amount: 'Betrag (EUR)' };
const csv = { delimiter: ';', header: 3, columns, dateFormat: 'dd.MM.yyyy', decimal: ',' };

let root: string;
const opened: LargeFiles[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'formats-'));
  await mkdir(join(root, 'acme'));
});
afterEach(async () => {
  for (const large of opened.splice(0)) await large.close();
  await rm(root, { recursive: true });
});

async function deliver(name: string, content: string | Uint8Array): Promise<void> {
  await writeFile(join(root, 'acme', name), content);
  await utimes(join(root, 'acme', name), new Date(NOW_MS - 3_600_000), new Date(NOW_MS - 3_600_000));
}

describe('large files of every format', () => {
  it('yield the same accounts, rows and dry runs as those that are read in memory', async () => {
    for (const name of ['csv/german.csv', 'ofx/bank.v1.ofx', 'ofx/card.v2.ofx', 'bai2/two-accounts.bai']) {
      await deliver(name.replace('/', '-'), await readFile(join(FIXTURES, name)));
    }
    await deliver('1.xml', camtNotification([{ ...BATCH, payments: PAYMENTS }]));
    await deliver('2.xml', camtStatement({ opening: 1_000, rows: [BATCH] }));
    const next = { ...BATCH, day: '2025-03-05', change: -7, reference: 'R' };
    const report = { madeAt: '2025-03-05T12:00:00', booked: [next, { ...next, day: DAY }], pending: [next] };
    await deliver('3.xml', camtReport(report));
    await deliver('4.942', mt942Report({ ...report, madeAt: '2025-03-05T13:00:00' }));
    const seen: unknown[] = [];
    for (const smallBytes of [0, 1_000_000]) {
      const large = openLargeFiles({ folder: join(root, `spools-${smallBytes}`), limits: { smallBytes } });
      opened.push(large);
      const bank = createStatementFiles({ statementsDir: root, folderOwners: unclaimed, largeFiles: large });
      const session = () => sessionOf({ folder: 'acme', csv }, { environment: 'production' });
      const { accounts, faults } = await bank.discoverAccounts(session());
      expect(faults).toEqual([]);
      const pages = [];
      for (const account of accounts) {
        pages.push(await pagesOf(bank, session(), account, { fromDay: '2025-01-01', toDay: '2026-01-01' }));
      }
      const dryRuns = [];
      for (const name of ['csv-german.csv', '1.xml', '3.xml', null]) dryRuns.push(await bank.dryRun?.(session(), name));
      seen.push({ accounts, pages, dryRuns });
      const rows = pages.flatMap((ofAccount) => rowsOf(ofAccount));
      expect(rows.map(({ amount, details = [] }) => `${amount} ${details.map((one) => one.amount).join(' ')}`)).toEqual(
        expect.arrayContaining(['300 100 200', '7 ', '1250 ', '25.5 ', '2500 ']),
      );
      expect([accounts.length, rows.length]).toEqual([5, 12]);
    }
    expect(seen[0]).toEqual(seen[1]);
  });
});
