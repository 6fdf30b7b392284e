import { describe, expect, it } from 'vitest';
import type { Category } from '../../src/log/streams.ts';
import { accountDays } from '../../src/projections/account-days.ts';
import { projections } from '../../src/projections/all.ts';
import { arrivals } from '../../src/projections/analytics/arrivals.ts';
import { counterparties } from '../../src/projections/analytics/counterparties.ts';
import { flows } from '../../src/projections/analytics/flows.ts';
import { references } from '../../src/projections/analytics/references.ts';
import { apiKeys } from '../../src/projections/api-keys.ts';
import { assignments } from '../../src/projections/assignments.ts';
import { connectionDays } from '../../src/projections/connection-days.ts';
import { connections } from '../../src/projections/connections.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { ruleRuns } from '../../src/projections/rule-runs.ts';
import { rules, ruleVersions } from '../../src/projections/rules.ts';
import { runMatches } from '../../src/projections/run-matches.ts';
import { syncRuns } from '../../src/projections/sync-runs.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { users } from '../../src/projections/users.ts';
import type { Document } from '../../src/readstore/read-store.ts';
import {
  AT,
  createdRule,
  HASH,
  ingestedPage,
  OTHER_HASH,
  plannedSync,
  REFERENCE,
  recorded,
  requestedSync,
} from '../support/facts.ts';
import { goldenHistory } from '../support/golden-history.ts';
import { given } from '../support/projection-specification.ts';
import { foldOne, recordedEvent, TENANT } from '../support/recorded-events.ts';

const row = {
  accountId: 'connection',
  subAccountKey: 'account',
  bankCode: 'demo',
  transactionDate: AT,
  currency: 'EUR',
  incoming: true,
  amount: '12.5',
  balance: '112.5',
  balanceStated: true,
};

const attached = {
  type: 'TransactionAssignmentAttached',
  data: {
    assignmentId: 'assignment',
    origin: 'rule',
    originId: 'rule',
    ruleId: 'rule',
    ruleVersion: 1,
    ruleSnapshotHash: HASH,
    reference: REFERENCE,
    referenceKey: 'erp:invoice:1',
    tags: ['a'],
    matchedAt: AT,
    runId: null,
    activeBefore: 0,
    row,
  },
};
const revoked = {
  type: 'TransactionAssignmentRevoked',
  data: {
    assignmentId: 'assignment',
    revokedAt: '2026-01-06T10:00:00.000Z',
    reason: 'wrong',
    by: 'person',
    runId: null,
    ruleId: 'rule',
    ruleSnapshotHash: HASH,
    referenceKey: 'erp:invoice:1',
    activeBefore: 1,
    row,
  },
};

const of = (category: Category, id: string) => (fact: { type: string; data: unknown }) =>
  recordedEvent(category, id, fact);
const transaction = of('bankTransaction', 'transaction');
const connection = of('bankConnection', 'connection');
const sync = of('syncRun', 'sync');
const rule = of('transactionRule', 'rule');

describe('every read model', () => {
  const history = goldenHistory();

  const each = projections.map((projection) => [projection.name, projection] as const);

  it.each(each)('%s takes only known types of events', (_, projection) => {
    const known = new Set(history.map((event) => event.type));
    expect(projection.takes.filter((type) => !known.has(type))).toEqual([]);
  });

  it.each(each)('%s is not changed by events that it has seen', (_, projection) => {
    // The sample of an archived rule comes before that of the version it continues, which no history does.
    const possible = history.filter(({ type }) => type !== 'RuleArchived');
    given(projection, possible).thenUnchangedBy(possible);
  });

  it.each(each)('%s has documents of plain JSON, each with its key and tenant', (_, projection) => {
    const documents = foldOne(projection, history);
    expect(documents.size).toBeGreaterThan(0);
    for (const [key, document] of documents) {
      // The way from a moment to a position is the whole log's and holds nothing of any tenant.
      const owner = projection.name === 'log-moments' ? {} : { tenantId: TENANT };
      expect(document).toMatchObject({ _id: key, ...owner });
      expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    }
  });
});

