import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IncomingTransaction, stampRows } from '../../src/deciders/transaction-stamp.ts';

const plain: IncomingTransaction = {
  providerId: null,
  discriminator: null,
  transactionDate: '2026-01-05T00:00:00.000Z',
  amount: '10',
  incoming: true,
  balance: '100',
  currency: 'EUR',
  description: 'Fee',
  nameSurname: null,
  iban: null,
  idNo: '',
  code: null,
  findAI: false,
};

const stamps = (rows: readonly IncomingTransaction[], listing = 'window', account = 'account'): string[] =>
  stampRows(account, listing, rows, new Map()).map((row) => row.providerStamp);

const someRows = fc.array(
  fc.record({
    amount: fc.constantFrom('10', '20'),
    day: fc.constantFrom('05', '06'),
    description: fc.constantFrom('Fee', 'Rent'),
  }),
  { maxLength: 12 },
);

describe('a stamp', () => {
  it("is the bank's id where there is one, and a blank id is none", () => {
    expect(stamps([{ ...plain, providerId: ' B-1 ' }])).toEqual(['B-1']);
    expect(stamps([{ ...plain, providerId: '   ' }])[0]).toMatch(/^content:/);
  });

  it('distinguishes equal rows of a day, and gives the same rows the same stamps again', () => {
    fc.assert(
      fc.property(someRows, (some) => {
        const rows = some.map(({ day, ...row }) => ({
          ...plain,
          ...row,
          transactionDate: `2026-01-${day}T00:00:00.000Z`,
        }));
        const first = stamps(rows);
        expect(new Set(first).size).toBe(rows.length);
        expect(stamps(rows)).toEqual(first);
        expect(stamps(rows.toReversed()).sort()).toEqual(first.toSorted());
      }),
    );
  });

  it('counts on over the pages of a listing', () => {
    const ordinals = new Map<string, number>();
    const one = stampRows('account', 'window', [plain], ordinals);
    const two = stampRows('account', 'window', [plain], ordinals);
    expect([...one, ...two].map((row) => row.providerStamp)).toEqual(stamps([plain, plain]));
  });

  it('is the same from another listing of the same rows, and another for another account or day', () => {
    expect(stamps([plain], 'other')).toEqual(stamps([plain]));
    expect(stamps([plain], 'window', 'another')).not.toEqual(stamps([plain]));
    expect(stamps([{ ...plain, transactionDate: '2026-01-06T00:00:00.000Z' }])).not.toEqual(stamps([plain]));
  });

  it('does not depend on the running balance unless the bank uses it to distinguish rows', () => {
    expect(stamps([{ ...plain, balance: '7' }])).toEqual(stamps([plain]));
    expect(stamps([{ ...plain, discriminator: '7' }])).not.toEqual(stamps([{ ...plain, discriminator: '8' }]));
  });
});
