import { describe, expect, it } from 'vitest';
import { continueSync, nextPage, requestCancel, syncRun } from '../../src/deciders/sync-run.ts';
import type { SyncRunFact } from '../../src/events/registry.ts';
import { AT, ingestedPage, plannedSync, requestedSync } from '../support/facts.ts';

const stateAfter = (...facts: SyncRunFact[]) => facts.reduce(syncRun.evolve, syncRun.initialState);
const completed: SyncRunFact = {
  type: 'SyncCompleted',
  data: { accountId: 'connection', completedAt: AT, durationMs: 1, requests: 1, balances: [] },
};

describe('the next page of a sync', () => {
  it('is none before the plan, the first window after it, and none after the last window', () => {
    expect(nextPage(stateAfter(requestedSync()))).toBeNull();
    expect(nextPage(stateAfter(requestedSync(), plannedSync(2)))).toEqual({ window: 0, cursor: null, page: 1 });
    expect(nextPage(stateAfter(requestedSync(), plannedSync(0)))).toBeNull();
    const first = ingestedPage({ nextCursor: 'c1' });
    expect(nextPage(stateAfter(requestedSync(), plannedSync(2), first))).toEqual({ window: 0, cursor: 'c1', page: 2 });
    const second = ingestedPage({ page: 2, cursor: 'c1' });
    expect(nextPage(stateAfter(requestedSync(), plannedSync(2), first, second))).toEqual({
      window: 1,
      cursor: null,
      page: 3,
    });
    const third = ingestedPage({ page: 3, window: 1 });
    expect(nextPage(stateAfter(requestedSync(), plannedSync(2), first, second, third))).toBeNull();
  });
});

describe('a step of a sync', () => {
  const started = [requestedSync(), plannedSync(1)] as const;

  it('is taken in its turn and only once', () => {
    const page = ingestedPage({ nextCursor: 'more' });
    expect(continueSync(stateAfter(...started), page)).toEqual([page]);
    expect(continueSync(stateAfter(...started, page), page)).toEqual([]);
    expect(continueSync(stateAfter(...started), ingestedPage({ page: 2 }))).toEqual([]);
    expect(continueSync(stateAfter(...started), plannedSync(3))).toEqual([]);
  });

  it('is not taken by a sync that has ended or never began', () => {
    expect(continueSync(stateAfter(...started, completed), ingestedPage())).toEqual([]);
    expect(continueSync(stateAfter(), ingestedPage())).toEqual({ refused: 'SYNC_NOT_FOUND' });
  });

  it('that succeeds forgets the failed attempts before it', () => {
    const failed: SyncRunFact = {
      type: 'SyncAttemptFailed',
      data: {
        accountId: 'connection',
        attempt: 2,
        failedAt: AT,
        nextAttemptAt: AT,
        requests: 1,
        code: 'X',
        message: '',
      },
    };
    expect(stateAfter(...started, failed)).toMatchObject({ attempts: 2, nextAttemptAt: AT });
    expect(stateAfter(...started, failed, ingestedPage())).toMatchObject({ attempts: 0, nextAttemptAt: null });
  });

  it('remembers computed stamps for as long as its window lasts', () => {
    const stamped = ingestedPage({ contentStamped: 1, nextCursor: 'c' });
    const plain = ingestedPage({ page: 2, cursor: 'c', nextCursor: 'd' });
    expect(stateAfter(...started, stamped, plain).windowHasContentStamps).toBe(true);
    expect(stateAfter(...started, stamped, ingestedPage({ page: 2, window: 1 })).windowHasContentStamps).toBe(false);
  });
});

describe('cancelling', () => {
  it('is asked for once, and too late after the end', () => {
    const asked = requestCancel(stateAfter(requestedSync()), AT);
    expect(asked).toMatchObject([{ type: 'SyncCancelRequested' }]);
    expect(requestCancel(stateAfter(requestedSync(), ...(asked as SyncRunFact[])), AT)).toEqual([]);
    expect(requestCancel(stateAfter(requestedSync(), completed), AT)).toEqual({
      refused: 'SYNC_ENDED',
      meta: { status: 'completed' },
    });
  });
});
