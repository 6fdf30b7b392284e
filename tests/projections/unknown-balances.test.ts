import { describe, expect, it } from 'vitest';
import { explainConditions } from '../../src/deciders/conditions/compile-conditions.ts';
import { transactions } from '../../src/projections/transactions.ts';
import type { ProviderAccount } from '../../src/providers/bank-provider.ts';
import { toProviderAccount, toSubAccount } from '../../src/reactors/syncs/sub-accounts.ts';
import { recordedData } from '../support/facts.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

function documentOf(balanceStated: boolean) {
  const data = recordedData({ transactionId: 't', balance: '0', balanceStated });
  const event = recordedEvent('bankTransaction', 't', { type: 'TransactionRecorded', data });
  const [document] = foldOne(transactions, [event]).values();
  if (document === undefined) throw new Error('nothing was folded');
  return document;
}

const account: ProviderAccount = {
  providerAccountId: 'A/EUR',
  currency: 'EUR',
  balance: null,
  availableBalance: null,
  blockedBalance: null,
  customerNo: null,
  accountNo: 'A',
  iban: null,
  accountType: null,
  accountName: null,
  branchId: null,
  branchName: null,
  openingDate: null,
  lastTransactionDate: null,
};

describe('a balance that the bank does not state', () => {
  it('is null in the read model, and 0 only where the bank says 0', () => {
    expect([documentOf(false).balance, documentOf(true).balance]).toEqual([null, '0']);
  });

  it('matches no rule that asks for a balance', () => {
    const rule = { combinator: 'all', children: [{ field: 'balance', operator: 'at_most', value: 10 }] } as const;
    const outcome = (stated: boolean) =>
      explainConditions({ ...rule, children: [...rule.children] }, documentOf(stated)).map(({ held }) => held);
    expect([outcome(false), outcome(true)]).toEqual([[false], [true]]);
  });

  it('of an account is read as null from the event that holds it', () => {
    expect(toProviderAccount(toSubAccount('tenant', 'statement-files', account)).balance).toBeNull();
    const known = { ...account, balance: '0' };
    expect(toProviderAccount(toSubAccount('tenant', 'statement-files', known))).toEqual(known);
  });
});
