import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvReader } from '../../../src/providers/statement-files/csv.ts';
import { csvIssues, csvMappingOf } from '../../../src/providers/statement-files/csv-mapping.ts';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import { collectStatements } from '../../../src/providers/statement-files/statement-parts.ts';
import { present } from '../sessions.ts';

const IBAN = 'DE89370400440532013000';
const ONE_ACCOUNT = { account: { value: IBAN }, currency: { value: 'EUR' } };
const PLAIN = {
  delimiter: ';',
  columns: { ...ONE_ACCOUNT, date: 'Date', amount: 'Amount', description: 'Text' },
  dateFormat: 'dd.MM.yyyy',
  decimal: ',',
};

const mapped = (mapping: object) => present(csvMappingOf(mapping) ?? undefined);
const read = (mapping: object, content: string | Uint8Array) =>
  readStatements(typeof content === 'string' ? Buffer.from(content) : content, { csv: mapped(mapping) });
const rowsOf = async (mapping: object, content: string | Uint8Array) => {
  const { statements, faults } = await read(mapping, content);
  expect(faults).toEqual([]);
  return statements.flatMap(({ rows }) => rows);
};
const amountsOf = async (mapping: object, content: string) =>
  (await rowsOf(mapping, content)).map(({ amount, incoming }) => `${incoming ? '+' : '-'}${amount}`);
const faultOf = async (mapping: object, content: string) => {
  const { faults } = await read(mapping, content);
  return faults.map(({ code, message, place }) => [code, message, place]);
};

