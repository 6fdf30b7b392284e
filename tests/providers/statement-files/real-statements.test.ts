import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { add, signed } from '../../../src/shared/money.ts';
import { present } from '../sessions.ts';
import { bookRows, soundStatements } from './reading.ts';

const ROOT = join(import.meta.dirname, '../../fixtures/statements');
const read = (file: string) => soundStatements(readFileSync(join(ROOT, file)));
const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => /\.(sta|xml)$/.test(name))
    .map((name) => `${folder}/${name}`);

/** Statements that were shortened by hand, by their number in the file: their balances must not add up. */
const SHORTENED: Readonly<Record<string, readonly number[]>> = {
  'camt053/camt053.v2.all-balance-types.xml': [1],
  'camt053/camt053.v2.five.decimals.xml': [1],
  'mt940/betterplace/sepa_snippet.sta': [2],
  'mt940/betterplace/sepa_snippet_broken.sta': [1],
  'mt940/jejik/abnamro.sta': [1, 2],
  'mt940/jejik/ing.sta': [1],
  'mt940/jejik/knab.sta': [2],
  'mt940/jejik/postfinance.sta': [2],
  'mt940/jejik/rabobank.sta': [1, 3],
  'mt940/jejik/triodos.sta': [1],
};

/** How many statements and rows each file has. */
const WHOLE: Readonly<Record<string, readonly [statements: number, rows: number]>> = {
  'camt053/camt053.v2.all-balance-types.xml': [1, 1],
  'camt053/camt053.v2.five.decimals.xml': [1, 1],
  'camt053/camt053.v2.minimal.xml': [1, 1],
  'camt053/camt053.v2.multi.statement.xml': [2, 2],
  'camt053/camt053.v3.xml': [1, 1],
  'camt053/camt053.v4.xml': [1, 1],
  'mt940/betterplace/sepa_mt9401.sta': [26, 97],
  'mt940/betterplace/sepa_snippet.sta': [2, 11],
  'mt940/betterplace/sepa_snippet_broken.sta': [1, 1],
  'mt940/betterplace/with_binary_character.sta': [2, 4],
  'mt940/jejik/abnamro.sta': [2, 10],
  'mt940/jejik/generic.sta': [2, 2],
  'mt940/jejik/ing.sta': [1, 7],
  'mt940/jejik/knab.sta': [2, 3],
  'mt940/jejik/postfinance.sta': [2, 4],
  'mt940/jejik/rabobank-iban.sta': [2, 4],
  'mt940/jejik/rabobank.sta': [4, 5],
  'mt940/jejik/sns.sta': [2, 2],
  'mt940/jejik/triodos.sta': [1, 2],
};

const REFUSED: Readonly<Record<string, readonly [message: string, place: string | null]>> = {
  'camt053/camt053.v2.wrong.xml': ['the message holds no statement (Stmt)', 'BkToCstmrStmt'],
  'mt940/betterplace/amount_formats.sta': ['the statement has no reference (:20:)', 'line 1'],
  'mt940/betterplace/currency_in_25.sta': ['the statement has no reference (:20:)', 'line 1'],
  'mt940/betterplace/empty_86.sta': ['the file holds no statement (:20:)', null],
  'mt940/betterplace/empty_entry_date.sta': ['the statement has no reference (:20:)', 'line 1'],
  'mt940/betterplace/empty_line.sta': ['the statement has no account (:25:)', 'line 2'],
  'mt940/betterplace/missing_crlf_at_end.sta': ['the statement has no reference (:20:)', 'line 1'],
};

