import type { SubAccount } from '../events/bank-connection.ts';
import type { EventType, KnownEvent } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import { documentId } from '../shared/ids.ts';
import { type LogPlace, type PlacedDocument, placed } from './log-place.ts';
import type { Projection } from './projection.ts';

type FailureKind = 'transient' | 'rate-limited' | 'credentials-rejected' | 'permanent';

export type SubAccountRecord = SubAccount & { readonly createdAt: string; readonly updatedAt: string };

/**
 * A connection with the effects of its setups and syncs. Its health also depends on the time of the request: see
 * `syncHealth`.
 */
export type ConnectionDocument = PlacedDocument & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly id: string;
  readonly enabled: boolean;
  readonly archivedAt: string | null;
  readonly bankCode: string;
  readonly environment: 'demo' | 'production';
  readonly title: string;
  readonly subAccounts: readonly SubAccountRecord[];
  readonly credentials: {
    readonly environment: 'demo' | 'production';
    readonly fingerprint: string;
    readonly updatedAt: string;
  } | null;
  /** The setup that is requested or in progress, null for none; `none` replaces null where it is searched. */
  readonly setupId: string | null;
  readonly setupRequestedAt: string | null;
  readonly lastSetupId: string | null;
  readonly lastSetupAt: string | null;
  readonly lastSyncAt: string | null;
  readonly currentSyncId: string | null;
  readonly lastSyncId: string | null;
  readonly lastTriggerType: 'manual' | 'schedule' | 'setup' | null;
  readonly lastAttemptAt: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastErrorAt: string | null;
  readonly lastErrorCode: string | null;
  readonly lastErrorMessage: string | null;
  /** Null when the last attempt succeeded. */
  readonly lastFailureKind: FailureKind | null;
  readonly lastDurationMs: number | null;
  /** Of the last sync that completed. */
  readonly lastResult: { readonly fetched: number; readonly inserted: number; readonly duplicates: number } | null;
  readonly runningResult: { readonly fetched: number; readonly inserted: number; readonly duplicates: number };
  readonly nextAllowedAt: string | null;
  /** Up to which day (exclusive) each sub-account is complete without a gap. */
  readonly coverage: Readonly<Record<string, string>>;
  readonly plannedCoverage: readonly { subAccountKey: string; fromDay: string; toDay: string; toNow: boolean }[];
  readonly createdAt: string;
  readonly updatedAt: string;
};

type Body = Omit<ConnectionDocument, '_position' | keyof LogPlace>;

const NOTHING = { fetched: 0, inserted: 0, duplicates: 0 };

const OWN_EVENTS = [
  'ConnectionRenamed',
  'ConnectionDisabled',
  'ConnectionEnabled',
  'ConnectionArchived',
  'ConnectionCredentialsReplaced',
  'ConnectionSetupRequested',
  'ConnectionSetUp',
  'ConnectionSetupFailed',
  'ConnectionAccountsChanged',
] as const satisfies readonly EventType[];
const SYNC_EVENTS = [
  'SyncRequested',
  'SyncPlanned',
  'SyncPageIngested',
  'SyncCompleted',
  'SyncFailed',
  'SyncCancelled',
] as const satisfies readonly EventType[];
const TAKES = ['ConnectionOpened', ...OWN_EVENTS, ...SYNC_EVENTS] as const;
type OwnEvent = KnownEvent<(typeof OWN_EVENTS)[number]>;
type SyncEvent = KnownEvent<(typeof SYNC_EVENTS)[number]>;

function isSyncEvent(event: OwnEvent | SyncEvent): event is SyncEvent {
  return (SYNC_EVENTS as readonly string[]).includes(event.type);
}

function opened(event: KnownEvent<'ConnectionOpened'>, key: string): Body {
  const { accountId, openedAt, ...connection } = event.data;
  return {
    _id: key,
    tenantId: event.metadata.tenantId,
    companyId: event.metadata.companyId ?? '',
    id: accountId,
    ...connection,
    enabled: true,
    archivedAt: null,
    subAccounts: [],
    credentials: null,
    setupId: null,
    setupRequestedAt: null,
    lastSetupId: null,
    lastSetupAt: null,
    lastSyncAt: null,
    currentSyncId: null,
    lastSyncId: null,
    lastTriggerType: null,
    lastAttemptAt: null,
    lastSuccessAt: null,
    lastErrorAt: null,
    lastErrorCode: null,
    lastErrorMessage: null,
    lastFailureKind: null,
    lastDurationMs: null,
    lastResult: null,
    runningResult: NOTHING,
    nextAllowedAt: null,
    coverage: {},
    plannedCoverage: [],
    createdAt: openedAt,
    updatedAt: openedAt,
  };
}

function withAccounts(before: Body, accounts: readonly SubAccount[], at: string): Body {
  const known = new Map(before.subAccounts.map((account) => [account.subAccountKey, account]));
  const subAccounts = accounts.map((account) => ({
    ...account,
    createdAt: known.get(account.subAccountKey)?.createdAt ?? at,
    updatedAt: at,
  }));
  return { ...before, subAccounts, updatedAt: at };
}

function failed(
  before: Body,
  failure: {
    failedAt: string;
    durationMs: number;
    code: string;
    message: string;
    kind: FailureKind;
    nextAllowedAt: string | null;
  },
): Body {
  return {
    ...before,
    lastErrorAt: failure.failedAt,
    lastErrorCode: failure.code,
    lastErrorMessage: failure.message,
    lastFailureKind: failure.kind,
    lastDurationMs: failure.durationMs,
    nextAllowedAt: failure.nextAllowedAt,
    updatedAt: failure.failedAt,
  };
}

