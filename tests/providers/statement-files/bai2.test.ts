import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import { soundStatements } from './reading.ts';

const FILE = readFileSync(join(import.meta.dirname, '../../fixtures/statements/bai2/two-accounts.bai'), 'utf8');
const faultsOf = async (text: string) =>
  (await readStatements(Buffer.from(text))).faults.map(({ message, place }) => [message, place]);

describe('BAI2', () => {
  it('is read: balances, funds types with their own fields, continued texts, decimals by currency', async () => {
    expect(await soundStatements(FILE)).toMatchObject([
      {
        format: 'BAI2',
        account: { key: '0012345678/USD', accountNo: '0012345678' },
        opening: { amount: '1000', day: '2025-03-03' },
        closing: { amount: '1474.5', day: '2025-03-03' },
        available: '1400',
        place: 'line 8',
        rows: [
          {
            day: '2025-03-03',
            amount: '500',
            incoming: true,
            code: '165',
            reference: 'REF1',
            description: 'ACME INC/INVOICE 4711, second part',
            references: { bankReference: 'REF1', customerReference: 'CUST1' },
          },
          { amount: '25.5', incoming: false, reference: 'REF2', description: 'CHECK 1001' },
        ],
      },
      {
        account: { key: 'JP-7/JPY' },
        opening: null,
        closing: null,
        available: null,
        rows: [
          { amount: '2500', incoming: false, reference: null, description: 'Fee' },
          { amount: '100', incoming: true, reference: 'REF3', description: null },
        ],
      },
    ]);
  });

  it('of the same day yields no rows: they are pending', async () => {
    const [statement] = await soundStatements(FILE.replace('USD,2/', 'USD,3/'));
    expect(statement).toMatchObject({
      rows: [],
      opening: null,
      closing: null,
      available: '1400',
      intraday: { asOf: '2025-03-03T2359', pending: '474.5' },
    });
  });

  it('uses the currency of the group, otherwise US dollars', async () => {
    const without = FILE.replace('2359,USD', '2359,').replace('0012345678,USD', '0012345678,');
    expect((await soundStatements(without))[0]?.account.currency).toBe('USD');
    expect((await soundStatements(without.replace('2359,', '2359,CAD')))[0]?.account.currency).toBe('CAD');
  });

  it('that states both balances needs no control total', async () => {
    expect(await soundStatements(FILE.replace('49,490000', '49,0'))).toHaveLength(2);
  });

  it.each<[string, string, string, string, string | null]>([
    [
      'a control total that differs',
      '49,2600',
      '49,2601',
      'the amounts come to 2600, but the control total (49) is 2601',
      'line 13',
    ],
    [
      'an amount of 40 digits',
      '16,699,2500',
      `16,699,${'9'.repeat(40)}`,
      'an amount has more than 18 digits or 5 decimals',
      'line 10',
    ],
    ['no whole amount', '16,699,2500', '16,699,25.00', 'an amount is not a whole number', 'line 10'],
    ['a sign', '16,699,2500', '16,699,-2500', 'a movement (16) has a sign besides its type', 'line 10'],
    [
      'a type of no direction',
      '16,699',
      '16,701',
      'a movement (16) has a type that is neither a credit nor a debit',
      'line 10',
    ],
    ['an account without its end', '49,2600,5/\n', '', 'the file ends before its last record (99)', 'line 9'],
    ['two accounts without an end between them', '49,490000,5/\n', '', 'an account has no end (49)', 'line 3'],
    ['no end', '99,492600,1,14/', '', 'the file ends before its last record (99)', null],
    ['a movement of no account', '03,JP-7,JPY/\n', '', 'a movement (16) belongs to no account (03)', 'line 9'],
    ['a line of text', '98,492600,2,12/', 'Good bye', 'a line is not a BAI2 record', 'line 14'],
    ['a date of no calendar', '1,250303', '1,250230', 'a date is no calendar day', 'line 2'],
    ['a line of megabytes', 'Fee/', 'x'.repeat(3e6), 'the line is too long', 'line 10'],
    ['a text without end', '88,4711', `${'88,x\n'.repeat(300_000)}88,4711`, 'a record is too long', expect.any(String)],
  ])('names what is wrong: %s', async (_what, part, instead, message, place) => {
    expect((await faultsOf(FILE.replace(part, instead)))[0]).toEqual([message, place]);
  });

  it('reads no more distributions than there are fields', async () => {
    const text = FILE.replace('100,D,2,1,50,2,50,REF3,,', '100,D,9999,1');
    expect((await soundStatements(text))[1]?.rows[1]).toMatchObject({ amount: '100', reference: null });
  });
});