describe('transactions', () => {
  it('a recorded transaction has its row, what is searched and the automation that is due', () => {
    given(transactions, [transaction(recorded())]).then({
      id: 'transaction',
      companyId: 'company',
      status: true,
      amountKey: '000000000000000012.50000',
      ibanKey: 'de89370400440532013000',
      automation: { status: 'pending', attempts: 0 },
      automationDueAt: AT,
      assigned: false,
      words: expect.arrayContaining(['invoice', '4711', 'acme']),
    });
  });

  it('a transaction is assigned while an assignment is active, and names who revoked it', () => {
    const other = of('bankTransaction', 'other');
    given(transactions, [other(recorded()), other(attached)])
      .then({ assigned: true, referenceKeys: ['erp:invoice:1'], tags: ['a'], ruleIds: ['rule'] })
      .when([other(revoked)])
      .then({
        assigned: false,
        referenceKeys: [],
        tags: [],
        revision: 2,
        assignments: [{ status: 'revoked', revokedReason: 'wrong', updatedBy: 'key' }],
      });
  });

  it('a transaction that is withdrawn stays, and counts conflicts of content', () => {
    const third = of('bankTransaction', 'third');
    given(transactions, [third(recorded({ automation: 'legacy' }))])
      .when([
        third({ type: 'TransactionWithdrawn', data: { syncId: 'sync', withdrawnAt: AT, row } }),
        third({
          type: 'TransactionContentConflictSeen',
          data: { syncId: 's2', accountId: 'connection', seenAt: AT, contentHash: OTHER_HASH, differences: [] },
        }),
      ])
      .then({
        status: false,
        conflicts: 1,
        amount: '12.5',
        automation: { status: 'legacy' },
        automationDueAt: null,
      });
  });
});

describe('assignments', () => {
  it('an assignment is the record that its transaction has', () => {
    const events = [recorded(), attached, revoked].map(of('bankTransaction', 'fourth'));
    const [transactionAfter] = foldOne(transactions, events).values();
    expect(transactionAfter?.assignments).toHaveLength(1);
    given(assignments, events).thenOf<object | undefined>(
      ({ _id, _position, tenantId, recordedPosition, ...record }) => record,
      transactionAfter?.assignments[0],
    );
  });
});

describe('connections', () => {
  const opened = {
    type: 'ConnectionOpened',
    data: { accountId: 'connection', bankCode: 'demo', environment: 'demo', title: 'Main', openedAt: AT },
  };
  const completed = {
    type: 'SyncCompleted',
    data: { accountId: 'connection', completedAt: AT, durationMs: 5, requests: 2, balances: [] },
  };
  const failed = {
    type: 'SyncFailed',
    data: {
      accountId: 'connection',
      failedAt: AT,
      durationMs: 5,
      requests: 2,
      kind: 'rate-limited',
      nextAllowedAt: '2026-01-05T11:00:00.000Z',
      source: null,
      place: null,
      code: 'PROVIDER_RATE_LIMITED',
      message: 'wait',
    },
  };

  it('a connection has the result of its last completed sync, and covers what that planned', () => {
    const openedFirst = connection(opened);
    const firstSync = [requestedSync(), plannedSync(1), ingestedPage(), completed].map(sync);
    const secondSync = [requestedSync({ ordinal: 2 }), plannedSync(1), ingestedPage(), failed].map(
      of('syncRun', 'two'),
    );
    given(connections, [openedFirst, ...firstSync])
      .then({
        currentSyncId: null,
        lastResult: { fetched: 3, inserted: 2, duplicates: 1 },
        coverage: { account: '2026-01-31' },
        lastFailureKind: null,
      })
      .when(secondSync)
      .then({
        lastResult: { fetched: 3, inserted: 2, duplicates: 1 },
        lastFailureKind: 'rate-limited',
        nextAllowedAt: '2026-01-05T11:00:00.000Z',
        coverage: { account: '2026-01-31' },
      });
  });

  it('a sync that leaves a gap does not extend what a connection covers', () => {
    const gap: typeof plannedSync = (windows) => {
      const fact = plannedSync(windows);
      const span = { subAccountKey: 'account', fromDay: '2026-03-01', toDay: '2026-03-05', toNow: false };
      return { ...fact, data: { ...fact.data, coverage: [span] } } as typeof fact;
    };
    const events = [
      recordedEvent('bankConnection', 'connection', opened, 'gap'),
      ...[requestedSync(), plannedSync(1), completed].map((fact) => recordedEvent('syncRun', 'g1', fact, 'gap')),
      ...[requestedSync({ ordinal: 2 }), gap(1), completed].map((fact) => recordedEvent('syncRun', 'g2', fact, 'gap')),
    ];
    given(connections, events).thenOf(({ coverage }) => coverage, { account: '2026-01-31' });
  });

  const failedSync = () =>
    [requestedSync(), plannedSync(1), ingestedPage(), failed].map((fact) =>
      recordedEvent('syncRun', 'use', fact, 'use'),
    );

  it('a day of a connection counts its syncs, requests, rows and errors', () => {
    given(connectionDays, failedSync()).then({ day: '2026-01-05', syncs: 1, requests: 2, fetched: 3, errors: 1 });
  });

  it('a sync that failed has its counts and its error', () => {
    given(syncRuns, failedSync()).then({
      status: 'failed',
      open: false,
      counts: { fetched: 3, inserted: 2, duplicates: 1 },
      error: { code: 'PROVIDER_RATE_LIMITED' },
    });
  });
});

