import { describe, expect, it } from 'vitest';
import type { ConnectionDocument } from '../../src/projections/connections.ts';
import { connections } from '../../src/projections/connections.ts';
import { asLeftBy, setupOf } from '../../src/queries/ended-attempt.ts';
import { syncHealthStatus } from '../../src/queries/sync-health.ts';
import { AT, requestedSync } from '../support/facts.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

const LATER = '2026-01-05T11:00:00.000Z';
const opened = {
  type: 'ConnectionOpened',
  data: { accountId: 'connection', bankCode: 'demo', environment: 'demo', title: 'Main', openedAt: AT },
};
const requested = (setupId: string, requestedAt = AT) => ({
  type: 'ConnectionSetupRequested',
  data: { setupId, requestedAt },
});
const failedSetup = (setupId: string) => ({
  type: 'ConnectionSetupFailed',
  data: {
    setupId,
    failedAt: LATER,
    durationMs: 5,
    requests: 2,
    kind: 'permanent',
    nextAllowedAt: null,
    code: 'OWN',
    message: 'm',
  },
});
const own = (...facts: { type: string; data: unknown }[]) =>
  facts.map((fact) => recordedEvent('bankConnection', 'connection', fact));

function folded(events: ReturnType<typeof own>): ConnectionDocument {
  const [document] = foldOne(connections, events).values();
  if (document === undefined) throw new Error('no connection');
  return document;
}

describe('what a sync or setup left', () => {
  const run = {
    requestedAt: AT,
    endedAt: LATER,
    durationMs: 7,
    trigger: 'manual' as const,
    status: 'failed' as const,
    error: { code: 'OWN', message: 'mine', kind: 'permanent', source: null, place: null },
  };
  const overtaken = () => {
    const later = requestedSync({ syncId: 'later', ordinal: 2, requestedAt: LATER });
    return folded([...own(opened), recordedEvent('syncRun', 'later', later)]);
  };

  it('is its own failure, although another sync runs already', () => {
    const left = asLeftBy(overtaken(), run, null);
    expect(syncHealthStatus(left, Date.parse(LATER))).toBe('failing');
    expect(left).toMatchObject({
      lastErrorCode: 'OWN',
      lastErrorMessage: 'mine',
      lastAttemptAt: AT,
      lastDurationMs: 7,
    });
  });

  it('is its own success, although another one failed since', () => {
    const counts = { fetched: 3, inserted: 2, duplicates: 1 };
    const failed = {
      ...overtaken(),
      currentSyncId: null,
      lastFailureKind: 'permanent' as const,
      lastErrorCode: 'LATER',
    };
    const left = asLeftBy(failed, { ...run, status: 'completed', error: null }, counts);
    expect(syncHealthStatus(left, Date.parse(LATER))).toBe('healthy');
    expect(left.lastResult).toEqual(counts);
  });

  it('is the connection as it is, where nothing came since', () => {
    const first = requestedSync({ syncId: 'first' });
    const ended = { ...folded([...own(opened), recordedEvent('syncRun', 'first', first)]), currentSyncId: null };
    expect(asLeftBy(ended, run, null)).toBe(ended);
  });
});

describe('a setup among the events of its connection', () => {
  it('is found with its own end, whatever came after it', () => {
    const events = own(opened, requested('one'), failedSetup('one'), requested('two', LATER));
    expect(setupOf(events, 'one')).toMatchObject({ ordinal: 1, status: 'failed', error: { code: 'OWN' }, requests: 2 });
    expect(setupOf(events, 'two')).toMatchObject({ ordinal: 2, status: 'running', error: null, requestedAt: LATER });
    expect(setupOf(events, 'three')).toBeUndefined();
  });

  it('is cancelled by the archiving of the connection', () => {
    const archived = { type: 'ConnectionArchived', data: { archivedAt: LATER } };
    expect(setupOf(own(opened, requested('one'), archived), 'one')).toMatchObject({
      status: 'cancelled',
      endedAt: LATER,
    });
    expect(setupOf(own(opened, requested('one'), failedSetup('one'), archived), 'one')?.status).toBe('failed');
  });
});
