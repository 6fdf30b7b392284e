import { describe, expect, it } from 'vitest';
import type { EventData } from '../../src/events/registry.ts';
import { arrivals } from '../../src/projections/analytics/arrivals.ts';
import { automationSums } from '../../src/projections/analytics/automation.ts';
import { counterparties } from '../../src/projections/analytics/counterparties.ts';
import { flows } from '../../src/projections/analytics/flows.ts';
import { references } from '../../src/projections/analytics/references.ts';
import { ruleMatches } from '../../src/projections/analytics/rule-matches.ts';
import { subAccounts } from '../../src/projections/analytics/sub-accounts.ts';
import { syncSums } from '../../src/projections/analytics/syncs.ts';
import { referenceLabels } from '../../src/projections/reference-labels.ts';
import { transactionDays } from '../../src/projections/transaction-days.ts';
import { AT, HASH, ingestedPage, REFERENCE, recorded, requestedSync } from '../support/facts.ts';
import { given } from '../support/projection-specification.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

type Fact = { readonly type: string; readonly data: unknown };
const transaction = (fact: Fact, id = 'figures') => recordedEvent('bankTransaction', id, fact);
const sync = (fact: Fact) => recordedEvent('syncRun', 'figures', fact);

const OF_ACCOUNT = { accountId: 'connection', subAccountKey: 'account', bankCode: 'demo', currency: 'EUR' };
const row = {
  ...OF_ACCOUNT,
  ...{ transactionDate: AT, incoming: true, amount: '12.5', balance: '112.5', balanceStated: true },
};
const attached = (changes: Partial<EventData<'TransactionAssignmentAttached'>> = {}) => ({
  type: 'TransactionAssignmentAttached',
  data: {
    ...{ assignmentId: 'assignment', origin: 'rule', originId: 'rule', ruleId: 'rule', ruleVersion: 1 },
    ...{ ruleSnapshotHash: HASH, reference: REFERENCE, referenceKey: 'erp:invoice:1', tags: [], matchedAt: AT },
    ...{ runId: null, activeBefore: 0, sameReferenceBefore: 0, withdrawn: false, row, ...changes },
  },
});
const revoked = (changes: Partial<EventData<'TransactionAssignmentRevoked'>> = {}) => ({
  type: 'TransactionAssignmentRevoked',
  data: {
    ...{ assignmentId: 'assignment', revokedAt: AT, reason: 'wrong', by: 'person', runId: null, ruleId: 'rule' },
    ...{ ruleSnapshotHash: HASH, referenceKey: 'erp:invoice:1', activeBefore: 1, sameReferenceBefore: 1 },
    ...{ withdrawn: false, row, ...changes },
  },
});
const withdrawn = {
  type: 'TransactionWithdrawn',
  data: {
    ...{ syncId: 'sync', withdrawnAt: AT, row, fetchedAt: AT, referenceKeys: ['erp:invoice:1'] },
    counterparty: { nameSurname: 'Acme', iban: null, idNo: '' },
  },
};
/** 10:00 UTC is the 41st quarter hour of its day. */
const QUARTER = '40';
const DAY = '2026-01-05';

/** Inflow, outflow, of these assigned, of that incoming; then the numbers of rows in the same order. */
const INCOMING = '12.5,,,,1,1';
const INCOMING_ASSIGNED = '12.5,,12.5,12.5,1,1,1,1';
const monthsFirst = ({ day }: { readonly day?: string }): number => (day === undefined ? 0 : 1);
/** A day with figures in that quarter hour only. */
const inQuarter = (figures: string) => ({ [DAY]: `${figures};${QUARTER}:${figures}` });

describe('flows', () => {
  it('a row counts in the quarter hour of its time, and in the assigned figures while a reference is attached', () => {
    const assigned = given(flows.projection, [transaction(recorded()), transaction(attached())]);
    assigned.thenDocuments(
      [
        { ...OF_ACCOUNT, month: '2026-01', total: INCOMING_ASSIGNED, days: { [DAY]: INCOMING_ASSIGNED } },
        { ...OF_ACCOUNT, day: DAY, total: '', days: { [DAY]: `;${QUARTER}:${INCOMING_ASSIGNED}` } },
      ],
      monthsFirst,
    );
    assigned.when([transaction(revoked())]).thenDocuments(
      [
        { month: '2026-01', total: INCOMING, days: { [DAY]: INCOMING } },
        { day: DAY, total: '', days: { [DAY]: `;${QUARTER}:${INCOMING}` } },
      ],
      monthsFirst,
    );
  });

  it('a withdrawn row counts in none of the figures', () => {
    const documents = foldOne(flows.projection, [
      transaction(recorded()),
      transaction(attached()),
      transaction(withdrawn),
    ]);
    expect(Array.from(documents.values(), ({ total, days }) => ({ total, days }))).toEqual([
      { total: '', days: {} },
      { total: '', days: {} },
    ]);
  });
});

describe('references', () => {
  it('a row counts once for a reference, however often it is attached', () => {
    const again = attached({ assignmentId: 'other', activeBefore: 1, sameReferenceBefore: 1 });
    given(references.projection, [transaction(attached()), transaction(again)])
      .then({ ...OF_ACCOUNT, referenceKey: 'erp:invoice:1' })
      .thenOf(({ days }) => days, inQuarter('12.5,,1'))
      .when([transaction(revoked({ activeBefore: 2, sameReferenceBefore: 2 }))])
      .thenOf(({ days }) => days, inQuarter('12.5,,1'))
      .when([transaction(revoked())])
      .thenOf(({ days }) => days, {});
  });
});

