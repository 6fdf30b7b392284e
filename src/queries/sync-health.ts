import type { ConnectionDocument } from '../projections/connections.ts';

export const SYNC_HEALTH = [
  'never',
  'running',
  'healthy',
  'degraded',
  'failing',
  'rate_limited',
  'credentials_rejected',
] as const;

export type SyncHealthStatus = (typeof SYNC_HEALTH)[number];

const DEGRADED_FOR_MS = 24 * 3_600_000;

/**
 * What a connection's last attempt says about it now. `rate_limited` lasts until the bank takes requests again and then gives way to what
 * was before it; `credentials_rejected` follows only an explicit refusal; `degraded` is a failure with a success in the last 24 hours.
 */
export function syncHealthStatus(connection: ConnectionDocument, nowMs: number): SyncHealthStatus {
  const { currentSyncId, setupId, lastAttemptAt, lastFailureKind, lastSuccessAt, nextAllowedAt } = connection;
  if (currentSyncId !== null || setupId !== null) return 'running';
  if (lastAttemptAt === null) return 'never';
  if (lastFailureKind === null) return lastSuccessAt === null ? 'never' : 'healthy';
  if (lastFailureKind === 'credentials-rejected') return 'credentials_rejected';
  if (lastFailureKind === 'rate-limited' && (nextAllowedAt === null || Date.parse(nextAllowedAt) > nowMs)) {
    return 'rate_limited';
  }
  const sinceSuccessMs = lastSuccessAt === null ? Number.POSITIVE_INFINITY : nowMs - Date.parse(lastSuccessAt);
  return sinceSuccessMs <= DEGRADED_FOR_MS ? 'degraded' : 'failing';
}
