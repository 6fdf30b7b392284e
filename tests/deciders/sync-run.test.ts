import { describe, it } from 'vitest';
import { decideContinueSync, nextPage, requestCancel, syncRun } from '../../src/deciders/sync-run.ts';
import type { SyncRunFact } from '../../src/events/registry.ts';
import { AT, ingestedPage, plannedSync, requestedSync } from '../support/facts.ts';
import { specification } from './specification.ts';

const completed: SyncRunFact = {
  type: 'SyncCompleted',
  data: { accountId: 'connection', completedAt: AT, durationMs: 1, requests: 1, balances: [] },
};
const given = specification(syncRun);

describe('the next page of a sync', () => {
  const planned = [requestedSync(), plannedSync(2)];
  const first = ingestedPage({ nextCursor: 'c1' });
  const second = ingestedPage({ page: 2, cursor: 'c1' });
  const third = ingestedPage({ page: 3, window: 1 });

  it('a sync that is not planned has no next page', () => {
    given([requestedSync()]).asking(nextPage).gives(null);
  });

  it('a sync that is planned without windows has no next page', () => {
    given([requestedSync(), plannedSync(0)])
      .asking(nextPage)
      .gives(null);
  });

  it('a planned sync begins with the first page of the first window', () => {
    given(planned).asking(nextPage).gives({ window: 0, cursor: null, page: 1 });
  });

  it('a page that has a cursor is followed by the next page of its window', () => {
    given([...planned, first])
      .asking(nextPage)
      .gives({ window: 0, cursor: 'c1', page: 2 });
  });

  it('the last page of a window is followed by the next window', () => {
    given([...planned, first, second])
      .asking(nextPage)
      .gives({ window: 1, cursor: null, page: 3 });
  });

  it('the last page of the last window is followed by none', () => {
    given([...planned, first, second, third])
      .asking(nextPage)
      .gives(null);
  });
});

describe('the steps of a sync', () => {
  const planned = [requestedSync(), plannedSync(1)];

  it('a page is ingested once', () => {
    const page = ingestedPage({ nextCursor: 'more' });
    given(planned)
      .when((sync) => decideContinueSync(sync, page))
      .then([page])
      .when((sync) => decideContinueSync(sync, page))
      .thenNothing();
  });

  it('a page that is not the next one is not ingested', () => {
    given(planned)
      .when((sync) => decideContinueSync(sync, ingestedPage({ page: 2 })))
      .thenNothing();
  });

  it('a sync is planned once', () => {
    given(planned)
      .when((sync) => decideContinueSync(sync, plannedSync(3)))
      .thenNothing();
  });

  it('a sync that has ended ingests no page', () => {
    given([...planned, completed])
      .when((sync) => decideContinueSync(sync, ingestedPage()))
      .thenNothing();
  });

  it('a sync that was never requested cannot continue', () => {
    given([])
      .when((sync) => decideContinueSync(sync, ingestedPage()))
      .thenRefused('SYNC_NOT_FOUND');
  });

  it('a page that succeeds resets the count of failed attempts', () => {
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
    given([...planned, failed]).thenState({ attempts: 2, nextAttemptAt: AT });
    given([...planned, failed, ingestedPage()]).thenState({ attempts: 0, nextAttemptAt: null });
  });

  it('computed stamps are remembered until the window ends', () => {
    const stamped = ingestedPage({ contentStamped: 1, nextCursor: 'c' });
    const plain = ingestedPage({ page: 2, cursor: 'c', nextCursor: 'd' });
    given([...planned, stamped, plain]).thenState({ windowHasContentStamps: true });
    given([...planned, stamped, ingestedPage({ page: 2, window: 1 })]).thenState({ windowHasContentStamps: false });
  });
});

describe('the cancellation of a sync', () => {
  it('a cancellation is requested once', () => {
    given([requestedSync()])
      .when((sync) => requestCancel(sync, AT))
      .then([{ type: 'SyncCancelRequested', data: { accountId: 'connection', requestedAt: AT } }])
      .when((sync) => requestCancel(sync, AT))
      .thenNothing();
  });

  it('a sync that has ended cannot be cancelled', () => {
    given([requestedSync(), completed])
      .when((sync) => requestCancel(sync, AT))
      .thenRefused('SYNC_ENDED', { status: 'completed' });
  });
});
