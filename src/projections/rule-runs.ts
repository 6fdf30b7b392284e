import type { EventType, KnownEvent } from '../events/registry.ts';
import type { RunScope } from '../events/rule-run.ts';
import { parseStreamName } from '../log/streams.ts';
import { documentId } from '../shared/ids.ts';
import { type LogPlace, type PlacedDocument, placed } from './log-place.ts';
import type { Projection } from './projection.ts';

/** A preview, backfill or revert and how far it has come. */
export type RuleRunDocument = PlacedDocument & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly id: string;
  readonly type: 'preview' | 'backfill' | 'revert';
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly ruleSnapshotHash: string;
  readonly scope: RunScope;
  readonly scopeHash: string;
  readonly snapshotMaxId: string;
  readonly previewRunId: string | null;
  readonly revertsRunId: string | null;
  readonly usedByRunId: string | null;
  readonly status: 'pending' | 'processing' | 'retry' | 'completed' | 'dead' | 'cancelled';
  /** True while a worker should look at it. */
  readonly open: boolean;
  readonly cancelRequested: boolean;
  /** Known once it has started. */
  readonly candidateCount: number | null;
  readonly processedCount: number;
  readonly matchedCount: number;
  readonly attachedCount: number;
  readonly revokedCount: number;
  readonly sampleTransactionIds: readonly string[];
  readonly cursorId: string | null;
  readonly attempts: number;
  readonly failureCount: number;
  readonly nextAttemptAt: string | null;
  readonly lastError: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: string;
};

type Body = Omit<RuleRunDocument, '_position' | keyof LogPlace>;

const MOST_SAMPLES = 20;

const TAKES = [
  'RunRequested',
  'RunStarted',
  'RunPageDone',
  'RunAttemptFailed',
  'RunDied',
  'RunCancelRequested',
  'RunCancelled',
  'RunCompleted',
  'RunUsed',
] as const satisfies readonly EventType[];
type Change = KnownEvent<Exclude<(typeof TAKES)[number], 'RunRequested'>>;

function requested(event: KnownEvent<'RunRequested'>, key: string): Body {
  const { runId, type, ruleId, ruleVersion, ruleSnapshotHash, scope, scopeHash, snapshotMaxId } = event.data;
  const { previewRunId, revertsRunId, requestedAt } = event.data;
  return {
    _id: key,
    tenantId: event.metadata.tenantId,
    companyId: event.metadata.companyId ?? '',
    id: runId,
    type,
    ruleId,
    ruleVersion,
    ruleSnapshotHash,
    scope,
    scopeHash,
    snapshotMaxId,
    previewRunId,
    revertsRunId,
    usedByRunId: null,
    status: 'pending',
    open: true,
    cancelRequested: false,
    candidateCount: null,
    processedCount: 0,
    matchedCount: 0,
    attachedCount: 0,
    revokedCount: 0,
    sampleTransactionIds: [],
    cursorId: null,
    attempts: 0,
    failureCount: 0,
    nextAttemptAt: null,
    lastError: null,
    startedAt: null,
    completedAt: null,
    createdAt: requestedAt,
    updatedAt: requestedAt,
    createdBy: event.metadata.actor.id,
  };
}

function afterPage(before: Body, { data }: KnownEvent<'RunPageDone'>): Body {
  const samples = data.results
    .filter(({ outcome }) => outcome !== 'suppressed' && outcome !== 'kept')
    .map(({ transactionId }) => transactionId);
  return {
    ...before,
    status: 'processing',
    cursorId: data.cursorId,
    processedCount: before.processedCount + data.candidates,
    matchedCount: before.matchedCount + data.matched,
    attachedCount: before.attachedCount + data.attached,
    revokedCount: before.revokedCount + data.revoked,
    sampleTransactionIds: [...before.sampleTransactionIds, ...samples].slice(0, MOST_SAMPLES),
    attempts: 0,
    nextAttemptAt: null,
    updatedAt: data.doneAt,
  };
}

function ended(before: Body, status: 'completed' | 'dead' | 'cancelled', at: string): Body {
  return { ...before, status, open: false, nextAttemptAt: null, completedAt: at, updatedAt: at };
}

function changed(before: Body, event: Change): Body {
  switch (event.type) {
    case 'RunStarted': {
      const { startedAt, candidateCount } = event.data;
      return { ...before, status: 'processing', startedAt, candidateCount, updatedAt: startedAt };
    }
    case 'RunPageDone':
      return afterPage(before, event);
    case 'RunAttemptFailed': {
      const { attempt, nextAttemptAt, failedAt, code, message } = event.data;
      const failure = { failureCount: before.failureCount + 1, lastError: `${code}: ${message}` };
      return { ...before, status: 'retry', attempts: attempt, nextAttemptAt, ...failure, updatedAt: failedAt };
    }
    case 'RunDied': {
      const { attempt, failedAt, code, message } = event.data;
      const failure = { failureCount: before.failureCount + 1, lastError: `${code}: ${message}` };
      return { ...ended(before, 'dead', failedAt), attempts: attempt, ...failure };
    }
    case 'RunCancelRequested':
      return { ...before, cancelRequested: true, updatedAt: event.data.requestedAt };
    case 'RunCancelled':
      return ended(before, 'cancelled', event.data.cancelledAt);
    case 'RunCompleted':
      return ended(before, 'completed', event.data.completedAt);
    case 'RunUsed':
      return { ...before, usedByRunId: event.data.byRunId };
  }
}

export const ruleRuns: Projection<RuleRunDocument, (typeof TAKES)[number]> = {
  name: 'rule-runs',
  version: 2,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    if (event.type === 'RunRequested') return placed(undefined, requested(event, key), event);
    return document === undefined ? undefined : placed(document, changed(document, event), event);
  },
  indexes: [
    { fields: ['tenantId', 'createdAt'] },
    { fields: ['tenantId', '_position', '_id', 'companyId'] },
    { fields: ['tenantId', 'ruleId', 'createdAt'] },
    { fields: ['open', 'createdAt'] },
    { fields: ['tenantId', 'open', 'createdAt'] },
  ],
};
