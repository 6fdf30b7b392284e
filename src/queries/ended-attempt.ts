import type { RecordedEvent } from '../events/event.ts';
import { isKnown } from '../events/registry.ts';
import type { ConnectionDocument } from '../projections/connections.ts';
import type { SyncRunDocument } from '../projections/sync-runs.ts';

/** A setup as its connection's events have it; `_position` is that of the last of them. */
export type SetupRun = Pick<
  SyncRunDocument,
  | '_position'
  | 'id'
  | 'accountId'
  | 'companyId'
  | 'ordinal'
  | 'requests'
  | 'requestedAt'
  | 'endedAt'
  | 'durationMs'
  | 'error'
> & {
  readonly trigger: 'setup';
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly requestedBy: string;
};

/** A setup of the connection whose events these are; undefined when it has none of that id. */
export function setupOf(events: readonly RecordedEvent[], setupId: string): SetupRun | undefined {
  let setup: SetupRun | undefined;
  let ordinal = 0;
  for (const event of events.filter(isKnown)) {
    switch (event.type) {
      case 'ConnectionSetupRequested': {
        ordinal += 1;
        if (event.data.setupId !== setupId) break;
        setup = {
          _position: event.position,
          id: setupId,
          accountId: '',
          companyId: event.metadata.companyId ?? '',
          ordinal,
          trigger: 'setup',
          status: 'running',
          requests: 0,
          requestedAt: event.data.requestedAt,
          endedAt: null,
          durationMs: null,
          error: null,
          requestedBy: event.metadata.actor.id,
        };
        break;
      }
      case 'ConnectionSetUp': {
        const { completedAt, durationMs, requests } = event.data;
        if (setup === undefined || event.data.setupId !== setupId) break;
        const ended = { status: 'completed', endedAt: completedAt, durationMs, requests } as const;
        setup = { ...setup, ...ended, _position: event.position };
        break;
      }
      case 'ConnectionSetupFailed': {
        const { failedAt, durationMs, requests, code, message, kind } = event.data;
        if (setup === undefined || event.data.setupId !== setupId) break;
        const error = { code, message, kind, source: null, place: null };
        const ended = { status: 'failed', endedAt: failedAt, durationMs, requests, error } as const;
        setup = { ...setup, ...ended, _position: event.position };
        break;
      }
      case 'ConnectionArchived': {
        if (setup?.status !== 'running') break;
        setup = { ...setup, status: 'cancelled', endedAt: event.data.archivedAt, _position: event.position };
        break;
      }
      default:
    }
  }
  return setup;
}

type Ended = Pick<SyncRunDocument, 'requestedAt' | 'endedAt' | 'durationMs' | 'error' | 'trigger' | 'status'>;

/**
 * The connection with the health that a sync or setup left, also where the read model has moved on to a later one.
 * `counts`: of a sync.
 */
export function asLeftBy(
  connection: ConnectionDocument,
  { requestedAt, endedAt, durationMs, error, trigger, status }: Ended,
  counts: ConnectionDocument['lastResult'],
): ConnectionDocument {
  const isStill = connection.currentSyncId === null && connection.setupId === null;
  if (isStill && connection.lastAttemptAt === requestedAt && connection.lastTriggerType === trigger) return connection;
  const left = {
    ...connection,
    currentSyncId: null,
    setupId: null,
    lastTriggerType: trigger,
    lastAttemptAt: requestedAt,
    lastDurationMs: durationMs,
  };
  if (status === 'failed' && error !== null) {
    const { code, message, kind } = error;
    const lastFailureKind = kind as ConnectionDocument['lastFailureKind'];
    return { ...left, lastErrorAt: endedAt, lastErrorCode: code, lastErrorMessage: message, lastFailureKind };
  }
  if (status !== 'completed') return left;
  const good = { ...left, lastFailureKind: null, nextAllowedAt: null };
  return counts === null ? good : { ...good, lastSyncAt: endedAt, lastSuccessAt: endedAt, lastResult: counts };
}
