import { describe, expect, it } from 'vitest';
import type { ConnectionDocument } from '../../src/projections/connections.ts';
import { nextAllowedAt, syncHealthStatus } from '../../src/queries/sync-health.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const at = (offsetMs: number): string => new Date(NOW + offsetMs).toISOString();
const DAY_MS = 86_400_000;

type Told = Pick<
  ConnectionDocument,
  'currentSyncId' | 'setupId' | 'lastAttemptAt' | 'lastFailureKind' | 'lastSuccessAt' | 'nextAllowedAt'
>;

const untouched: Told = {
  currentSyncId: null,
  setupId: null,
  lastAttemptAt: null,
  lastFailureKind: null,
  lastSuccessAt: null,
  nextAllowedAt: null,
};

const status = (told: Partial<Told>, nowMs = NOW): string =>
  syncHealthStatus({ ...untouched, ...told } as ConnectionDocument, nowMs);

describe('the status of a connection', () => {
  it('never: nothing was tried, or only a setup', () => {
    expect(status({})).toBe('never');
    expect(status({ lastAttemptAt: at(-1) })).toBe('never');
  });

  it('running: a sync or a setup is in progress, whatever was before', () => {
    const failed = { lastAttemptAt: at(-1), lastFailureKind: 'permanent' } as const;
    expect(status({ ...failed, currentSyncId: 'sync' })).toBe('running');
    expect(status({ ...failed, setupId: 'setup' })).toBe('running');
  });

  it('healthy: the last attempt succeeded, however long ago', () => {
    expect(status({ lastAttemptAt: at(-9 * DAY_MS), lastSuccessAt: at(-9 * DAY_MS) })).toBe('healthy');
  });

  it.each(['transient', 'permanent'] as const)('%s: degraded up to 24 hours after a success, then failing', (kind) => {
    const failed = { lastAttemptAt: at(-1), lastFailureKind: kind };
    expect(status({ ...failed, lastSuccessAt: at(-DAY_MS) })).toBe('degraded');
    expect(status({ ...failed, lastSuccessAt: at(-DAY_MS - 1) })).toBe('failing');
    expect(status(failed)).toBe('failing');
  });

  it('credentials_rejected: a refusal, however fresh the last success', () => {
    const refused = { lastAttemptAt: at(-1), lastFailureKind: 'credentials-rejected', lastSuccessAt: at(-2) } as const;
    expect(status(refused)).toBe('credentials_rejected');
  });

  it('rate_limited: up to the moment at which the bank takes requests again, and then as it was before', () => {
    const limited = { lastAttemptAt: at(-1), lastFailureKind: 'rate-limited', nextAllowedAt: at(0) } as const;
    expect(status(limited, NOW - 1)).toBe('rate_limited');
    expect(status(limited)).toBe('never');
    expect(status({ ...limited, lastSuccessAt: at(-DAY_MS) })).toBe('degraded');
    expect(status({ ...limited, lastSuccessAt: at(-DAY_MS - 1) })).toBe('failing');
    expect(status({ ...limited, nextAllowedAt: null })).toBe('rate_limited');
  });
});

describe('the moment of the next request', () => {
  it('is the time that the bank named, until then', () => {
    expect(nextAllowedAt({ nextAllowedAt: at(1) }, 0, null, NOW)).toBe(at(1));
    expect(nextAllowedAt({ nextAllowedAt: at(0) }, 0, null, NOW)).toBeNull();
  });

  it('is the next UTC day once the day’s syncs are used up', () => {
    expect(nextAllowedAt({ nextAllowedAt: null }, 2, 3, NOW)).toBeNull();
    expect(nextAllowedAt({ nextAllowedAt: null }, 3, 3, NOW)).toBe('2026-03-11T00:00:00.000Z');
    expect(nextAllowedAt({ nextAllowedAt: at(1) }, 3, 3, NOW)).toBe('2026-03-11T00:00:00.000Z');
    expect(nextAllowedAt({ nextAllowedAt: at(2 * DAY_MS) }, 3, 3, NOW)).toBe(at(2 * DAY_MS));
  });
});
