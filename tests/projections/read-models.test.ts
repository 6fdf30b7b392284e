import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/events/event.ts';
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

function only<D>(documents: Map<string, D>): D {
  expect(documents.size).toBe(1);
  const [document] = documents.values();
  if (document === undefined) throw new Error('no document');
  return document;
}

describe('every read model', () => {
  const history = goldenHistory();

  it.each(projections.map((projection) => [projection.name, projection] as const))(
    '%s takes only events there are, keys them by tenant, and is not changed by what it has seen',
    (_, projection) => {
      const known = new Set(history.map((event) => event.type));
      expect(projection.takes.filter((type) => !known.has(type))).toEqual([]);
      const once = foldOne(projection, history);
      expect(once.size).toBeGreaterThan(0);
      const twice = foldOne(projection, history, once);
      expect(twice).toEqual(once);
      for (const [key, document] of once) {
        // The way from a moment to a position is the whole log's and holds nothing of any tenant.
        const owner = projection.name === 'log-moments' ? {} : { tenantId: TENANT };
        expect(document).toMatchObject({ _id: key, ...owner });
        expect(JSON.parse(JSON.stringify(document))).toEqual(document);
      }
    },
  );
});

describe('transactions', () => {
  it('hold the row, what is searched, and the automation to do', () => {
    const document = only(foldOne(transactions, [transaction(recorded())]));
    expect(document).toMatchObject({
      id: 'transaction',
      companyId: 'company',
      status: true,
      amountKey: '000000000000000012.50000',
      ibanKey: 'de89370400440532013000',
      automation: { status: 'pending', attempts: 0 },
      automationDueAt: AT,
      assigned: false,
    });
    expect(document.words).toEqual(expect.arrayContaining(['invoice', '4711', 'acme']));
  });

  it('are assigned while an assignment is active, and remember who revoked', () => {
    const start = recordedEvent('bankTransaction', 'other', recorded());
    const attachedTo = recordedEvent('bankTransaction', 'other', attached);
    const assigned = only(foldOne(transactions, [start, attachedTo]));
    expect(assigned).toMatchObject({
      assigned: true,
      referenceKeys: ['erp:invoice:1'],
      tags: ['a'],
      ruleIds: ['rule'],
    });
    const after = only(foldOne(transactions, [start, attachedTo, recordedEvent('bankTransaction', 'other', revoked)]));
    expect(after).toMatchObject({ assigned: false, referenceKeys: [], tags: [], revision: 2 });
    expect(after.assignments).toMatchObject([{ status: 'revoked', revokedReason: 'wrong', updatedBy: 'key' }]);
  });

  it('stay when the bank withdraws them, and count other content', () => {
    const events = [
      recordedEvent('bankTransaction', 'third', recorded({ automation: 'legacy' })),
      recordedEvent('bankTransaction', 'third', {
        type: 'TransactionWithdrawn',
        data: { syncId: 'sync', withdrawnAt: AT, row },
      }),
      recordedEvent('bankTransaction', 'third', {
        type: 'TransactionContentConflictSeen',
        data: { syncId: 's2', accountId: 'connection', seenAt: AT, contentHash: OTHER_HASH, differences: [] },
      }),
    ];
    expect(only(foldOne(transactions, events))).toMatchObject({
      status: false,
      conflicts: 1,
      amount: '12.5',
      automation: { status: 'legacy' },
      automationDueAt: null,
    });
  });
});

