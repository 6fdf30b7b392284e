import type { BankTransactionFact, EventData, SyncRunFact, TransactionRuleFact } from '../../src/events/registry.ts';

export const HASH = 'a'.repeat(64);
export const OTHER_HASH = 'b'.repeat(64);
export const AT = '2026-01-05T10:00:00.000Z';
export const REFERENCE = { source: 'erp', entityType: 'invoice', externalId: '1', label: null };

export function recordedData(
  changes: Partial<EventData<'TransactionRecorded'>> = {},
): EventData<'TransactionRecorded'> {
  return {
    transactionId: 'transaction',
    accountId: 'connection',
    subAccountKey: 'account',
    syncId: 'sync',
    syncPage: 1,
    bankCode: 'demo',
    providerStamp: 'P-1',
    stampOrigin: 'provider',
    contentHash: HASH,
    transactionDate: AT,
    fetchedAt: AT,
    code: 'FAST',
    idNo: '',
    findAI: false,
    nameSurname: 'Acme',
    iban: 'DE89 3704 0044 0532 0130 00',
    incoming: true,
    amount: '12.5',
    balance: '112.5',
    balanceStated: true,
    description: 'Invoice 4711',
    currency: 'EUR',
    automation: 'pending',
    ...changes,
  };
}

export function recorded(changes: Partial<EventData<'TransactionRecorded'>> = {}): BankTransactionFact {
  return { type: 'TransactionRecorded', data: recordedData(changes) };
}

export function requestedSync(changes: Partial<EventData<'SyncRequested'>> = {}): SyncRunFact {
  return {
    type: 'SyncRequested',
    data: {
      syncId: 'sync',
      accountId: 'connection',
      bankCode: 'demo',
      environment: 'demo',
      ordinal: 1,
      trigger: 'manual',
      requestedAt: AT,
      from: null,
      to: null,
      ...changes,
    },
  };
}

export function plannedSync(windows: number): SyncRunFact {
  const window = { subAccountKey: 'account', fromDay: '2026-01-01', toDay: '2026-01-31' };
  return {
    type: 'SyncPlanned',
    data: {
      accountId: 'connection',
      plannedAt: AT,
      requests: 1,
      windows: Array(windows).fill(window),
      coverage: [{ ...window, toNow: true }],
      automation: 'pending',
      faults: [],
    },
  };
}

export function ingestedPage(changes: Partial<EventData<'SyncPageIngested'>> = {}): SyncRunFact {
  return {
    type: 'SyncPageIngested',
    data: {
      accountId: 'connection',
      page: 1,
      window: 0,
      bankCode: 'demo',
      subAccountKey: 'account',
      cursor: null,
      nextCursor: null,
      requests: 1,
      fetched: 3,
      inserted: 2,
      duplicates: 1,
      conflicts: 0,
      withdrawn: 0,
      contentStamped: 0,
      statedBalances: [],
      faults: [],
      ingestedAt: AT,
      ...changes,
    },
  };
}

export function createdRuleData(changes: Partial<EventData<'RuleCreated'>> = {}): EventData<'RuleCreated'> {
  return {
    ruleId: 'rule',
    status: 'active',
    createdAt: AT,
    version: 1,
    name: 'Rule',
    description: null,
    conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
    actions: [{ id: 'action', type: 'attach_reference', reference: REFERENCE }],
    tags: ['a'],
    effectiveFrom: AT,
    snapshotHash: HASH,
    ...changes,
  };
}

export function createdRule(changes: Partial<EventData<'RuleCreated'>> = {}): TransactionRuleFact {
  return { type: 'RuleCreated', data: createdRuleData(changes) };
}
