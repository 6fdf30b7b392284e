import type { BankTransactionFact } from '../events/registry.ts';
import type { RunResult } from '../events/rule-run.ts';
import {
  type Assignment,
  attachedByRule,
  type BankTransactionState,
  bankTransaction,
  countStanding,
  figuresOf,
  type MatchedRule,
  missingReferences,
  referenceKeyOf,
  suppressionKey,
} from './bank-transaction.ts';

/**
 * Makes the id of an assignment that a run attaches. Computed from the run, so that the repeated run finds what it did.
 */
export type RunAssignmentId = (part: string) => string;

type Change = {
  readonly runId: string;
  readonly by: 'backfill' | 'revert';
  readonly at: string;
  readonly assignmentId: RunAssignmentId;
};

type Attachment = Parameters<typeof attachedByRule>[0] & {
  readonly reference: Assignment['reference'];
  readonly assignmentId: string;
};

function changes(
  state: BankTransactionState,
  { runId, by, at }: Change,
  revoked: readonly Assignment[],
  attached: readonly Attachment[],
): BankTransactionFact[] {
  if (state.recorded === null) return [];
  const row = figuresOf(state.recorded);
  const standing = countStanding(state);
  const facts: BankTransactionFact[] = [];
  for (const { id: assignmentId, ruleId, ruleSnapshotHash, referenceKey } of revoked) {
    const whose = { assignmentId, ruleId, ruleSnapshotHash, referenceKey };
    const data = { ...whose, revokedAt: at, reason: null, by, runId, ...standing.revoke(referenceKey), row };
    facts.push({ type: 'TransactionAssignmentRevoked', data });
  }
  for (const { reference, assignmentId, ...rule } of attached) {
    const before = standing.attach(referenceKeyOf(reference));
    facts.push(attachedByRule(rule, reference, { assignmentId, runId, matchedAt: at, ...before, row }));
  }
  return facts;
}

function isSuppressed(state: BankTransactionState, ruleId: string, snapshotHash: string): boolean {
  return state.suppressed.has(suppressionKey(ruleId, snapshotHash));
}

export type Coverage = Change & { readonly rule: MatchedRule; readonly matched: boolean };

/**
 * What a backfill does to one of its candidates: attaches what the rule asks for and has not attached yet, and revokes
 * what it attached and no longer asks for. It never touches what a person attached, nor anything for a rule whose
 * assignment a person revoked. Repeated, it gives nothing.
 */
export function coverByRun(state: BankTransactionState, coverage: Coverage): readonly BankTransactionFact[] {
  const { rule, matched, assignmentId } = coverage;
  if (matched && isSuppressed(state, rule.ruleId, rule.snapshotHash)) return [];
  const wanted = new Set(matched ? rule.actions.map(({ reference }) => referenceKeyOf(reference)) : []);
  const unwanted = state.assignments.filter(
    (one) => one.active && one.ruleId === rule.ruleId && !wanted.has(one.referenceKey),
  );
  const ids = new Set(state.assignments.map(({ id }) => id));
  const missing = (matched ? missingReferences(state, rule) : [])
    .map((reference) => ({ ...rule, reference, assignmentId: assignmentId(referenceKeyOf(reference)) }))
    .filter((one) => !ids.has(one.assignmentId));
  return changes(state, coverage, unwanted, missing);
}

/** What a backfill did to a candidate, from the state after it; null for one that neither matches nor was changed. */
export function coverageResult(
  after: BankTransactionState,
  transactionId: string,
  { runId, rule, matched }: Pick<Coverage, 'runId' | 'rule' | 'matched'>,
): RunResult | null {
  const { attachedIds, revokedIds } = doneBy(after, runId);
  const result = (outcome: RunResult['outcome']): RunResult => ({ transactionId, outcome, attachedIds, revokedIds });
  if (attachedIds.length > 0) return result(revokedIds.length > 0 ? 'replaced' : 'attached');
  if (matched && isSuppressed(after, rule.ruleId, rule.snapshotHash)) return result('suppressed');
  if (matched) return result('already_attached');
  return revokedIds.length > 0 ? result('revoked') : null;
}

function doneBy(after: BankTransactionState, runId: string) {
  return {
    attachedIds: after.assignments.filter((one) => one.runId === runId).map(({ id }) => id),
    revokedIds: after.assignments.filter((one) => one.revokedRunId === runId).map(({ id }) => id),
  };
}

export type Undoing = Change & { readonly attachedIds: readonly string[]; readonly revokedIds: readonly string[] };

/**
 * Undoes what a run did to a transaction: what it attached and is still active is revoked; what it revoked is attached
 * again unless the rule has attached the same since or a person has revoked it. Repeated, it gives nothing.
 */
export function undoOnTransaction(state: BankTransactionState, undoing: Undoing): readonly BankTransactionFact[] {
  const ids = new Set(state.assignments.map(({ id }) => id));
  const revoked = state.assignments.filter((one) => one.active && undoing.attachedIds.includes(one.id));
  const restored = state.assignments
    .filter((one) => undoing.revokedIds.includes(one.id))
    .filter((one) => !isHeldBesides(state, one, revoked))
    .flatMap((one) => attachmentOf(one, undoing.assignmentId(one.id)))
    .filter((one) => !ids.has(one.assignmentId) && !isSuppressed(state, one.ruleId, one.snapshotHash));
  return changes(state, undoing, revoked, restored);
}

function isHeldBesides(state: BankTransactionState, wanted: Assignment, going: readonly Assignment[]): boolean {
  return state.assignments.some(
    (one) =>
      one.active && one.ruleId === wanted.ruleId && one.referenceKey === wanted.referenceKey && !going.includes(one),
  );
}

function attachmentOf(assignment: Assignment, assignmentId: string): Attachment[] {
  const { ruleId, ruleVersion, ruleSnapshotHash: snapshotHash, reference, tags } = assignment;
  if (ruleId === null || ruleVersion === null || snapshotHash === null) return [];
  return [{ ruleId, ruleVersion, snapshotHash, tags, reference, assignmentId }];
}

export function undoingResult(after: BankTransactionState, transactionId: string, runId: string): RunResult {
  const { attachedIds, revokedIds } = doneBy(after, runId);
  const both = attachedIds.length > 0 && revokedIds.length > 0;
  const one = attachedIds.length > 0 ? 'attached' : 'revoked';
  const outcome = both ? 'replaced' : attachedIds.length + revokedIds.length === 0 ? 'kept' : one;
  return { transactionId, outcome, attachedIds, revokedIds };
}

/** The state after facts that are not appended yet, or may never be. */
export function afterFacts(state: BankTransactionState, facts: readonly BankTransactionFact[]): BankTransactionState {
  return facts.reduce(bankTransaction.evolve, state);
}
