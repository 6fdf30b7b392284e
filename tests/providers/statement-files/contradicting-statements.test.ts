import { beforeEach, describe, expect, it } from 'vitest';
import { refusalOf } from '../../../src/providers/statement-files/refused-days.ts';
import { type StatementCase, statementCases } from '../../support/statement-cases.ts';
import { type BankRow, camtStatement, mt940Statement } from '../../support/statement-texts.ts';
import { present } from '../sessions.ts';

const EVER = { fromDay: '1970-01-01', toDay: '2100-01-01' };
const DAY = '2025-03-04';
const row = (change: number, text = `row ${change}`, day = DAY): BankRow => ({ day, change, text });
const BEFORE = row(7, 'before', '2025-03-03');
const BATCH = { opening: 993, rows: [BEFORE, row(-300, 'SALARIES'), row(-2, 'Fee')] };
const SINGLE = { opening: 993, rows: [BEFORE, row(-100), row(-150), row(-50), row(-2, 'Fee')] };

let bank: StatementCase['bank'];
let ledger: StatementCase['ledger'];
let session: StatementCase['session'];
let deliver: StatementCase['deliver'];
let remove: StatementCase['remove'];
const openCase = statementCases();
beforeEach(async () => {
  ({ bank, ledger, session, deliver, remove } = await openCase());
});

const changes = () => ledger.rows().map(({ amount, incoming }) => (incoming ? 1 : -1) * Number(amount));

async function faults() {
  const account = present((await bank.discoverAccounts(session())).accounts[0]);
  const page = await bank.fetchPage(session(), { account, ...EVER, cursor: null });
  return page.faults.map(({ code, source, place }) => [code, source, place]);
}

describe('two statements that lead through a day from one balance to another by different rows', () => {
  it('are refused for that day, and the other days are imported', async () => {
    await deliver('a.xml', camtStatement(BATCH));
    await deliver('b.sta', mt940Statement(SINGLE));
    await ledger.sync();
    expect(changes()).toEqual([7]);
    expect(await faults()).toEqual([
      ['STATEMENT_ROWS_DIFFER', 'a.xml', DAY],
      ['STATEMENT_ROWS_DIFFER', 'b.sta', DAY],
    ]);
    await remove('a.xml');
    await ledger.sync();
    expect(changes().sort()).toEqual([-100, -150, -2, -50, 7]);
    expect(await faults()).toEqual([]);
    expect(ledger.completeness()).toMatchObject({ status: 'complete' });
  });

  it('duplicate nothing when one of them was imported before the other arrived', async () => {
    await deliver('a.xml', camtStatement(BATCH));
    await ledger.sync();
    await deliver('b.sta', mt940Statement(SINGLE));
    await ledger.sync();
    expect(changes().sort()).toEqual([-2, -300, 7]);
    expect(await faults()).toHaveLength(2);
  });

  it('are both right where a third one leads back in between', async () => {
    const parts = [
      { opening: 100, rows: [row(10, 'first')] },
      { opening: 110, rows: [row(-10, 'back')] },
      { opening: 100, rows: [row(4, 'second'), row(6, 'third')] },
    ];
    for (const [index, part] of parts.entries()) await deliver(`${index}.sta`, mt940Statement(part));
    await ledger.sync();
    expect(changes().sort()).toEqual([-10, 10, 4, 6]);
    expect(await faults()).toEqual([]);
  });

  it('are both right where they lead back to where they began', async () => {
    await deliver('1.sta', mt940Statement({ opening: 100, rows: [row(10), row(-10)] }));
    await deliver('2.sta', mt940Statement({ opening: 100, rows: [row(20), row(-20)] }));
    await ledger.sync();
    expect(changes().sort()).toEqual([-10, -20, 10, 20]);
    expect(await faults()).toEqual([]);
  });
});

describe('a day that statements list in many rows', () => {
  const listed = (kinds: number, end: string) => ({
    ...{ day: DAY, rows: 10_001, start: '0', end, digest: `${kinds} ${end}`, kinds, beginsDay: true, endsDay: true },
  });

  it('is accepted if the rows are the same, and refused if they differ', () => {
    expect(refusalOf([listed(1, '5'), listed(1, '5')])).toBeNull();
    expect(refusalOf([listed(1, '5'), listed(2, '6')])).toBe('too-many');
    expect(refusalOf([listed(1, '5'), { ...listed(1, '5'), start: '1' }])).toBe('too-many');
    expect(refusalOf([listed(1, '5'), listed(2, '5')])).toBe('contradicting');
    const unknown = { ...listed(1, '5'), start: null, end: null };
    expect(refusalOf([unknown, unknown])).toBe('too-many');
  });
});
