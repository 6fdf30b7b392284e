import type { ConnectionDocument } from '../projections/connections.ts';
import { isoTime } from '../shared/clock.ts';

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

const DAY_MS = 24 * 3_600_000;

/**
 * A connection's health now, by its last attempt. `rate_limited` lasts until the bank accepts requests again; a limit
 * that has expired means no fault, so a connection that had not worked before is `never` again. `credentials_rejected`
 * follows only an explicit refusal; `degraded` is a failure with a success in the last 24 hours.
 */
export function syncHealthStatus(connection: ConnectionDocument, nowMs: number): SyncHealthStatus {
  const { currentSyncId, setupId, lastAttemptAt, lastFailureKind, lastSuccessAt, nextAllowedAt } = connection;
  if (currentSyncId !== null || setupId !== null) return 'running';
  if (lastAttemptAt === null) return 'never';
  if (lastFailureKind === null) return lastSuccessAt === null ? 'never' : 'healthy';
  if (lastFailureKind === 'credentials-rejected') return 'credentials_rejected';
  if (lastFailureKind === 'rate-limited') {
    if (nextAllowedAt === null || Date.parse(nextAllowedAt) > nowMs) return 'rate_limited';
    if (lastSuccessAt === null) return 'never';
  }
  const sinceSuccessMs = lastSuccessAt === null ? Number.POSITIVE_INFINITY : nowMs - Date.parse(lastSuccessAt);
  return sinceSuccessMs <= DAY_MS ? 'degraded' : 'failing';
}

/**
 * When the bank accepts a connection's next sync, null for now: at the time it named after a rate limit, and not before
 * the next UTC day once today's syncs are used up.
 * @param syncsToday started today (UTC)
 * @param syncsPerDay how many the bank allows, null for any number
 */
export function nextAllowedAt(
  connection: Pick<ConnectionDocument, 'nextAllowedAt'>,
  syncsToday: number,
  syncsPerDay: number | null,
  nowMs: number,
): string | null {
  const askedToWait = connection.nextAllowedAt === null ? 0 : Date.parse(connection.nextAllowedAt);
  const usedUp = syncsPerDay !== null && syncsToday >= syncsPerDay;
  const nextMs = Math.max(askedToWait, usedUp ? (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS : 0);
  return nextMs > nowMs ? isoTime(nextMs) : null;
}