describe('counterparties', () => {
  it('counterparties that differ in spaces only are the same one', () => {
    const first = recorded({ nameSurname: 'Acme  Ltd ', iban: 'DE89 3704 0044 0532 0130 00' });
    const second = recorded({ nameSurname: 'Acme Ltd', iban: 'de89370400440532013000', amount: '1' });
    given(counterparties.projection, [transaction(first), transaction(second, 'second')])
      .then({ counterparty: 'Acme Ltd', iban: 'DE89370400440532013000', idNo: '' })
      .thenOf(({ days }) => days, inQuarter('13.5,,2'));
  });
});

describe('arrivals', () => {
  it('a row that arrives on a later day counts under the quarter hours of both', () => {
    given(arrivals.projection, [transaction(recorded({ fetchedAt: '2026-01-09T11:20:00.000Z' }))])
      .then({ ...OF_ACCOUNT, transactionDay: DAY })
      .thenOf(({ days }) => days, { '2026-01-09': `12.5,,1;45/${QUARTER}:12.5,,1` });
  });

  it('a row that arrives at its own time is not late', () => {
    given(arrivals.projection, [transaction(recorded())]).thenDocuments([], () => 0);
  });
});

describe('matches of rules', () => {
  it('a rule counts its assignments when they are attached and when they are revoked', () => {
    const [first, second] = [attached(), revoked({ revokedAt: '2026-01-06T00:00:00.000Z' })];
    given(ruleMatches.projection, [transaction(first), transaction(second)])
      .then({ ruleId: 'rule', month: '2026-01' })
      .thenOf(({ days }) => days, { [DAY]: `1;${QUARTER}:1`, '2026-01-06': ',1;00:,1' });
  });

  it('an assignment that a person attached is no match of a rule', () => {
    const byHand = attached({ origin: 'manual', ruleId: null, ruleVersion: null, ruleSnapshotHash: null });
    given(ruleMatches.projection, [transaction(byHand)]).thenDocuments([], () => 0);
  });
});

describe('what syncs did', () => {
  it('a connection counts its syncs, the rows of their pages and their errors', () => {
    const failed = { type: 'SyncAttemptFailed', data: { accountId: 'connection', failedAt: AT } };
    given(syncSums.projection, [sync(requestedSync()), sync(ingestedPage()), sync(failed)])
      .then({ accountId: 'connection' })
      .thenOf(({ days }) => days, inQuarter('1,3,2,1,1'));
  });
});

/** The figures are pending, completed, retry, dead and legacy. */
describe('the state of automation', () => {
  const failed = (attempt: number) => ({ type: 'TransactionAutomationFailed', data: { attempt } });
  const counts = (events: readonly Fact[]) =>
    given(
      automationSums.projection,
      events.map((fact) => transaction(fact)),
    );

  it('a transaction counts under the status that its last event gave it', () => {
    counts([recorded()])
      .thenOf(({ total }) => total, '1')
      .when([transaction(failed(1))])
      .thenOf(({ total }) => total, ',,1')
      .when([transaction({ type: 'TransactionAutomationDied', data: { attempt: 2 } })])
      .thenOf(({ total }) => total, ',,,1')
      .when([transaction({ type: 'TransactionAutomationRetried', data: { from: 'dead' } })])
      .thenOf(({ total }) => total, '1')
      .when([transaction({ type: 'TransactionAutomationEvaluated', data: { attempt: 1 } })])
      .thenOf(({ total }) => total, ',1');
  });

  it('a second failed attempt moves nothing', () => {
    counts([recorded(), failed(1), failed(2)]).thenOf(({ total }) => total, ',,1');
  });
});

describe('physical accounts', () => {
  it('an account counts its rows under the connection that delivered them', () => {
    given(subAccounts.projection, [transaction(recorded()), transaction(recorded(), 'second')])
      .then({ ...OF_ACCOUNT, month: '' })
      .thenOf(({ total, days }) => ({ total, days }), { total: '2', days: {} });
  });
});

describe('days with transactions', () => {
  it('a day has the position of the first row that was recorded for it', () => {
    const [first, second] = [transaction(recorded()), transaction(recorded(), 'second')];
    given(transactionDays, [first, second]).then({ companyId: 'company', day: DAY, firstPosition: first.position });
  });
});

describe('labels of references', () => {
  it('a reference has its labels, oldest first, each from the position on which it applies', () => {
    const named = (label: string | null) => transaction(attached({ reference: { ...REFERENCE, label } }));
    const [without, first, again, second] = [named(null), named('Invoice'), named('Invoice'), named('Invoice 1')];
    given(referenceLabels, [without])
      .thenOf(({ labels }) => labels, [])
      .when([first, again, second])
      .then({ referenceKey: 'erp:invoice:1' })
      .thenOf(
        ({ labels }) => labels,
        [
          { label: 'Invoice', fromPosition: first.position },
          { label: 'Invoice 1', fromPosition: second.position },
        ],
      );
  });
});
