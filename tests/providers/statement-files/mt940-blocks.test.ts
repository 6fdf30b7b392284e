import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import { add } from '../../../src/shared/money.ts';
import { present } from '../sessions.ts';
import { bookRows, soundStatements } from './reading.ts';

type Given = { account?: string; opening?: number; amounts?: readonly number[]; currency?: string };

function balance(tag: string, amount: number, currency: string): string {
  return `:${tag}:${amount < 0 ? 'D' : 'C'}250303${currency}${Math.abs(amount)},\n`;
}

function block({
  account = 'NL71RABO0123456789',
  opening = 100,
  amounts = [10],
  currency = 'EUR',
}: Given = {}): string {
  const rows = amounts.map(
    (amount) => `:61:2503030303${amount < 0 ? 'D' : 'C'}${Math.abs(amount)},NTRFNONREF\n:86:row ${amount}\n`,
  );
  const closing = amounts.reduce((sum, amount) => sum + amount, opening);
  return `:25:${account}\n:28C:1\n${balance('60F', opening, currency)}${rows.join('')}${balance('62F', closing, currency)}`;
}

const statement = (given: Given = {}) => `:20:REF\n${block(given)}-\n`;
const OTHER = { account: 'DE14508800500194785000', opening: 7, amounts: [1, 2] };

async function accountsAndRows(text: string): Promise<unknown[]> {
  const { statements } = await readStatements(Buffer.from(text));
  return statements.map(({ account, rows }) => [account.key, rows.map(({ amount }) => amount)]);
}