describe('a transaction that is relisted', () => {
  const change = (type: string) => ({
    type,
    data: {
      syncId: 's',
      [type === 'TransactionRelisted' ? 'relistedAt' : 'withdrawnAt']: AT,
      row,
      fetchedAt: '2026-01-09T10:00:00.000Z',
      counterparty: { nameSurname: 'Acme', iban: null, idNo: '' },
      referenceKeys: ['erp:invoice:1'],
    },
  });
  const history = [
    recorded({ fetchedAt: '2026-01-09T10:00:00.000Z', nameSurname: 'Acme', iban: null }),
    { ...attached, data: { ...attached.data, sameReferenceBefore: 0, withdrawn: false } },
    change('TransactionWithdrawn'),
    change('TransactionRelisted'),
  ].map((fact) => recordedEvent('bankTransaction', 'relisted', fact, 'relisting'));

  it.each([
    accountDays,
    flows.projection,
    references.projection,
    counterparties.projection,
    arrivals.projection,
  ] as Projection<Document>[])(
    'a relisted transaction counts in $name as if it had never been withdrawn',
    (projection) => {
      const attachedOnly = history.slice(0, 2);
      given(projection, history).thenAsAfter(attachedOnly);
      given(projection, history.slice(0, 3)).thenUnlikeAfter(history);
    },
  );

  it('a relisted transaction is valid again', () => {
    given(transactions, history.slice(0, 3))
      .then({ status: false })
      .when(history.slice(3))
      .then({ status: true, revision: 3, assigned: true });
  });
});

describe('account days', () => {
  it('an account day is as if a withdrawn row had never been recorded', () => {
    const events = [
      recordedEvent('bankTransaction', 'w1', recorded({ transactionId: 'w1' }), 'days'),
      recordedEvent('bankTransaction', 'w2', recorded({ transactionId: 'w2', amount: '1', balance: '113.5' }), 'days'),
      recordedEvent(
        'bankTransaction',
        'w2',
        {
          type: 'TransactionWithdrawn',
          data: { syncId: 's', withdrawnAt: AT, row: { ...row, amount: '1', balance: '113.5' } },
        },
        'days',
      ),
    ];
    given(accountDays, events).then({}).thenAsAfter(events.slice(0, 1));
  });
});

describe('API keys', () => {
  it('a key has its newest generation, the end of the grace and its revocation', () => {
    const [second, third] = ['2026-02-02T10:00:00.000Z', '2026-02-03T10:00:00.000Z'] as const;
    const data = { apiKeyId: 'one', key: 'bck_1', name: 'Key', scopes: ['rules:read'], companies: null };
    const events = [
      { type: 'ApiKeyCreated', data: { ...data, expiresAt: null, createdAt: AT } },
      { type: 'ApiKeyRotated', data: { generation: 2, graceUntil: third, rotatedAt: second } },
      { type: 'ApiKeyRevoked', data: { reason: 'leaked', revokedAt: third } },
    ].map(of('apiKey', 'one'));
    given(apiKeys, events.slice(0, 1))
      .then({
        id: 'one',
        key: 'bck_1',
        generation: 1,
        previousUntil: null,
        revokedAt: null,
        createdBy: 'key',
        updatedAt: AT,
      })
      .when(events.slice(1))
      .then({
        generation: 2,
        previousUntil: third,
        revokedAt: third,
        revokedReason: 'leaked',
        updatedAt: third,
      })
      .thenUnchangedBy(events);
  });
});

describe('users', () => {
  it('a user is as the last change left it, with the time of that change', () => {
    const profile = { displayName: 'Ada', locale: 'tr-TR', timezone: 'Europe/Istanbul', defaultCompanyId: 'company' };
    const [second, third] = ['2026-02-02T10:00:00.000Z', '2026-02-03T10:00:00.000Z'] as const;
    const fourth = '2026-02-04T10:00:00.000Z';
    const events = [
      { type: 'UserCreated', data: { userId: 'user', email: 'a@example.com', role: 'admin', createdAt: AT } },
      { type: 'UserProfileChanged', data: { ...profile, changedAt: second } },
      { type: 'UserDisabled', data: { disabledAt: second } },
      { type: 'UserEnabled', data: { enabledAt: third } },
      { type: 'UserRoleChanged', data: { role: 'auditor', changedAt: third } },
      { type: 'UserPasswordReplaced', data: { replacedAt: fourth } },
    ].map(of('user', 'user'));
    given(users, events.slice(0, 3))
      .then({ status: 'disabled', updatedAt: second })
      .when(events.slice(3))
      .then({
        id: 'user',
        email: 'a@example.com',
        role: 'auditor',
        status: 'active',
        ...profile,
        createdAt: AT,
        updatedAt: fourth,
      })
      .thenUnchangedBy(events);
  });
});