describe('assignments', () => {
  it('are the same records the transaction holds', () => {
    const events = [recorded(), attached, revoked].map((fact) => recordedEvent('bankTransaction', 'fourth', fact));
    const [held] = only(foldOne(transactions, events)).assignments;
    const { _id, _position, tenantId, ...alone } = only(foldOne(assignments, events));
    expect(alone).toEqual(held);
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

  it('show a result only of a sync that completed, and cover what it planned', () => {
    const events = [connection(opened), ...[requestedSync(), plannedSync(1), ingestedPage(), completed].map(sync)];
    const document = only(foldOne(connections, events));
    expect(document).toMatchObject({
      currentSyncId: null,
      lastResult: { fetched: 3, inserted: 2, duplicates: 1 },
      coverage: { account: '2026-01-31' },
      lastFailureKind: null,
    });
    const again = [
      ...events,
      ...[requestedSync({ ordinal: 2 }), plannedSync(1), ingestedPage(), failed].map(of('syncRun', 'two')),
    ];
    expect(only(foldOne(connections, again))).toMatchObject({
      lastResult: { fetched: 3, inserted: 2, duplicates: 1 },
      lastFailureKind: 'rate-limited',
      nextAllowedAt: '2026-01-05T11:00:00.000Z',
      coverage: { account: '2026-01-31' },
    });
  });

  it('are not covered by a sync that leaves a gap', () => {
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
    expect(only(foldOne(connections, events)).coverage).toEqual({ account: '2026-01-31' });
  });

  it('count each day’s use', () => {
    const facts = [requestedSync(), plannedSync(1), ingestedPage(), failed];
    const events = facts.map((fact) => recordedEvent('syncRun', 'use', fact, 'use'));
    expect(only(foldOne(connectionDays, events))).toMatchObject({
      day: '2026-01-05',
      syncs: 1,
      requests: 2,
      fetched: 3,
      errors: 1,
    });
    expect(only(foldOne(syncRuns, events))).toMatchObject({
      status: 'failed',
      open: false,
      counts: { fetched: 3, inserted: 2, duplicates: 1 },
      error: { code: 'PROVIDER_RATE_LIMITED' },
    });
  });
});

describe('a row that the bank withdraws and lists again', () => {
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
  ] as Projection<Document>[])('counts as if it had never been withdrawn: $name', (projection) => {
    const plain = (events: RecordedEvent[]) =>
      [...foldOne(projection, events).values()].map(({ _position, ...rest }) => rest);
    expect(plain(history)).toEqual(plain(history.slice(0, 2)));
    expect(plain(history.slice(0, 3))).not.toEqual(plain(history));
  });

  it('stands again', () => {
    expect(only(foldOne(transactions, history.slice(0, 3))).status).toBe(false);
    expect(only(foldOne(transactions, history))).toMatchObject({ status: true, revision: 3, assigned: true });
  });
});

describe('account days', () => {
  it('are as if a withdrawn row had never been', () => {
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
    const { _position: _, ...left } = only(foldOne(accountDays, events));
    const { _position: __, ...never } = only(foldOne(accountDays, events.slice(0, 1)));
    expect(left).toEqual(never);
  });
});

describe('API keys', () => {
  it('show the newest generation, the end of a grace and of the key, and never what they were before', () => {
    const [second, third] = ['02', '03'].map((day) => `2026-02-${day}T10:00:00.000Z`);
    const data = { apiKeyId: 'one', key: 'bck_1', name: 'Key', scopes: ['rules:read'], companies: null };
    const events = [
      { type: 'ApiKeyCreated', data: { ...data, expiresAt: null, createdAt: AT } },
      { type: 'ApiKeyRotated', data: { generation: 2, graceUntil: third, rotatedAt: second } },
      { type: 'ApiKeyRevoked', data: { reason: 'leaked', revokedAt: third } },
    ].map(of('apiKey', 'one'));
    expect(only(foldOne(apiKeys, events.slice(0, 1)))).toMatchObject({
      id: 'one',
      key: 'bck_1',
      generation: 1,
      previousUntil: null,
      revokedAt: null,
      createdBy: 'key',
      updatedAt: AT,
    });
    const once = foldOne(apiKeys, events);
    expect(only(once)).toMatchObject({
      generation: 2,
      previousUntil: third,
      revokedAt: third,
      revokedReason: 'leaked',
      updatedAt: third,
    });
    expect(foldOne(apiKeys, events, once)).toEqual(once);
  });
});