describe('statements as banks issue them', () => {
  it('are all checked here', () => {
    const files = ['camt053', 'mt940/betterplace', 'mt940/jejik'].flatMap(filesIn);
    expect([...Object.keys(WHOLE), ...Object.keys(REFUSED)].sort()).toEqual(files.sort());
  });

  it.each(Object.entries(WHOLE))('%s is read whole: %j statements and rows', async (file, [statements, rows]) => {
    const read_ = await read(file);
    expect([read_.length, read_.flatMap((statement) => statement.rows).length]).toEqual([statements, rows]);
  });

  it.each(Object.keys(WHOLE))('%s adds up, except where it was shortened', async (file) => {
    for (const [index, statement] of (await read(file)).entries()) {
      const { opening, closing } = statement;
      const { net: booked, rows, stated } = bookRows(statement);
      if (opening === null || closing === null) continue;
      const net = rows.reduce((sum, row) => add(sum, signed(row.amount, row.incoming)), '0');
      expect(booked).toBe(net);
      expect(stated.reduce((sum, day) => add(sum, day.net), '0')).toBe(net);
      const adds = add(opening.amount, net) === closing.amount;
      expect([index + 1, adds]).toEqual([index + 1, !(SHORTENED[file] ?? []).includes(index + 1)]);
      expect(rows.at(-1)?.balance ?? opening.amount).toBe(add(opening.amount, net));
      expect([stated[0]?.opening, stated.at(-1)?.closing]).toEqual([opening.amount, closing.amount]);
    }
  });

  it.each(Object.entries(REFUSED))('%s is refused with the place', async (file, [message, place]) => {
    await expect(read(file)).rejects.toMatchObject({ code: 'STATEMENT_FILE_INVALID', message, place });
  });

  it('state no balances if opening and closing are in different currencies', async () => {
    const [statement] = await read('camt053/camt053.v3.xml');
    const booked = bookRows(present(statement));
    expect([booked.stated, booked.rows[0]?.balance]).toEqual([[], '27']);
  });
});

describe('what is read from rows of real statements', () => {
  const rowsOf = async (file: string, statement = 0) => bookRows(present((await read(file))[statement])).rows;

  it('a camt entry with parties and codes', async () => {
    expect(await rowsOf('camt053/camt053.v4.xml')).toMatchObject([
      {
        reference: 'AAAASESS-FP-CN_98765/01',
        transactionDate: '2014-12-31T00:00:00.000Z',
        amount: '8.85',
        incoming: true,
        balance: '27',
        currency: 'EUR',
        description: '4654654654654654',
        nameSurname: 'NAME NAME',
        iban: 'NL56AGDH9619008421',
        idNo: '',
        code: 'PAYM-0001-0005',
        findAI: false,
      },
    ]);
  });

  it('a numbered German :86:', async () => {
    expect((await rowsOf('mt940/betterplace/sepa_snippet.sta'))[0]).toMatchObject({
      providerId: null,
      transactionDate: '2007-09-04T00:00:00.000Z',
      amount: '50990.05',
      incoming: true,
      description: 'GUTSCHRIFT EREF+EndToEndId TFNR 22 004 00001 SVWZ+Verw CTSc-01 BC-PPP TFNr 22 004',
      nameSurname: 'KARL KAUFMANN',
      iban: 'DE14508800500194785000',
      code: 'NTRF',
      findAI: false,
    });
  });

  it('a reversal of a credit, which decreases the balance', async () => {
    const reversal = (await rowsOf('mt940/betterplace/sepa_mt9401.sta')).find(({ code }) => code === 'NRTI');
    expect(reversal).toMatchObject({ amount: '204.88', incoming: false, description: 'SAMMLER/STORNO 0904059003' });
  });

  it('a Dutch :86: of names, with the account below the :61:', async () => {
    expect((await rowsOf('mt940/jejik/rabobank-iban.sta')).slice(0, 2)).toMatchObject([
      { iban: 'NL70ABNA0987654321', amount: '25', incoming: false, findAI: false },
      { nameSurname: 'JOHN DOE', description: 'Reference 201301234', iban: null },
    ]);
  });

  it('an old Dutch :61: that holds the name, and several :86:', async () => {
    expect((await rowsOf('mt940/jejik/rabobank.sta', 3))[0]).toMatchObject({
      nameSurname: 'KPN - MOBIEL',
      findAI: true,
      description:
        'BETALINGSKENM. 173787046000009 FACTUUR * 173787046 000009 ZIE REKENING OP KPN.COM OF HI.NL KPN - MOBIEL',
    });
  });

  it('a :25: in place of a :86:, as details and not as an account', async () => {
    const [statement] = await read('mt940/betterplace/sepa_snippet_broken.sta');
    expect(statement?.account.key).toBe('50880050/0194787400888/EUR');
    expect(statement?.rows[0]?.nameSurname).toBe('KARL KAUFMANN');
  });

  it('letters beyond ASCII', async () => {
    const [row] = await rowsOf('mt940/betterplace/with_binary_character.sta', 1);
    expect(row?.description).toContain('Überweisung');
  });

  it('the same account, whether the bank writes its IBAN as an IBAN or as another number', async () => {
    const [v2] = await read('camt053/camt053.v2.minimal.xml');
    const [v3] = await read('camt053/camt053.v3.xml');
    expect(v3?.account.key).toBe(v2?.account.key);
  });
});
