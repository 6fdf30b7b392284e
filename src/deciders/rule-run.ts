import type { EventData, RuleRunFact } from '../events/registry.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

type Requested = EventData<'RunRequested'>;

export type RuleRunState = {
  readonly requested: Requested | null;
  readonly started: boolean;
  /** Pages done, and where the next one starts; null before the first. */
  readonly page: number;
  readonly cursorId: string | null;
  /** Failed attempts since the last page. */
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly cancelRequested: boolean;
  readonly ended: 'completed' | 'dead' | 'cancelled' | null;
  readonly usedBy: string | null;
};

const initialState: RuleRunState = {
  requested: null,
  started: false,
  page: 0,
  cursorId: null,
  attempts: 0,
  nextAttemptAt: null,
  cancelRequested: false,
  ended: null,
  usedBy: null,
};

function evolve(state: RuleRunState, fact: RuleRunFact): RuleRunState {
  switch (fact.type) {
    case 'RunRequested':
      return { ...state, requested: fact.data };
    case 'RunStarted':
      return { ...state, started: true };
    case 'RunPageDone':
      return { ...state, page: fact.data.page, cursorId: fact.data.cursorId, attempts: 0, nextAttemptAt: null };
    case 'RunAttemptFailed':
      return { ...state, attempts: fact.data.attempt, nextAttemptAt: fact.data.nextAttemptAt };
    case 'RunDied':
      return { ...state, attempts: fact.data.attempt, nextAttemptAt: null, ended: 'dead' };
    case 'RunCancelRequested':
      return { ...state, cancelRequested: true };
    case 'RunCancelled':
      return { ...state, ended: 'cancelled', nextAttemptAt: null };
    case 'RunCompleted':
      return { ...state, ended: 'completed' };
    case 'RunUsed':
      return { ...state, usedBy: fact.data.byRunId };
  }
}

export const ruleRun: Decider<RuleRunState, RuleRunFact> = { initialState, evolve };

export type RuleRunOutcome = readonly RuleRunFact[] | Refusal;

/** As the API names it. A run that waits for its next attempt is in `retry`. */
export function runStatus(
  state: RuleRunState,
): 'pending' | 'processing' | 'retry' | 'completed' | 'dead' | 'cancelled' {
  if (state.ended !== null) return state.ended;
  if (state.attempts > 0) return 'retry';
  return state.started ? 'processing' : 'pending';
}

/** The first request wins; repeating it changes nothing. */
export function requestRun(state: RuleRunState, requested: Requested): RuleRunOutcome {
  return state.requested === null ? [{ type: 'RunRequested', data: requested }] : [];
}

/** Takes the next steps of the work; an ended run takes none. */
export function advanceRun(state: RuleRunState, facts: readonly RuleRunFact[]): RuleRunOutcome {
  if (state.requested === null) return { refused: 'RUN_NOT_FOUND' };
  return state.ended === null ? facts : { refused: 'RUN_ENDED', meta: { status: state.ended } };
}

export function decideCancelRun(state: RuleRunState, requestedAt: string): RuleRunOutcome {
  if (state.requested === null) return { refused: 'RUN_NOT_FOUND' };
  if (state.ended !== null) return { refused: 'RUN_ENDED', meta: { status: state.ended } };
  return state.cancelRequested ? [] : [{ type: 'RunCancelRequested', data: { requestedAt } }];
}

export const MAX_RUN_ATTEMPTS = 8;

/**
 * The 8th failed attempt in a row without a page is the last one. @param broken what was done of the unfinished page,
 * which the last attempt records
 */
export function failRun(
  state: RuleRunState,
  failure: { failedAt: string; nextAttemptAt: string; code: string; message: string },
  broken: readonly RuleRunFact[] = [],
): RuleRunOutcome {
  const attempt = state.attempts + 1;
  const { nextAttemptAt, ...failed } = failure;
  return advanceRun(
    state,
    attempt >= MAX_RUN_ATTEMPTS
      ? [...broken, { type: 'RunDied', data: { attempt, ...failed } }]
      : [{ type: 'RunAttemptFailed', data: { attempt, nextAttemptAt, ...failed } }],
  );
}

/** A preview is used by one backfill; a backfill or revert is reverted once. The same run again changes nothing. */
export function useRun(state: RuleRunState, used: { byRunId: string; usedAt: string }): RuleRunOutcome {
  if (state.requested === null) return { refused: 'RUN_NOT_FOUND' };
  return state.usedBy === null ? [{ type: 'RunUsed', data: used }] : [];
}

/**
 * Whether a backfill may be based on this preview of the rule; `snapshotHash` is that of the rule's present content.
 */
export function refusePreview(state: RuleRunState, rule: { ruleId: string; snapshotHash: string }): Refusal | null {
  const { requested } = state;
  if (requested?.type !== 'preview' || requested.ruleId !== rule.ruleId) return { refused: 'RUN_NOT_FOUND' };
  if (state.ended !== 'completed') return { refused: 'PREVIEW_NOT_COMPLETED', meta: { status: runStatus(state) } };
  if (state.usedBy !== null) return { refused: 'PREVIEW_ALREADY_USED', meta: { runId: state.usedBy } };
  return requested.ruleSnapshotHash === rule.snapshotHash ? null : { refused: 'PREVIEW_STALE' };
}

/** Whether the run can be reverted: it has ended, in whatever way, and has not been reverted. */
export function refuseRevert(state: RuleRunState): Refusal | null {
  if (state.requested === null) return { refused: 'RUN_NOT_FOUND' };
  if (state.requested.type === 'preview') return { refused: 'RUN_NOT_REVERTIBLE', meta: { type: 'preview' } };
  if (state.ended === null) return { refused: 'RUN_NOT_REVERTIBLE', meta: { status: runStatus(state) } };
  return state.usedBy === null ? null : { refused: 'RUN_ALREADY_REVERTED', meta: { runId: state.usedBy } };
}
