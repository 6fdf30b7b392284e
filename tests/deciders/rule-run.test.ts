import { describe, it } from 'vitest';
import {
  advanceRun,
  decideCancelRun,
  failRun,
  MAX_RUN_ATTEMPTS,
  type RuleRunState,
  refusePreview,
  refuseRevert,
  requestRun,
  ruleRun,
  runStatus,
  useRun,
} from '../../src/deciders/rule-run.ts';
import type { EventData, RuleRunFact } from '../../src/events/registry.ts';
import { AT, HASH, OTHER_HASH, REFERENCE } from '../support/facts.ts';
import { specification } from './specification.ts';

const data: EventData<'RunRequested'> = {
  runId: 'run',
  type: 'preview',
  ruleId: 'rule',
  ruleVersion: 1,
  ruleSnapshotHash: HASH,
  conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ id: 'action', type: 'attach_reference', reference: REFERENCE }],
  tags: [],
  scope: { from: null, to: null, accountIds: null, bankCodes: null },
  scopeHash: HASH,
  snapshotMaxId: '0042',
  ordinal: null,
  previewRunId: null,
  revertsRunId: null,
  requestedAt: AT,
};
const requested: RuleRunFact = { type: 'RunRequested', data };
const backfill: RuleRunFact = { type: 'RunRequested', data: { ...data, type: 'backfill', ordinal: 1 } };
const started: RuleRunFact = { type: 'RunStarted', data: { startedAt: AT, candidateCount: 10 } };
const page = (nth: number): RuleRunFact => ({
  type: 'RunPageDone',
  data: { page: nth, cursorId: `c${nth}`, candidates: 5, matched: 0, attached: 0, revoked: 0, results: [], doneAt: AT },
});
const failed = (attempt: number): RuleRunFact => ({
  type: 'RunAttemptFailed',
  data: { attempt, failedAt: AT, nextAttemptAt: AT, code: 'X', message: 'x' },
});
const completed: RuleRunFact = { type: 'RunCompleted', data: { completedAt: AT } };
const used: RuleRunFact = { type: 'RunUsed', data: { byRunId: 'other', usedAt: AT } };
const failure = { failedAt: AT, nextAttemptAt: AT, code: 'X', message: 'x' };
const rule = { ruleId: 'rule', snapshotHash: HASH };

const given = specification(ruleRun);

describe('run', () => {
  it.each([
    ['is requested', 'pending', [requested]],
    ['has started', 'processing', [requested, started]],
    ['waits for its next attempt', 'retry', [requested, started, failed(1)]],
    ['has done a page since it failed', 'processing', [requested, started, failed(1), page(1)]],
    ['has completed', 'completed', [requested, started, page(1), completed]],
  ] as const)('a run that %s is %s', (_, status, facts) => {
    given(facts).asking(runStatus).gives(status);
  });

  it('a run is requested once', () => {
    given([])
      .when((run) => requestRun(run, data))
      .then([requested])
      .when((run) => requestRun(run, { ...data, ruleVersion: 2 }))
      .thenNothing();
  });

  it('a run takes steps until it has ended', () => {
    given([requested])
      .when((run) => advanceRun(run, [started]))
      .then([started]);
    given([requested, completed])
      .when((run) => advanceRun(run, [page(1)]))
      .thenRefused('RUN_ENDED', { status: 'completed' });
  });

  it('a run that was never requested takes no step', () => {
    given([])
      .when((run) => advanceRun(run, [page(1)]))
      .thenRefused('RUN_NOT_FOUND');
  });

  const failures = (many: number) => Array.from({ length: many }, (_, index) => failed(index + 1));

  it('a run dies at its 8th failure in a row', () => {
    given([requested, ...failures(MAX_RUN_ATTEMPTS - 2)])
      .when((run) => failRun(run, failure))
      .then([failed(MAX_RUN_ATTEMPTS - 1)])
      .when((run) => failRun(run, failure))
      .then([{ type: 'RunDied', data: { attempt: MAX_RUN_ATTEMPTS, failedAt: AT, code: 'X', message: 'x' } }]);
  });

  it('a page that succeeds resets the count of failures', () => {
    given([requested, ...failures(MAX_RUN_ATTEMPTS - 1), page(1)])
      .when((run) => failRun(run, failure))
      .then([failed(1)]);
  });

  it('a cancellation is requested once', () => {
    given([requested])
      .when((run) => decideCancelRun(run, AT))
      .then([{ type: 'RunCancelRequested', data: { requestedAt: AT } }])
      .when((run) => decideCancelRun(run, AT))
      .thenNothing();
  });

  it('a run that has ended cannot be cancelled', () => {
    given([requested, completed])
      .when((run) => decideCancelRun(run, AT))
      .thenRefused('RUN_ENDED', { status: 'completed' });
  });

  it('a run is used once', () => {
    given([requested])
      .when((run) => useRun(run, { byRunId: 'b', usedAt: AT }))
      .then([{ type: 'RunUsed', data: { byRunId: 'b', usedAt: AT } }]);
    given([requested, used])
      .when((run) => useRun(run, { byRunId: 'b', usedAt: AT }))
      .thenNothing();
  });
});

describe('the preview of a backfill', () => {
  const check = (run: RuleRunState) => refusePreview(run, rule);

  it('a completed preview allows a backfill', () => {
    given([requested, started, completed]).when(check).thenAllowed();
  });

  it('a preview that has not completed allows none', () => {
    given([requested, started]).when(check).thenRefused('PREVIEW_NOT_COMPLETED', { status: 'processing' });
  });

  it('a preview allows one backfill only', () => {
    given([requested, completed, used]).when(check).thenRefused('PREVIEW_ALREADY_USED', { runId: 'other' });
  });

  it('a backfill is no preview of another', () => {
    given([backfill, completed]).when(check).thenRefused('RUN_NOT_FOUND');
  });

  it('a preview is stale once the rule does something else', () => {
    given([requested, completed])
      .when((run) => refusePreview(run, { ...rule, snapshotHash: OTHER_HASH }))
      .thenRefused('PREVIEW_STALE');
  });

  it('a preview of another rule is not found', () => {
    given([requested, completed])
      .when((run) => refusePreview(run, { ...rule, ruleId: 'another' }))
      .thenRefused('RUN_NOT_FOUND');
  });
});

describe('the revert of a run', () => {
  it('a backfill that has ended can be reverted', () => {
    given([backfill, started, completed]).when(refuseRevert).thenAllowed();
    given([backfill, started, { type: 'RunCancelled', data: { cancelledAt: AT } }])
      .when(refuseRevert)
      .thenAllowed();
  });

  it('a backfill that has not ended cannot be reverted', () => {
    given([backfill, started]).when(refuseRevert).thenRefused('RUN_NOT_REVERTIBLE', { status: 'processing' });
  });

  it('a preview cannot be reverted', () => {
    given([requested, completed]).when(refuseRevert).thenRefused('RUN_NOT_REVERTIBLE', { type: 'preview' });
  });

  it('a backfill is reverted once', () => {
    given([backfill, completed, used]).when(refuseRevert).thenRefused('RUN_ALREADY_REVERTED', { runId: 'other' });
  });

  it('a run that was never requested cannot be reverted', () => {
    given([]).when(refuseRevert).thenRefused('RUN_NOT_FOUND');
  });
});
