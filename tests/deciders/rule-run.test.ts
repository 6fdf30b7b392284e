import { describe, expect, it } from 'vitest';
import {
  advanceRun,
  cancelRun,
  failRun,
  MAX_RUN_ATTEMPTS,
  refusePreview,
  refuseRevert,
  requestRun,
  ruleRun,
  runStatus,
  useRun,
} from '../../src/deciders/rule-run.ts';
import type { EventData, RuleRunFact } from '../../src/events/registry.ts';
import { AT, HASH, OTHER_HASH, REFERENCE } from '../support/facts.ts';
import { given as givenFacts } from './given.ts';

const given = (...facts: RuleRunFact[]) => givenFacts(ruleRun, facts);

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

const statusAfter = (...facts: RuleRunFact[]) => runStatus(facts.reduce(ruleRun.evolve, ruleRun.initialState));

describe('a run', () => {
  it('goes through the states the API names', () => {
    expect(statusAfter(requested)).toBe('pending');
    expect(statusAfter(requested, started)).toBe('processing');
    expect(statusAfter(requested, started, failed(1))).toBe('retry');
    expect(statusAfter(requested, started, failed(1), page(1))).toBe('processing');
    expect(statusAfter(requested, started, page(1), completed)).toBe('completed');
  });

  it('is requested once', () => {
    expect(given()((state) => requestRun(state, data))).toEqual([requested]);
    expect(given(requested)((state) => requestRun(state, { ...data, ruleVersion: 2 }))).toEqual([]);
  });

  it('takes no step once it has ended', () => {
    expect(given(requested)((state) => advanceRun(state, [started]))).toEqual([started]);
    const refusal = { refused: 'RUN_ENDED', meta: { status: 'completed' } };
    expect(given(requested, completed)((state) => advanceRun(state, [page(1)]))).toEqual(refusal);
    expect(given()((state) => advanceRun(state, [page(1)]))).toEqual({ refused: 'RUN_NOT_FOUND' });
  });

  it('dies at its 8th failure in a row, and a page between starts the count anew', () => {
    const failures = (many: number) => Array.from({ length: many }, (_, index) => failed(index + 1));
    const fail = (...facts: RuleRunFact[]) => given(...facts)((state) => failRun(state, failure));
    expect(fail(requested, ...failures(MAX_RUN_ATTEMPTS - 2))).toMatchObject([{ type: 'RunAttemptFailed' }]);
    expect(fail(requested, ...failures(MAX_RUN_ATTEMPTS - 1))).toMatchObject([
      { type: 'RunDied', data: { attempt: MAX_RUN_ATTEMPTS } },
    ]);
    expect(fail(requested, ...failures(MAX_RUN_ATTEMPTS - 1), page(1))).toMatchObject([
      { type: 'RunAttemptFailed', data: { attempt: 1 } },
    ]);
  });

  it('is cancelled once, and not after its end', () => {
    const cancel = (...facts: RuleRunFact[]) => given(...facts)((state) => cancelRun(state, AT));
    expect(cancel(requested)).toEqual([{ type: 'RunCancelRequested', data: { requestedAt: AT } }]);
    expect(cancel(requested, { type: 'RunCancelRequested', data: { requestedAt: AT } })).toEqual([]);
    expect(cancel(requested, completed)).toMatchObject({ refused: 'RUN_ENDED' });
  });

  it('is used once', () => {
    const use = (...facts: RuleRunFact[]) => given(...facts)((state) => useRun(state, { byRunId: 'b', usedAt: AT }));
    expect(use(requested)).toEqual([{ type: 'RunUsed', data: { byRunId: 'b', usedAt: AT } }]);
    expect(use(requested, used)).toEqual([]);
  });
});

describe('a backfill', () => {
  const refused = (...facts: RuleRunFact[]) => given(...facts)((state) => refusePreview(state, rule) ?? []);

  it('stands on a completed preview of what the rule still does, which nothing has used', () => {
    expect(refused(requested, started, completed)).toEqual([]);
    expect(refused(requested, started)).toMatchObject({
      refused: 'PREVIEW_NOT_COMPLETED',
      meta: { status: 'processing' },
    });
    expect(refused(requested, completed, used)).toMatchObject({
      refused: 'PREVIEW_ALREADY_USED',
      meta: { runId: 'other' },
    });
    expect(refused(backfill, completed)).toEqual({ refused: 'RUN_NOT_FOUND' });
    const stale = given(
      requested,
      completed,
    )((state) => refusePreview(state, { ...rule, snapshotHash: OTHER_HASH }) ?? []);
    expect(stale).toEqual({ refused: 'PREVIEW_STALE' });
    const other = given(requested, completed)((state) => refusePreview(state, { ...rule, ruleId: 'another' }) ?? []);
    expect(other).toEqual({ refused: 'RUN_NOT_FOUND' });
  });
});

describe('a revert', () => {
  const refused = (...facts: RuleRunFact[]) => given(...facts)((state) => refuseRevert(state) ?? []);

  it('takes back a run that has ended, once', () => {
    expect(refused(backfill, started, completed)).toEqual([]);
    expect(refused(backfill, started, { type: 'RunCancelled', data: { cancelledAt: AT } })).toEqual([]);
    expect(refused(backfill, started)).toMatchObject({ refused: 'RUN_NOT_REVERTIBLE' });
    expect(refused(requested, completed)).toMatchObject({ refused: 'RUN_NOT_REVERTIBLE' });
    expect(refused(backfill, completed, used)).toMatchObject({ refused: 'RUN_ALREADY_REVERTED' });
    expect(refused()).toEqual({ refused: 'RUN_NOT_FOUND' });
  });
});