/** Coverage only grows without gaps: it continues what was covered before or, the first time, reaches up to now. */
function coverageAfter(before: Body): Record<string, string> {
  const coverage = { ...before.coverage };
  for (const { subAccountKey, fromDay, toDay, toNow } of before.plannedCoverage) {
    const covered = coverage[subAccountKey];
    if (covered === undefined ? toNow : fromDay <= covered && toDay > covered) coverage[subAccountKey] = toDay;
  }
  return coverage;
}

function changed(before: Body, event: OwnEvent): Body {
  switch (event.type) {
    case 'ConnectionRenamed':
      return { ...before, title: event.data.title, updatedAt: event.data.changedAt };
    case 'ConnectionDisabled':
      return { ...before, enabled: false, updatedAt: event.data.changedAt };
    case 'ConnectionEnabled':
      return { ...before, enabled: true, updatedAt: event.data.changedAt };
    case 'ConnectionArchived': {
      const { archivedAt } = event.data;
      return { ...before, enabled: false, archivedAt, credentials: null, setupId: null, updatedAt: archivedAt };
    }
    case 'ConnectionCredentialsReplaced': {
      const { environment, fingerprint, replacedAt } = event.data;
      const credentials = { environment, fingerprint, updatedAt: replacedAt };
      return { ...before, credentials, updatedAt: replacedAt };
    }
    case 'ConnectionSetupRequested': {
      const { setupId, requestedAt } = event.data;
      const started = { setupId, setupRequestedAt: requestedAt, lastAttemptAt: requestedAt };
      return { ...before, ...started, lastTriggerType: 'setup', updatedAt: requestedAt };
    }
    case 'ConnectionSetUp': {
      const { setupId, completedAt, durationMs, subAccounts } = event.data;
      const ended = { setupId: null, lastSetupId: setupId, lastSetupAt: completedAt, lastDurationMs: durationMs };
      return {
        ...withAccounts(before, subAccounts, completedAt),
        ...ended,
        lastFailureKind: null,
        nextAllowedAt: null,
      };
    }
    case 'ConnectionSetupFailed':
      return { ...failed(before, event.data), setupId: null, lastSetupId: event.data.setupId };
    case 'ConnectionAccountsChanged':
      return withAccounts(before, event.data.subAccounts, event.data.seenAt);
  }
}

function synced(before: Body, event: SyncEvent): Body {
  switch (event.type) {
    case 'SyncRequested': {
      const { syncId, trigger, requestedAt } = event.data;
      return {
        ...before,
        currentSyncId: syncId,
        lastSyncId: syncId,
        lastTriggerType: trigger,
        lastAttemptAt: requestedAt,
        runningResult: NOTHING,
        plannedCoverage: [],
        updatedAt: requestedAt,
      };
    }
    case 'SyncPlanned':
      return { ...before, plannedCoverage: event.data.coverage };
    case 'SyncPageIngested': {
      const { fetched, inserted, duplicates } = event.data;
      const sum = before.runningResult;
      return {
        ...before,
        runningResult: {
          fetched: sum.fetched + fetched,
          inserted: sum.inserted + inserted,
          duplicates: sum.duplicates + duplicates,
        },
      };
    }
    case 'SyncCompleted': {
      const { completedAt, durationMs, balances } = event.data;
      const seen = new Map(balances.map((balance) => [balance.subAccountKey, balance]));
      const subAccounts = before.subAccounts.map((account) => {
        const now = seen.get(account.subAccountKey);
        if (now === undefined) return account;
        const { balanceStated, ...known } = account;
        return { ...known, ...now, updatedAt: completedAt };
      });
      return {
        ...before,
        subAccounts,
        currentSyncId: null,
        lastSyncAt: completedAt,
        lastSuccessAt: completedAt,
        lastFailureKind: null,
        lastDurationMs: durationMs,
        lastResult: before.runningResult,
        nextAllowedAt: null,
        coverage: coverageAfter(before),
        updatedAt: completedAt,
      };
    }
    case 'SyncFailed':
      return { ...failed(before, event.data), currentSyncId: null };
    case 'SyncCancelled': {
      const { cancelledAt, durationMs } = event.data;
      return { ...before, currentSyncId: null, lastDurationMs: durationMs, updatedAt: cancelledAt };
    }
  }
}

export const connections: Projection<ConnectionDocument, (typeof TAKES)[number]> = {
  name: 'connections',
  version: 3,
  takes: TAKES,
  keys: (event) => {
    const { tenantId, id } = parseStreamName(event.stream);
    const isOwn = event.type === 'ConnectionOpened' || !isSyncEvent(event);
    return [documentId(tenantId, isOwn ? id : event.data.accountId)];
  },
  evolve(document, event, key) {
    if (event.type === 'ConnectionOpened') return placed(undefined, opened(event, key), event);
    if (document === undefined) return undefined;
    const after = isSyncEvent(event) ? synced(document, event) : changed(document, event);
    return placed(document, after, event);
  },
  indexes: [
    { fields: ['tenantId', 'createdAt'] },
    { fields: ['tenantId', '_position', '_id', 'companyId'] },
    { fields: ['setupId'] },
    { fields: ['tenantId', 'setupId'] },
  ],
};