describe('CSV by a mapping', () => {
  it('reads a German export: header lines, quoted cells, newest first, balances', async () => {
    const file = readFileSync(join(import.meta.dirname, '../../fixtures/statements/csv/german.csv'));
    const mapping = {
      delimiter: ';',
      header: 3,
      columns: {
        ...ONE_ACCOUNT,
        date: 'Buchungstag',
        amount: 'Betrag (EUR)',
        balance: 'Saldo',
        name: 'empfänger',
        iban: 'IBAN',
        description: ['Verwendungszweck'],
      },
      dateFormat: 'dd.MM.yyyy',
      decimal: ',',
    };
    const { statements, faults } = await read(mapping, file);
    expect(faults).toEqual([]);
    expect(statements).toMatchObject([
      {
        format: 'CSV',
        account: { key: `${IBAN}/EUR`, iban: IBAN },
        opening: { amount: '0', day: '2025-03-03' },
        closing: { amount: '250.5', day: '2025-03-04' },
      },
    ]);
    expect(statements[0]?.rows).toMatchObject([
      { day: '2025-03-03', amount: '500', incoming: true, description: 'Rechnung 4712', nameSurname: 'Kunde GmbH' },
      { day: '2025-03-03', amount: '1000.5', incoming: true, description: 'Rechnung 4711' },
      {
        day: '2025-03-04',
        amount: '1250',
        incoming: false,
        description: 'Miete "März"; Haus 7',
        iban: 'DE75512108001245126199',
      },
    ]);
    const latin = Buffer.from(file.toString('utf8'), 'latin1');
    expect((await read({ ...mapping, charset: 'windows-1252' }, latin)).statements).toEqual(statements);
  });

  it('reads columns by their numbers, without a header line', async () => {
    const mapping = {
      ...PLAIN,
      delimiter: '\t',
      header: 0,
      columns: { account: 1, currency: 2, date: 3, amount: 4, reference: 5 },
      dateFormat: 'yyyy-MM-ddTHH:mm:ss',
      decimal: '.',
    };
    const { statements } = await read(mapping, `${IBAN}\tEUR\t2025-03-03T10:11:12\t-1,234.5\tR1\n`);
    expect(statements).toMatchObject([
      {
        account: { key: `${IBAN}/EUR` },
        opening: null,
        closing: null,
        rows: [{ amount: '1234.5', incoming: false, reference: 'R1', references: { bankReference: 'R1' } }],
      },
    ]);
  });

  it.each<[string, string]>([
    ['1.234,56', '+1234.56'],
    ['-1.234,56', '-1234.56'],
    ['1234,5-', '-1234.5'],
    ['−7', '-7'],
    ['(7,00)', '-7'],
    ['1 234,00 EUR', '+1234'],
    ["CHF 1'234,10", '+1234.1'],
    ['€ 0,00', '+0'],
    ['12.34.567,00', '+1234567'],
    ['+5,', '+5'],
  ])('reads the amount %s', async (written, amount) => {
    expect(await amountsOf(PLAIN, `Date;Amount;Text\n03.03.2025;${written};x\n`)).toEqual([amount]);
  });

  it.each([
    ['1.23', 'an amount is not a number as the csv mapping describes it'],
    ['1,234.56', 'an amount is not a number as the csv mapping describes it'],
    ['-(1,00)', 'an amount is not a number as the csv mapping describes it'],
    ['1,0,0', 'an amount is not a number as the csv mapping describes it'],
    ['NaN', 'an amount is not a number as the csv mapping describes it'],
    ['1e5', 'an amount is not a number as the csv mapping describes it'],
    ['9'.repeat(40), 'an amount has more than 18 digits or 5 decimals'],
    ['0,123456', 'an amount has more than 18 digits or 5 decimals'],
    ['9'.repeat(400), 'an amount is not a number as the csv mapping describes it'],
    ['', 'a row has no amount'],
  ])('refuses the file for the amount %s', async (written, message) => {
    const text = `Date;Amount;Text\n02.03.2025;1,00;x\n03.03.2025;${written};x\n`;
    expect(await faultOf(PLAIN, text)).toEqual([['STATEMENT_FILE_INVALID', message, 'line 3']]);
    expect((await read(PLAIN, text)).statements).toEqual([]);
  });

  it.each<[string, string, string | null]>([
    ['d.M.yy', '3.3.25', '2025-03-03'],
    ['d.M.yy', '3.3.99', '1999-03-03'],
    ['MM/dd/yyyy HH:mm', '03/04/2025 23:59', '2025-03-04'],
    ['yyyyMMdd', '20250228', '2025-02-28'],
    ['yyyyMMdd', '20250230', null],
    ['dd.MM.yyyy', '3.3.2025', null],
  ])('reads in the form %s the day %s', async (dateFormat, written, day) => {
    const { statements, faults } = await read({ ...PLAIN, dateFormat }, `Date;Amount;Text\n${written};1,00;x\n`);
    expect(statements[0]?.rows[0]?.day ?? null).toBe(day);
    if (day === null) expect(faults[0]?.message).toBe(`a date is no day in the form ${dateFormat}`);
  });

  it('reads debits and credits from separate columns', async () => {
    const columns = { ...ONE_ACCOUNT, date: 'Date', debit: 'Out', credit: 'In' };
    const mapping = { ...PLAIN, columns, sign: 'columns' };
    const text = (row: string) => `Date;Out;In\n03.03.2025;${row}\n`;
    expect(await amountsOf(mapping, text('5,00;'))).toEqual(['-5']);
    expect(await amountsOf(mapping, text('-5,00;0,00'))).toEqual(['-5']);
    expect(await amountsOf(mapping, text('0,00;7,00'))).toEqual(['+7']);
    expect(await faultOf(mapping, text('1,00;7,00'))).toMatchObject([
      [expect.anything(), 'a row has both a debit and a credit', 'line 2'],
    ]);
    expect(await faultOf(mapping, text(';'))).toMatchObject([[expect.anything(), 'a row has no amount', 'line 2']]);
  });

  it('reads the direction from a column of marks, in whatever case', async () => {
    const columns = { ...ONE_ACCOUNT, date: 'Date', amount: 'Amount', indicator: 'B/A' };
    const mapping = { ...PLAIN, columns, sign: { debit: ['BORÇ', 'D'], credit: ['alacak'] } };
    const text = (row: string) => `Date;Amount;B/A\n03.03.2025;${row}\n`;
    expect(await amountsOf(mapping, text('5,00;borç'))).toEqual(['-5']);
    expect(await amountsOf(mapping, text('-5,00;d'))).toEqual(['-5']);
    expect(await amountsOf(mapping, text('5,00;ALACAK'))).toEqual(['+5']);
    expect(await faultOf(mapping, text('5,00;?'))).toMatchObject([
      [expect.anything(), 'a row is neither a debit nor a credit', 'line 2'],
    ]);
    expect(await faultOf(mapping, text('-5,00;alacak'))).toMatchObject([
      [expect.anything(), 'the sign of an amount contradicts its mark of a credit', 'line 2'],
    ]);
  });

  it('reads a plus as a debit if the mapping says that signs are inverted', async () => {
    expect(
      await amountsOf({ ...PLAIN, sign: 'inverted' }, 'Date;Amount;Text\n03.03.2025;5,00;x\n03.03.2025;-1;y'),
    ).toEqual(['-5', '+1']);
  });

  it('skips lines without a date and an amount', async () => {
    expect(await amountsOf(PLAIN, 'Date;Amount;Text\n;;A heading\n03.03.2025;5,00;x\n;;;\n;;Total\n')).toEqual(['+5']);
  });

  it('keeps the rows of several accounts separate, in the order of the file', async () => {
    const columns = { account: 'Acc', currency: 'Ccy', date: 'Date', amount: 'Amount', balance: 'Bal' };
    const text = [
      'Acc;Ccy;Date;Amount;Bal',
      'A;EUR;03.03.2025;1;11',
      'B;EUR;03.03.2025;2;2',
      'A;eur;03.03.2025;1;12',
      'A;USD;03.03.2025;5;5',
      'A;EUR;04.03.2025;-2;10',
    ].join('\n');
    const { statements } = await read({ ...PLAIN, columns }, text);
    expect(
      statements.map(({ account, opening, closing, rows }) => [
        account.key,
        opening?.amount,
        closing?.amount,
        rows.length,
      ]),
    ).toEqual([
      ['A/EUR', '10', '10', 3],
      ['B/EUR', '0', '2', 1],
      ['A/USD', '0', '5', 1],
    ]);
  });

  it('reads a file of any length, even if the rows of its accounts are mixed', async () => {
    const columns = { account: 'Acc', currency: { value: 'EUR' }, date: 'Date', amount: 'Amount', balance: 'Bal' };
    const lines = Array.from({ length: 10_500 }, (_, index) => {
      return `A;03.03.2025;1;${index + 1}\n${index % 5 === 0 ? `B;03.03.2025;2;${(2 * index) / 5 + 2}\n` : ''}`;
    });
    const { statements, faults } = await read({ ...PLAIN, columns }, `Acc;Date;Amount;Bal\n${lines.join('')}`);
    expect(faults).toEqual([]);
    const found = statements.map(({ account, opening, closing, rows }) => {
      return [account.key, opening?.amount, closing?.amount, rows.length];
    });
    expect(found).toEqual([
      ['A/EUR', '0', '10500', 10_500],
      ['B/EUR', '0', '4200', 2_100],
    ]);
    const many = Array.from({ length: 1_001 }, (_, index) => `A${index};03.03.2025;1;1`).join('\n');
    expect(await faultOf({ ...PLAIN, columns }, `Acc;Date;Amount;Bal\n${many}`)).toEqual([
      ['STATEMENT_FILE_INVALID', 'the file lists more than 1000 accounts', 'line 1002'],
    ]);
  });

  it('names a column that is missing or occurs twice', async () => {
    expect(await faultOf(PLAIN, 'Date;Betrag;Text\n')).toEqual([
      ['STATEMENT_FILE_INVALID', 'no column is named "Amount"', 'line 1'],
    ]);
    expect(await faultOf(PLAIN, 'Date;Amount;amount;Text\n')).toEqual([
      ['STATEMENT_FILE_INVALID', 'several columns are named "Amount"', 'line 1'],
    ]);
  });

  it.each<[string, string | Uint8Array]>([
    ['a text', 'Dear customer, your statements; they follow.\n'],
    ['a PDF', '%PDF-1.7\nDate;Amount;Text\n'],
    ['an image', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13])],
    ['a CSV file of other columns', 'a;b;c\n1;2;3\n'],
  ])('does not recognise %s as a file of the bank', async (_what, content) => {
    await expect(read(PLAIN, content)).rejects.toMatchObject({ code: 'STATEMENT_FORMAT_UNKNOWN' });
    await expect(readStatements(Buffer.from(content))).rejects.toMatchObject({ code: 'STATEMENT_FORMAT_UNKNOWN' });
  });

  it.each<[string, string, string]>([
    ['a quotation mark without its end', '"', 'STATEMENT_FILE_INVALID'],
    ['a cell of megabytes', 'x'.repeat(3e6), 'STATEMENT_FILE_TOO_LARGE'],
    ['a quoted cell of megabytes', `"${'x\n'.repeat(2e6)}"`, 'STATEMENT_FILE_TOO_LARGE'],
    ['a line of a million cells', ';'.repeat(1e6), 'STATEMENT_FILE_TOO_LARGE'],
  ])('refuses %s', async (_what, cell, code) => {
    const found = await faultOf(PLAIN, `Date;Amount;Text\n03.03.2025;1;${cell}`);
    expect(found.map(([first]) => first)).toEqual([code]);
  });

  it('reads the same from pieces of any length, even if they are cut within a letter', async () => {
    const text = 'Date;Amount;Text\r\n03.03.2025;1,00;"a 😀 b"\r\n04.03.2025;2,00;c';
    const parts = (length: number) =>
      (async function* pieces() {
        for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
      })();
    const reader = csvReader(mapped(PLAIN));
    const whole = await collectStatements(reader(parts(1_000)));
    expect(whole.statements[0]?.rows.map(({ description }) => description)).toEqual(['a 😀 b', 'c']);
    for (const length of [1, 2, 3, 7]) expect(await collectStatements(reader(parts(length)))).toEqual(whole);
  });
});