describe('statements of a file are separated', () => {
  it.each<[string, string]>([
    ['a ^Z of an old transfer', '\u001a'],
    ['a byte order mark in the middle of the file', '\ufeff'],
    ['a byte order mark read as Windows-1252', 'ï»¿'],
    ['spaces', '   '],
    ['a NUL', '\0'],
    ['a tab', '\t'],
  ])('when %s is before the second :20:', async (_what, before) => {
    const text = `${statement().replace('-\n', '')}${before}${statement(OTHER)}`;
    expect(await accountsAndRows(text)).toEqual([
      ['NL71RABO0123456789/EUR', ['10']],
      ['DE14508800500194785000/EUR', ['1', '2']],
    ]);
  });

  it('when stray bytes are before each of its first tags', async () => {
    const stray = statement(OTHER).replace(/^:(20|25|60F):/gm, '\u001a\0 :$1:');
    expect(await accountsAndRows(statement().replace('-\n', '') + stray)).toEqual([
      ['NL71RABO0123456789/EUR', ['10']],
      ['DE14508800500194785000/EUR', ['1', '2']],
    ]);
  });

  it('when the second has no :20: of its own, but a :25:', async () => {
    expect(await accountsAndRows(`:20:REF\n${block()}${block(OTHER)}-\n`)).toEqual([
      ['NL71RABO0123456789/EUR', ['10']],
      ['DE14508800500194785000/EUR', ['1', '2']],
    ]);
  });

  it('when a :25: follows an empty movement and holds an account', async () => {
    const cut = block().slice(0, block().indexOf(':86:'));
    const { statements, faults } = await readStatements(Buffer.from(`:20:REF\n${cut}${block(OTHER)}-\n`));
    expect(statements.map(({ account }) => account.iban)).toEqual(['DE14508800500194785000']);
    expect(faults.map(({ message, place }) => [message, place])).toEqual([
      ['the statement has no closing balance (:62F:)', 'line 1'],
    ]);
  });

  it('when the next opening balance continues from the closing one, as on pages of one account', async () => {
    const next = block({ opening: 110, amounts: [5] }).replace(/:25:.*\n:28C:.*\n/, '');
    expect(await accountsAndRows(`:20:REF\n${block()}${next}-\n`)).toEqual([
      ['NL71RABO0123456789/EUR', ['10']],
      ['NL71RABO0123456789/EUR', ['5']],
    ]);
  });

  it('and one without an account is refused when its opening balance differs, whatever account it may belong to', async () => {
    const next = block({ opening: 7, amounts: [5] }).replace(/:25:.*\n/, '');
    const { statements, faults } = await readStatements(Buffer.from(`:20:REF\n${block()}${next}-\n`));
    expect(statements.map(({ rows }) => rows.length)).toEqual([1]);
    expect(faults.map(({ message, place }) => [message, place])).toEqual([
      ['the statement has no account (:25:)', 'line 8'],
    ]);
  });

  it('and rows or another balance after the closing one are in no statement', async () => {
    const more = ':61:2503030303C99,NTRFNONREF\n:86:stray\n';
    for (const after of [more, balance('62F', 5, 'EUR'), `${balance('62F', 5, 'EUR')}${more}`]) {
      const { statements, faults } = await readStatements(
        Buffer.from(`:20:REF\n${block()}${after}-\n${statement(OTHER)}`),
      );
      expect(statements.map(({ rows }) => rows.length)).toEqual([1, 2]);
      expect(faults.length).toBeGreaterThan(0);
    }
  });

  it('and a closing balance that is written twice counts once', async () => {
    const text = statement().replace(/(:62F:.*\n)/, '$1$1');
    expect(await accountsAndRows(text)).toEqual([['NL71RABO0123456789/EUR', ['10']]]);
  });

  it('and whatever lines are lost or changed, no row is on an account it was not written for', async () => {
    const accounts = ['NL71RABO0123456789', 'DE14508800500194785000', '1234567'];
    // Amounts that no other account has, so that a row on the wrong account is noticed.
    const good = accounts.flatMap((account, index) =>
      statement({ account, opening: 1000 * (index + 1), amounts: [10 + index, -(20 + index), 30 + index] }).split('\n'),
    );
    const change = fc.tuple(
      fc.nat({ max: good.length - 1 }),
      fc.constantFrom('lost', 'twice', '\u001a', '\ufeff', '\0\t ', '-'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const lines = good.map((line) => [line]);
        for (const [at, what] of changes) {
          const line = good[at] ?? '';
          lines[at] =
            what === 'lost' ? [] : what === 'twice' ? [line, line] : what === '-' ? ['-', line] : [what + line];
        }
        const { statements } = await readStatements(Buffer.from(lines.flat().join('\n'))).catch(() => ({
          statements: [],
        }));
        for (const one of statements) {
          const { net, rows } = bookRows(one);
          if (one.opening === null || add(one.opening.amount, net) !== one.closing?.amount) continue;
          const index = accounts.indexOf(one.account.iban ?? one.account.accountNo ?? '');
          for (const { amount } of rows) expect([10, 20, 30].map((base) => String(base + index))).toContain(amount);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a statement is read despite one odd line', () => {
  const read = async (line: string, closing: number, details = ':86:text\n') => {
    const text = `:20:REF\n:25:NL71RABO0123456789\n:28C:1\n:60F:C250228EUR100,\n${line}\n${details}:62F:C250303EUR${closing},\n-\n`;
    const statement = present((await soundStatements(text))[0]);
    return { row: present(statement.rows[0]), notes: statement.notes };
  };

  it.each<[string, string, object, string]>([
    ['ING and Triodos pad the type', ':61:2503020302C10,NET NONREF', { code: 'NET', amount: '10' }, 'padded'],
    [
      'Sberbank Hungary writes a type of one letter',
      ':61:2503020302CF10,00S   X',
      { code: 'S', amount: '10' },
      'padded',
    ],
    [
      'interest by 30/360 has a value date of 30 February',
      ':61:2502300301C10,N024NONREF',
      { transactionDate: '2025-03-01T00:00:00.000Z' },
      'no calendar day',
    ],
    ['Rabobank writes a decimal point', ':61:2503020302C10.00NTRFX', { amount: '10' }, 'decimal point'],
  ])('%s', async (_habit, line, expected, note) => {
    const { row, notes } = await read(line, 110);
    expect(row).toMatchObject(expected);
    expect(notes).toMatchObject([
      { code: 'STATEMENT_READ_LENIENTLY', message: expect.stringContaining(note), place: 'line 5' },
    ]);
  });

  it('a :86: holds a line that is only a dash', async () => {
    const { row, notes } = await read(':61:2503020302C10,NTRFX', 110, ':86:first\n-\nlast\n');
    expect(row.description).toBe('first - last');
    expect(notes).toMatchObject([{ message: expect.stringContaining('dash'), place: 'line 7' }]);
    expect((await read(':61:2503020302C10,NTRFX', 110, ':86:first\n-\n')).row.description).toBe('first -');
  });

  it('a dash before a new message ends the one before it, although its closing balance is missing', async () => {
    const { statements, faults } = await readStatements(
      Buffer.from(`${statement().replace(/:62F:.*\n/, '')}${statement(OTHER)}`),
    );
    expect([statements.length, faults.length]).toEqual([1, 1]);
  });

  it('a balance has a decimal point', async () => {
    const [one] = await soundStatements(statement().replace('EUR110,', 'EUR110.00'));
    expect([one?.closing?.amount, one?.notes.length]).toEqual(['110', 1]);
  });

  it('Sberbank Hungary writes :NS: below the movement, which is not part of the text above it', async () => {
    const { row } = await read(':61:2503020302CF10,00S   X', 110, ':NS:01526715\n15ERGO Versicherung AG\n');
    expect(row.amount).toBe('10');
  });
});

describe('the booking day of a movement without an entry date', () => {
  const daysOf = async (opening: string, closing: string, dates: string) => {
    const text = `:20:REF\n:25:NL71RABO0123456789\n:60F:C${opening}EUR100,\n:61:${dates}D10,NTRFX\n:62F:C${closing}EUR90,\n-\n`;
    return present((await soundStatements(text))[0]?.rows[0]).transactionDate.slice(0, 10);
  };

  it.each([
    ['is the day of the statement for costs of the previous quarter, as Rabobank writes them', '251001', '2025-10-04'],
    ['is the day of the statement for a future payment', '251020', '2025-10-04'],
    ['is the value date within the days of the statement', '251003', '2025-10-03'],
    ['is the entry date if there is one, even outside the days of the statement', '2510011002', '2025-10-02'],
  ])('%s', async (_what, dates, day) => {
    expect(await daysOf('251003', '251004', dates)).toBe(day);
  });
});