describe('rules', () => {
  it('a rule keeps each of its versions with the position from which it holds', () => {
    const events = [
      createdRule(),
      { type: 'RulePaused', data: { version: 2, pausedAt: AT } },
      { type: 'RuleArchived', data: { version: 3, archivedAt: AT } },
    ].map(rule);
    given(rules, events).then({ version: 3, status: 'paused', archived: true, referenceKey: 'erp:invoice:1' });
    const holds = (index: number) => ({ referenceKey: 'erp:invoice:1', fromPosition: events[index]?.position ?? '' });
    given(ruleVersions, events).thenDocuments(
      [
        { _id: 'tenant/rule/0000000001', version: 1, status: 'active', archivedAt: null, ...holds(0) },
        { _id: 'tenant/rule/0000000002', version: 2, status: 'paused', archivedAt: null, ...holds(1) },
        { _id: 'tenant/rule/0000000003', version: 3, status: 'paused', archivedAt: AT, ...holds(2) },
      ],
      ({ version }) => version,
    );
  });
});

describe('rule runs', () => {
  const requested = {
    type: 'RunRequested',
    data: {
      runId: 'run',
      type: 'backfill',
      ruleId: 'rule',
      ruleVersion: 2,
      ruleSnapshotHash: HASH,
      conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
      actions: [{ id: 'action', type: 'attach_reference', reference: REFERENCE }],
      tags: [],
      scope: { from: null, to: null, accountIds: null, bankCodes: ['demo'] },
      scopeHash: HASH,
      snapshotMaxId: '0042',
      ordinal: 1,
      previewRunId: 'preview',
      revertsRunId: null,
      requestedAt: AT,
    },
  };
  const page = (nth: number) => ({
    type: 'RunPageDone',
    data: {
      page: nth,
      cursorId: `c${nth}`,
      candidates: 15,
      matched: 12,
      attached: 12,
      revoked: 1,
      results: Array.from({ length: 13 }, (_, index) => ({
        transactionId: `t-${nth}-${index}`,
        outcome: index === 0 ? 'suppressed' : 'attached',
        attachedIds: index === 0 ? [] : [`a-${nth}-${index}`],
        revokedIds: [],
      })),
      doneAt: AT,
    },
  });
  const failed = {
    type: 'RunAttemptFailed',
    data: { attempt: 1, failedAt: AT, nextAttemptAt: AT, code: 'LOG_UNAVAILABLE', message: 'away' },
  };
  const run = of('ruleRun', 'run');

  const started = { type: 'RunStarted', data: { startedAt: AT, candidateCount: 30 } };
  const completed = { type: 'RunCompleted', data: { completedAt: AT } };

  it('a run adds up its pages and is open until it ends', () => {
    given(ruleRuns, [requested, started, page(1), failed, page(2)].map(run))
      .then({
        ...{ status: 'processing', open: true, candidateCount: 30, processedCount: 30 },
        ...{ matchedCount: 24, attachedCount: 24, revokedCount: 2, cursorId: 'c2' },
        ...{ attempts: 0, failureCount: 1, lastError: 'LOG_UNAVAILABLE: away' },
      })
      .when([run(completed)])
      .then({ status: 'completed', open: false, completedAt: AT });
  });

  it('a run shows up to 20 of the transactions it changed', () => {
    given(ruleRuns, [requested, started, page(1), failed, page(2)].map(run))
      .thenOf(({ sampleTransactionIds }) => sampleTransactionIds.length, 20)
      .thenOf(({ sampleTransactionIds }) => sampleTransactionIds[0], 't-1-1');
  });

  it('the matches of a run are in the order in which the run processed them', () => {
    const matchesOf = (nth: number) =>
      Array.from({ length: 13 }, (_, index) => ({ runId: 'run', transactionId: `t-${nth}-${index}` }));
    const [first, ...others] = [...matchesOf(1), ...matchesOf(2)];
    given(runMatches, [requested, page(1), page(2)].map(run)).thenDocuments(
      [{ ...first, outcome: 'suppressed', attachedIds: [] }, ...others],
      (one) => one.ordinal,
    );
  });
});