describe('a CSV mapping', () => {
  it.each<[string, object, [string, string][]]>([
    ['is whole', PLAIN, []],
    [
      'lacks what is needed',
      { columns: {} },
      [
        ['csv.columns.account', 'required'],
        ['csv.columns.currency', 'required'],
        ['csv.columns.date', 'required'],
        ['csv.dateFormat', 'required'],
        ['csv.decimal', 'required'],
      ],
    ],
    [
      'names what there is not',
      { ...PLAIN, columns: { ...PLAIN.columns, colour: 'x' }, quote: "'" },
      [
        ['csv.columns.colour', 'unrecognized_key'],
        ['csv.quote', 'unrecognized_key'],
      ],
    ],
    ['has a delimiter of two characters', { ...PLAIN, delimiter: ';;' }, [['csv.delimiter', 'invalid_format']]],
    [
      'counts columns from 0',
      { ...PLAIN, columns: { ...PLAIN.columns, date: 0 } },
      [['csv.columns.date', 'too_small']],
    ],
    [
      'has a currency of no code',
      { ...PLAIN, columns: { ...PLAIN.columns, currency: { value: 'TL' } } },
      [['csv.columns.currency.value', 'invalid_format']],
    ],
    [
      'names columns without a header',
      { ...PLAIN, header: 0 },
      [
        ['csv.columns.date', 'invalid_value'],
        ['csv.columns.amount', 'invalid_value'],
        ['csv.columns.description', 'invalid_value'],
      ],
    ],
    ['has a date without a year', { ...PLAIN, dateFormat: 'dd.MM.' }, [['csv.dateFormat', 'invalid_value']]],
    ['has month names', { ...PLAIN, dateFormat: 'dd MMM yyyy' }, [['csv.dateFormat', 'invalid_value']]],
    [
      'wants columns of debits and names an amount',
      { ...PLAIN, sign: 'columns' },
      [
        ['csv.columns.debit', 'required'],
        ['csv.columns.credit', 'required'],
        ['csv.columns.amount', 'invalid_value'],
      ],
    ],
    [
      'lists marks without their column',
      { ...PLAIN, sign: { debit: ['D'], credit: ['C'] } },
      [['csv.columns.indicator', 'required']],
    ],
    ['has an unknown charset', { ...PLAIN, charset: 'ebcdic' }, [['csv.charset', 'invalid_value']]],
    ['is not an object', [], [['csv', 'invalid_type']]],
  ])('that %s is answered with each path', (_what, mapping, issues) => {
    expect(csvIssues(mapping).map(({ path, code }) => [path, code])).toEqual(issues);
    expect(csvMappingOf(mapping) === null).toBe(issues.length > 0);
  });
});
