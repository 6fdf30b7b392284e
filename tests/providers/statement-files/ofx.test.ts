import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import { soundStatements } from './reading.ts';

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../fixtures/statements/ofx', name), 'utf8');
const BANK = fixture('bank.v1.ofx');
const faultsOf = async (text: string) =>
  (await readStatements(Buffer.from(text))).faults.map(({ message, place }) => [message, place]);

describe('OFX', () => {
  it('1 is read: SGML without end tags, with a closing balance if the rows reach up to its day', async () => {
    expect(await soundStatements(BANK)).toMatchObject([
      {
        format: 'OFX',
        account: { key: '0012345678/USD', accountNo: '0012345678', accountType: 'CHECKING', branchId: '021000021' },
        opening: null,
        closing: { amount: '1974.5', day: '2025-03-04' },
        available: '1900',
        rows: [
          {
            day: '2025-03-03',
            amount: '25.5',
            incoming: false,
            reference: 'F1',
            nameSurname: 'Coffee & Tea',
            code: 'DEBIT',
          },
          { day: '2025-03-04', amount: '1000', incoming: true, description: 'Invoice 4711', nameSurname: 'ACME INC' },
        ],
      },
    ]);
  });

  it('2 is read: XML, a card, a payee, an account of the payee, CDATA; a balance of a later day is not the closing one', async () => {
    expect(await soundStatements(fixture('card.v2.ofx'))).toMatchObject([
      {
        account: { key: 'XXXX-1234/EUR' },
        opening: null,
        closing: null,
        available: null,
        rows: [
          {
            day: '2025-03-05',
            amount: '12.3',
            incoming: false,
            nameSurname: 'Bäckerei Ünal',
            iban: 'DE75512108001245126199',
            description: 'Brot < Kuchen & mehr',
            references: { bankReference: 'A-1' },
          },
        ],
      },
    ]);
  });

  it('is read in the encoding that its header names', async () => {
    const text = BANK.replace('Coffee', 'Café');
    const [statement] = await soundStatements(Buffer.from(text, 'latin1'));
    expect(statement?.rows[0]?.nameSurname).toBe('Café & Tea');
    const utf8 = text.replace('USASCII', 'UTF-8').replace('1252', 'NONE');
    expect((await soundStatements(utf8))[0]?.rows[0]?.nameSurname).toBe('Café & Tea');
  });

  it('without a header, or of several statements, is read', async () => {
    const bare = BANK.slice(BANK.indexOf('<OFX>'));
    expect(await soundStatements(bare)).toEqual(await soundStatements(BANK));
    const again = bare.replace(
      '</STMTTRNRS>',
      `</STMTTRNRS>${/<STMTRS>[\s\S]*<\/STMTRS>/.exec(bare)?.[0].replace('0012345678', '77')}`,
    );
    expect((await soundStatements(again)).map(({ account, rows }) => [account.key, rows.length])).toEqual([
      ['0012345678/USD', 2],
      ['77/USD', 2],
    ]);
  });

  it.each<[string, string, string, string, string | null]>([
    [
      'an amount of 40 digits',
      '-25.50',
      '9'.repeat(40),
      'an amount has more than 18 digits or 5 decimals',
      'STMTRS[1]/STMTTRN[1]',
    ],
    ['no amount', '<TRNAMT>-25.50', '', 'an amount is not a decimal number', 'STMTRS[1]/STMTTRN[1]'],
    ['no date', '<DTPOSTED>20250304<', '<', 'a date is no calendar day', 'STMTRS[1]/STMTTRN[2]'],
    [
      'a date of no calendar',
      '<DTPOSTED>20250304',
      '<DTPOSTED>20250230',
      'a date is no calendar day',
      'STMTRS[1]/STMTTRN[2]',
    ],
    [
      'another currency',
      '<FITID>F1',
      '<FITID>F1<CURRENCY><CURRATE>1<CURSYM>EUR</CURRENCY>',
      'a movement is in another currency than its account',
      'STMTRS[1]/STMTTRN[1]',
    ],
    ['no account', '<ACCTID>0012345678', '', 'the account has no number', 'STMTRS[1]'],
    ['no currency', '<CURDEF>USD', '', 'a currency is not a code of three letters', 'STMTRS[1]'],
    [
      'no end of the statement',
      '</STMTRS></STMTTRNRS></BANKMSGSRSV1>\n</OFX>',
      '',
      'the file ends within a statement',
      'STMTRS[1]',
    ],
    ['no end', '</OFX>', '', 'the file ends before its last element (OFX)', null],
    [
      'a document type',
      '<OFX>\n',
      '<OFX><!DOCTYPE x [<!ENTITY a "b">]>',
      'document type declarations are not accepted',
      null,
    ],
    ['hostile depth', '<STMTTRN>', '<A>'.repeat(100_000), 'the elements are nested too deeply', 'A'],
    ['a text of megabytes', 'Invoice 4711', 'x'.repeat(3e6), 'MEMO is too long', null],
  ])('names what is wrong: %s', async (_what, part, instead, message, place) => {
    expect((await faultsOf(BANK.replace(part, instead)))[0]).toEqual([message, place]);
    if (_what !== 'no end')
      expect((await readStatements(Buffer.from(BANK.replace(part, instead)))).statements).toEqual([]);
  });

  it('without a statement is refused', async () => {
    expect(await faultsOf('<OFX><SIGNONMSGSRSV1></SIGNONMSGSRSV1></OFX>')).toEqual([
      ['the file holds no statement of an account (STMTRS, CCSTMTRS)', null],
    ]);
  });
});
