import { describe, expect, it } from 'vitest';
import { ruleRuns } from '../../src/projections/rule-runs.ts';
import { runMatches } from '../../src/projections/run-matches.ts';
import type { TransactionDocument } from '../../src/projections/transactions.ts';
import type { Reader } from '../../src/queries/reader.ts';
import { rulesThatLooked } from '../../src/queries/rules-that-looked.ts';

const position = (nth: number): string => String(nth).padStart(16, '0');
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 5, 10, minute)).toISOString();

const transaction = {
  ...{ _id: 't/row', id: 'row', companyId: 'c', bankCode: 'demo', accountId: 'a', subAccountKey: 'k', currency: 'EUR' },
  ...{
    transactionDate: '2026-01-05T00:00:00.000Z',
    amount: '5',
    incoming: true,
    balance: null,
    recordedPosition: position(1),
  },
  ...{ iban: null, idNo: '', nameSurname: null, description: null, code: null, assignments: [] },
} as unknown as TransactionDocument;

/** Asked for at minute 1, did its page at position 30 and ended at minute 9. */
const run = {
  ...{ id: 'run', type: 'backfill', ruleId: 'rule', ruleVersion: 1, ruleSnapshotHash: '', status: 'completed' },
  ...{ scope: { from: null, to: null, accountIds: null, bankCodes: null }, snapshotMaxId: position(9), cursorId: null },
  ...{ startedAt: at(2), completedAt: at(9), createdAt: at(1), updatedAt: at(9) },
};
const match = { _position: position(30), outcome: 'attached', attachedIds: ['one'], revokedIds: [], at: at(5) };

/** @param least the amount from which on the rule matches */
function readerOf(least: number): Reader {
  const conditions = { combinator: 'all', children: [{ field: 'amount', operator: 'at_least', value: least }] };
  return {
    page: async (projection: unknown) => {
      expect(projection).toBe(ruleRuns);
      return { items: [run], after: null };
    },
    get: async (projection: unknown) =>
      projection === runMatches ? (least <= 5 ? match : undefined) : { name: 'Rule', conditions },
  } as unknown as Reader;
}

const looksAt = async (least: number, past: { position: string; moment: string } | null) =>
  (await rulesThatLooked(readerOf(least), transaction, null, past)).looks.map(({ matched }) => matched);

describe('a run that went on at the moment that is looked at', () => {
  it('counts where it matched from the page on that reached the transaction', async () => {
    expect(await looksAt(1, { position: position(29), moment: at(4) })).toEqual([]);
    expect(await looksAt(1, { position: position(30), moment: at(5) })).toEqual([true]);
    expect(await looksAt(1, null)).toEqual([true]);
  });

  it('counts where it did not match once it has ended', async () => {
    expect(await looksAt(9, { position: position(40), moment: at(8) })).toEqual([]);
    expect(await looksAt(9, { position: position(40), moment: at(9) })).toEqual([false]);
    expect(await looksAt(9, null)).toEqual([false]);
  });
});