describe('users', () => {
  it('stand as their last change left them, and when that was', () => {
    const profile = { displayName: 'Ada', locale: 'tr-TR', timezone: 'Europe/Istanbul', defaultCompanyId: 'company' };
    const [second, third, fourth] = ['02', '03', '04'].map((day) => `2026-02-${day}T10:00:00.000Z`);
    const events = [
      { type: 'UserCreated', data: { userId: 'user', email: 'a@example.com', role: 'admin', createdAt: AT } },
      { type: 'UserProfileChanged', data: { ...profile, changedAt: second } },
      { type: 'UserDisabled', data: { disabledAt: second } },
      { type: 'UserEnabled', data: { enabledAt: third } },
      { type: 'UserRoleChanged', data: { role: 'auditor', changedAt: third } },
      { type: 'UserPasswordReplaced', data: { replacedAt: fourth } },
    ].map(of('user', 'user'));
    const once = foldOne(users, events);
    expect(only(once)).toMatchObject({
      id: 'user',
      email: 'a@example.com',
      role: 'auditor',
      status: 'active',
      ...profile,
      createdAt: AT,
      updatedAt: fourth,
    });
    expect(foldOne(users, events, once)).toEqual(once);
    expect(only(foldOne(users, events.slice(0, 3)))).toMatchObject({ status: 'disabled', updatedAt: second });
  });
});

describe('rules', () => {
  it('keep every version with the position it holds from', () => {
    const events = [
      createdRule(),
      { type: 'RulePaused', data: { version: 2, pausedAt: AT } },
      { type: 'RuleArchived', data: { version: 3, archivedAt: AT } },
    ].map(rule);
    expect(only(foldOne(rules, events))).toMatchObject({
      version: 3,
      status: 'paused',
      archived: true,
      referenceKey: 'erp:invoice:1',
    });
    const { versions, changedPosition } = only(foldOne(ruleVersions, events));
    expect(versions.map((one) => [one.version, one.fromPosition])).toEqual(
      events.map((event, index) => [index + 1, event.position]),
    );
    expect(changedPosition).toBe(events.at(-1)?.position);
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

  it('add up their pages, show up to 20 samples, and stay open until they end', () => {
    const started = { type: 'RunStarted', data: { startedAt: AT, candidateCount: 30 } };
    const facts = [requested, started, page(1), failed, page(2)];
    const open = only(foldOne(ruleRuns, facts.map(run)));
    expect(open).toMatchObject({ status: 'processing', open: true, candidateCount: 30, processedCount: 30 });
    expect(open).toMatchObject({ matchedCount: 24, attachedCount: 24, revokedCount: 2, cursorId: 'c2' });
    expect(open).toMatchObject({ attempts: 0, failureCount: 1, lastError: 'LOG_UNAVAILABLE: away' });
    expect(open.sampleTransactionIds).toHaveLength(20);
    expect(open.sampleTransactionIds[0]).toBe('t-1-1');
    const completed = { type: 'RunCompleted', data: { completedAt: AT } };
    const ended = only(foldOne(ruleRuns, [...facts, completed].map(run)));
    expect(ended).toMatchObject({ status: 'completed', open: false, completedAt: AT });
  });

  it('list their matches in the order in which the run came to them', () => {
    const matches = [...foldOne(runMatches, [requested, page(1), page(2)].map(run)).values()];
    expect(matches).toHaveLength(26);
    const inOrder = matches.toSorted((a, b) => a.ordinal - b.ordinal).map((one) => one.transactionId);
    expect(inOrder.slice(0, 2)).toEqual(['t-1-0', 't-1-1']);
    expect(inOrder.at(-1)).toBe('t-2-12');
    expect(matches[0]).toMatchObject({ runId: 'run', outcome: 'suppressed', attachedIds: [] });
  });
});
