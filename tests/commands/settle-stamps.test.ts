import { describe, expect, it } from 'vitest';
import { MOST_CLAIMED_GROUPS, openClaimedGroups } from '../../src/commands/claimed-groups.ts';
import type { CommandContext } from '../../src/commands/command.ts';
import { type PageRow, settleStamps } from '../../src/commands/settle-stamps.ts';

/** Rows without twins never look into the log. */
const context = { tenantId: 'tenant-a' } as CommandContext;

function rowOf(number: number): PageRow {
  return {
    subAccountKey: 'account',
    providerStamp: '',
    stampOrigin: 'content',
    contentHash: `hash ${number}`,
    transactionDate: '2025-03-03T00:00:00.000Z',
    amount: String(number + 1),
    incoming: true,
    balance: '0',
    balanceStated: false,
    currency: 'EUR',
    description: null,
    nameSurname: null,
    iban: null,
    idNo: '',
    code: null,
    findAI: false,
    group: { key: `account/2025-03-03/C${number + 1}`, size: 1, index: 0, formerDay: null },
  };
}

describe('what a sync remembers of groups of rows', () => {
  it('is bounded however many rows a window has, and the same row keeps its stamp', async () => {
    const claims = openClaimedGroups();
    const settle = (from: number, count: number) =>
      settleStamps(
        context,
        Array.from({ length: count }, (_, index) => rowOf(from + index)),
        { bankCode: 'statement-files', lookUpKnown: async () => new Map(), lookUpFormer: async () => [], claims },
      );
    const [first] = await settle(0, 1);
    for (let from = 0; from < MOST_CLAIMED_GROUPS + 4_000; from += 2_000) {
      await settle(from, 2_000);
      expect(claims.size).toBeLessThanOrEqual(MOST_CLAIMED_GROUPS);
    }
    expect(claims.size).toBe(MOST_CLAIMED_GROUPS);
    const [again] = await settle(0, 1);
    expect(again?.providerStamp).toBe(first?.providerStamp);
  });
});
