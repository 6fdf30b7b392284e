import type { EventData, EventType, KnownEvent } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import { documentId } from '../shared/ids.ts';
import { type LogPlace, type PlacedDocument, placed } from './log-place.ts';
import type { Projection } from './projection.ts';

type Counts = {
  readonly fetched: number;
  readonly inserted: number;
  readonly duplicates: number;
  readonly conflicts: number;
  readonly withdrawn: number;
};

type Fault = EventData<'SyncPageIngested'>['faults'][number];

export type SyncRunDocument = PlacedDocument & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly id: string;
  readonly accountId: string;
  readonly bankCode: string;
  readonly ordinal: number;
  readonly trigger: 'manual' | 'schedule' | 'setup';
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  /** True while a worker should look at it. */
  readonly open: boolean;
  readonly from: string | null;
  readonly to: string | null;
  readonly requestedAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly nextAttemptAt: string | null;
  readonly attempts: number;
  readonly cancelRequested: boolean;
  readonly requests: number;
  readonly pages: number;
  readonly counts: Counts;
  readonly windows: readonly { readonly subAccountKey: string; readonly fromDay: string; readonly toDay: string }[];
  readonly subAccounts: readonly (Counts & { readonly subAccountKey: string; readonly pages: number })[];
  readonly faults: readonly Fault[];
  /** Irregularities in what was read, none of which prevented the reading. */
  readonly notes: readonly Fault[];
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly kind: string;
    readonly source: string | null;
    readonly place: string | null;
  } | null;
  readonly requestedBy: string;
  readonly correlationId: string;
};

type Body = Omit<SyncRunDocument, '_position' | keyof LogPlace>;

/** Most notes that a sync shows: an irregularity of a bank's files is repeated in every file. */
const MOST_NOTES = 100;

/** Faults shown of one sync: whole folders may be unreadable. */
const MOST_FAULTS = 1_000;

const NONE: Counts = { fetched: 0, inserted: 0, duplicates: 0, conflicts: 0, withdrawn: 0 };

function sum(a: Counts, b: Counts): Counts {
  return {
    fetched: a.fetched + b.fetched,
    inserted: a.inserted + b.inserted,
    duplicates: a.duplicates + b.duplicates,
    conflicts: a.conflicts + b.conflicts,
    withdrawn: a.withdrawn + b.withdrawn,
  };
}

const TAKES = [
  'SyncRequested',
  'SyncPlanned',
  'SyncPageIngested',
  'SyncAttemptFailed',
  'SyncCancelRequested',
  'SyncCompleted',
  'SyncFailed',
  'SyncCancelled',
] as const satisfies readonly EventType[];
type Change = KnownEvent<Exclude<(typeof TAKES)[number], 'SyncRequested'>>;

function requested(event: KnownEvent<'SyncRequested'>, key: string): Body {
  const { syncId, accountId, bankCode, ordinal, trigger, requestedAt, from, to } = event.data;
  return {
    _id: key,
    tenantId: event.metadata.tenantId,
    companyId: event.metadata.companyId ?? '',
    id: syncId,
    accountId,
    bankCode,
    ordinal,
    trigger,
    status: 'queued',
    open: true,
    from,
    to,
    requestedAt,
    startedAt: null,
    endedAt: null,
    durationMs: null,
    nextAttemptAt: null,
    attempts: 0,
    cancelRequested: false,
    requests: 0,
    pages: 0,
    counts: NONE,
    windows: [],
    subAccounts: [],
    faults: [],
    notes: [],
    error: null,
    requestedBy: event.metadata.actor.id,
    correlationId: event.metadata.correlationId,
  };
}

function withPage(before: Body, page: EventData<'SyncPageIngested'>): Body {
  const { fetched, inserted, duplicates, conflicts, withdrawn, subAccountKey } = page;
  const counts = { fetched, inserted, duplicates, conflicts, withdrawn };
  const earlier = before.subAccounts.find((account) => account.subAccountKey === subAccountKey);
  const account = { subAccountKey, pages: (earlier?.pages ?? 0) + 1, ...sum(earlier ?? NONE, counts) };
  return {
    ...before,
    status: 'running',
    attempts: 0,
    nextAttemptAt: null,
    requests: before.requests + page.requests,
    pages: page.page,
    counts: sum(before.counts, counts),
    subAccounts: [...before.subAccounts.filter((one) => one.subAccountKey !== subAccountKey), account],
    faults: [...before.faults, ...page.faults].slice(0, MOST_FAULTS),
    notes: [...before.notes, ...(page.notes ?? [])].slice(0, MOST_NOTES),
  };
}

function ended(before: Body, status: Body['status'], endedAt: string, durationMs: number, requests: number): Body {
  return { ...before, status, open: false, nextAttemptAt: null, endedAt, durationMs, requests };
}

function changed(before: Body, event: Change): Body {
  switch (event.type) {
    case 'SyncPlanned': {
      const { plannedAt, windows, faults, notes = [], requests } = event.data;
      const started = { startedAt: before.startedAt ?? plannedAt, requests: before.requests + requests };
      return {
        ...before,
        ...started,
        status: 'running',
        windows,
        faults: faults.slice(0, MOST_FAULTS),
        notes,
        attempts: 0,
        nextAttemptAt: null,
      };
    }
    case 'SyncPageIngested':
      return withPage(before, event.data);
    case 'SyncAttemptFailed': {
      const { attempt, nextAttemptAt, requests, failedAt } = event.data;
      const startedAt = before.startedAt ?? failedAt;
      return { ...before, startedAt, attempts: attempt, nextAttemptAt, requests: before.requests + requests };
    }
    case 'SyncCancelRequested':
      return { ...before, cancelRequested: true };
    case 'SyncCompleted': {
      const { completedAt, durationMs, requests } = event.data;
      return ended(before, 'completed', completedAt, durationMs, requests);
    }
    case 'SyncFailed': {
      const { failedAt, durationMs, requests, code, message, kind, source, place } = event.data;
      const error = { code, message, kind, source, place };
      return { ...ended(before, 'failed', failedAt, durationMs, requests), error };
    }
    case 'SyncCancelled': {
      const { cancelledAt, durationMs, requests } = event.data;
      return ended(before, 'cancelled', cancelledAt, durationMs, requests);
    }
  }
}

export const syncRuns: Projection<SyncRunDocument, (typeof TAKES)[number]> = {
  name: 'sync-runs',
  version: 4,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    if (event.type === 'SyncRequested') return placed(undefined, requested(event, key), event);
    return document === undefined ? undefined : placed(document, changed(document, event), event);
  },
  indexes: [
    { fields: ['tenantId', 'accountId', 'ordinal'] },
    { fields: ['tenantId', '_position', '_id', 'companyId'] },
    { fields: ['open', 'requestedAt'] },
    { fields: ['tenantId', 'open', 'requestedAt'] },
  ],
};
