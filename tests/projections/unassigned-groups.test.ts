import { describe, expect, it } from 'vitest';
import { cut, likenessOf } from '../../src/projections/likeness.ts';
import { unassignedGroups } from '../../src/projections/unassigned-groups.ts';
import { AT, HASH, REFERENCE, recorded } from '../support/facts.ts';
import { given } from '../support/projection-specification.ts';
import { recordedEvent } from '../support/recorded-events.ts';

type Fact = { readonly type: string; readonly data: unknown };
const transaction = (fact: Fact, id = 'one') => recordedEvent('bankTransaction', id, fact);
const texts = { nameSurname: 'Otto  GmbH', iban: null, idNo: '', description: 'Invoice 2231' };
const figures = {
  ...{ accountId: 'connection', subAccountKey: 'account', bankCode: 'demo', currency: 'EUR', transactionDate: AT },
  ...{ incoming: true, amount: '12.5', balance: '112.5', balanceStated: true },
};
const row = { ...figures, texts };
const ofCounterparty = (document: { by: string }): number => (document.by === 'counterparty' ? 0 : 1);

const attached = (more: object = {}) => ({
  type: 'TransactionAssignmentAttached',
  data: {
    ...{ assignmentId: 'a', origin: 'rule', originId: 'rule', ruleId: 'rule', ruleVersion: 1, ruleSnapshotHash: HASH },
    ...{ reference: REFERENCE, referenceKey: 'erp:invoice:1', tags: [], matchedAt: AT, runId: null },
    ...{ activeBefore: 0, sameReferenceBefore: 0, withdrawn: false, row, ...more },
  },
});
const revoked = (more: object = {}) => ({
  type: 'TransactionAssignmentRevoked',
  data: {
    ...{ assignmentId: 'a', revokedAt: AT, reason: null, by: 'person', runId: null, ruleId: 'rule' },
    ...{ ruleSnapshotHash: HASH, referenceKey: 'erp:invoice:1', activeBefore: 1, sameReferenceBefore: 1 },
    ...{ withdrawn: false, row, ...more },
  },
});
const gone = (type: 'TransactionWithdrawn' | 'TransactionRelisted', referenceKeys: string[] = []) => ({
  type,
  data: {
    ...{ syncId: 'sync', [type === 'TransactionWithdrawn' ? 'withdrawnAt' : 'relistedAt']: AT, row, fetchedAt: AT },
    ...{ referenceKeys, counterparty: { nameSurname: 'Otto  GmbH', iban: null, idNo: '' } },
  },
});
const first = transaction(recorded(texts));
const second = transaction(recorded({ ...texts, description: 'INVOICE 2305', incoming: false, amount: '2' }), 'two');

describe('groups of transactions without assignment', () => {
  it('count and sum the rows of a counterparty, and those with like descriptions', () => {
    const sums = { EUR: { inflow: '12.5', outflow: '2', count: 2 } };
    const both = { count: 2, sums, sampleIds: ['two', 'one'] };
    given(unassignedGroups, [first, second]).thenDocuments(
      [
        { by: 'counterparty', name: 'Otto GmbH', iban: '', idNo: '', ...both },
        { by: 'description', name: 'invoice', iban: null, idNo: null, ...both },
      ],
      ofCounterparty,
    );
  });

  it('lose a row with its first assignment, and gain it with the last revocation', () => {
    const again = attached({ activeBefore: 1 });
    given(unassignedGroups, [first, second, transaction(attached()), transaction(again)])
      .when([transaction(revoked({ activeBefore: 2 }))])
      .thenDocuments([{ count: 1, sampleIds: ['two'] }, { count: 1 }], ofCounterparty);
    given(unassignedGroups, [first, second, transaction(attached()), transaction(revoked())]).thenDocuments(
      [
        { count: 2, sums: { EUR: { inflow: '12.5', outflow: '2', count: 2 } }, sampleIds: ['one', 'two'] },
        { count: 2 },
      ],
      ofCounterparty,
    );
  });

  it('lose a row that the bank withdraws, once, and gain it when it is listed again', () => {
    const empty = [{ count: 0, sums: {}, sampleIds: [] }, { count: 0 }];
    given(unassignedGroups, [first, transaction(gone('TransactionWithdrawn'))]).thenDocuments(empty, ofCounterparty);
    given(unassignedGroups, [first, transaction(attached()), transaction(gone('TransactionWithdrawn', ['x']))])
      .when([transaction(revoked({ withdrawn: true })), transaction(gone('TransactionRelisted', ['x']))])
      .thenDocuments(empty, ofCounterparty);
    given(unassignedGroups, [
      first,
      transaction(gone('TransactionWithdrawn')),
      transaction(gone('TransactionRelisted')),
    ]).thenDocuments([{ count: 1, sampleIds: ['one'] }, { count: 1 }], ofCounterparty);
  });

  it('are the same when events come twice', () => {
    const events = [first, second, transaction(attached())];
    given(unassignedGroups, events).thenUnchangedBy(events);
  });

  it('note a change by an event that does not say whose texts it is about', () => {
    const old = attached({ row: figures });
    given(unassignedGroups, [transaction(old)]).then({ by: 'unknown', count: 1, companyId: 'company' });
  });
});

describe('the likeness of descriptions', () => {
  it.each([
    ['Invoice 2231 Otto GmbH', 'invoice otto gmbh'],
    ['INVOICE 2305, OTTO GMBH 03.09.', 'invoice otto gmbh'],
    ['VERGİ TAHSİLATI 2026/09', 'vergi tahsilati'],
    ['  EREF+A1B2 one  two-three FOUR five six', 'one two three four'],
    ['2026-09-03 12:00', ''],
    [null, ''],
    ['𝔘𝔫𝔦 RE9', 'uni'],
  ])('of %s is %s', (description, words) => {
    expect(likenessOf(description).words).toBe(words);
    expect(likenessOf(description).key).toBe(likenessOf(words).key);
  });

  it('does not depend on what follows, and cuts no character in two', () => {
    expect(likenessOf(`one two three four ${'x '.repeat(100_000)}`).words).toBe('one two three four');
    expect(likenessOf('𐐷'.repeat(300)).words).toBe('𐐏'.repeat(40).toLowerCase());
    expect(cut('𐐷𐐷𐐷', 2)).toBe('𐐷𐐷');
    expect(cut('abc', 3)).toBe('abc');
  });
});
