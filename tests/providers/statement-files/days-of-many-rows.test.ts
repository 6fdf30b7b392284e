import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProviderPage } from '../../../src/providers/bank-provider.ts';
import type { DaySegment } from '../../../src/providers/statement-files/day-segment.ts';
import { placeRowsAside } from '../../../src/providers/statement-files/place-aside.ts';
import { placeRows } from '../../../src/providers/statement-files/row-places.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { camtStatement, mt940Statement } from '../../support/statement-texts.ts';
import { accountsOf, NOW_MS, present, rowsOf, sessionOf, unclaimed } from '../sessions.ts';

const EVER = { fromDay: '1970-01-01', toDay: '2025-06-16' };
const OLD = new Date(NOW_MS - 3_600_000);

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'many-rows-'));
  await mkdir(join(root, 'acme'));
});
afterEach(() => rm(root, { recursive: true }));

async function deliver(name: string, content: string): Promise<void> {
  await writeFile(join(root, 'acme', name), content);
  await utimes(join(root, 'acme', name), OLD, OLD);
}

/** Rows of a day, of few kinds, and one of the day before and after. */
function statementOf(count: number) {
  const day = Array.from({ length: count }, (_, index) => ({
    day: '2025-03-03',
    change: 1 + (index % 7),
    text: `row ${index}`,
  }));
  const other = (date: string) => ({ day: date, change: 100, text: date });
  return { opening: 0, rows: [other('2025-03-02'), ...day, other('2025-03-04')] };
}

const openBank = () => createStatementFiles({ statementsDir: root, folderOwners: unclaimed });

/** Every page, each recorded before the next one is requested. */
async function importAll(bank = openBank()) {
  const session = sessionOf({ folder: 'acme' }, { environment: 'production' });
  const account = present((await accountsOf(bank, session))[0]);
  const pages: ProviderPage[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: ProviderPage = await bank.fetchPage(session, { account, ...EVER, cursor });
    page.recorded?.();
    pages.push(page);
    cursor = page.nextCursor;
    if (cursor === null) return { rows: rowsOf(pages), faults: pages.flatMap(({ faults }) => faults) };
  }
}

describe('a day of many rows that statements list in different ways', () => {
  it('is compared in a thread, with the same outcome', async () => {
    const segment = (id: string, format: string): DaySegment => ({
      id,
      format,
      start: 0n,
      beginsDay: false,
      endsDay: false,
      rows: Array.from({ length: 20 }, (_, index) => ({
        kind: `C${1 + (index % 3)}`,
        change: BigInt(1 + (index % 3)),
        reference: null,
        text: `${format} ${index}`,
        words: `words${index}`,
      })),
    });
    const segments = [segment('a', 'MT940'), segment('b', 'camt.053')];
    expect(await placeRowsAside(segments, 0)).toEqual(placeRows(segments));
  });

  it('is imported once', async () => {
    await deliver('a.sta', mt940Statement(statementOf(1_200)));
    await deliver('b.xml', camtStatement(statementOf(1_200)));
    const { rows, faults } = await importAll();
    expect(faults).toEqual([]);
    expect(new Set(rows.map(({ group }) => `${group?.key} ${group?.index}`)).size).toBe(1_202);
    expect(rows).toHaveLength(2_404);
  });

  it('is imported once, however many rows it has, if its statements differ only in texts and order', async () => {
    await deliver('a.sta', mt940Statement(statementOf(10_100)));
    await deliver('b.xml', camtStatement(statementOf(10_100)));
    const { rows, faults } = await importAll();
    expect(faults).toEqual([]);
    expect(new Set(rows.map(({ group }) => `${group?.key} ${group?.index}`)).size).toBe(10_102);
    expect(rows).toHaveLength(20_204);
  });

  it('is refused with file and day if it has too many rows to be compared, and the other days are imported', async () => {
    await deliver('a.sta', mt940Statement(statementOf(10_100)));
    const interim = statementOf(10_099);
    await deliver('b.xml', camtStatement({ ...interim, rows: interim.rows.slice(0, -1) }));
    const bank = openBank();
    const { rows, faults } = await importAll(bank);
    expect(faults.map(({ code, source, place }) => [code, source, place])).toEqual([
      ['STATEMENT_DAY_TOO_LARGE', 'a.sta', '2025-03-03'],
      ['STATEMENT_DAY_TOO_LARGE', 'b.xml', '2025-03-03'],
    ]);
    expect(rows.map(({ transactionDate }) => transactionDate.slice(0, 10))).toEqual([
      '2025-03-02',
      '2025-03-04',
      '2025-03-02',
    ]);
    expect((await importAll(bank)).faults).toEqual(faults);
    await rm(join(root, 'acme', 'b.xml'));
    const alone = await importAll();
    expect([alone.rows.length, alone.faults]).toEqual([10_102, []]);
  });
});
