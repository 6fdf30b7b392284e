import type { RowFigures, RowTexts } from '../events/bank-transaction.ts';
import type { Reference } from '../events/fields.ts';
import type { BankTransactionFact, EventData } from '../events/registry.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

type Recorded = EventData<'TransactionRecorded'>;

export type Assignment = {
  readonly id: string;
  readonly origin: 'rule' | 'manual';
  readonly ruleId: string | null;
  readonly ruleVersion: number | null;
  readonly ruleSnapshotHash: string | null;
  readonly reference: Reference;
  readonly referenceKey: string;
  readonly tags: readonly string[];
  readonly active: boolean;
  /** The run that attached it, and the one that revoked it. */
  readonly runId: string | null;
  readonly revokedRunId: string | null;
};

export type BankTransactionState = {
  readonly recorded: Recorded | null;
  readonly withdrawn: boolean;
  /** False after a withdrawal that did not record the counterparty. */
  readonly withdrawnWithCounterparty: boolean;
  readonly automation: {
    readonly status: 'legacy' | 'pending' | 'retry' | 'completed' | 'dead';
    readonly attempts: number;
  };
  readonly assignments: readonly Assignment[];
  /**
   * `ruleId snapshotHash` of what a person revoked: such a rule attaches nothing here while its content stays the same.
   */
  readonly suppressed: ReadonlySet<string>;
  readonly seenContentHashes: readonly string[];
};

const initialState: BankTransactionState = {
  recorded: null,
  withdrawn: false,
  withdrawnWithCounterparty: false,
  automation: { status: 'legacy', attempts: 0 },
  assignments: [],
  suppressed: new Set(),
  seenContentHashes: [],
};

export function suppressionKey(ruleId: string, snapshotHash: string): string {
  return `${ruleId} ${snapshotHash}`;
}

function evolve(state: BankTransactionState, fact: BankTransactionFact): BankTransactionState {
  switch (fact.type) {
    case 'TransactionRecorded':
      return { ...state, recorded: fact.data, automation: { status: fact.data.automation, attempts: 0 } };
    case 'TransactionWithdrawn':
      return { ...state, withdrawn: true, withdrawnWithCounterparty: fact.data.counterparty !== null };
    case 'TransactionRelisted':
      return { ...state, withdrawn: false };
    case 'TransactionContentConflictSeen':
      return { ...state, seenContentHashes: [...state.seenContentHashes, fact.data.contentHash] };
    case 'TransactionAutomationEvaluated':
      return { ...state, automation: { status: 'completed', attempts: fact.data.attempt } };
    case 'TransactionAutomationFailed':
      return { ...state, automation: { status: 'retry', attempts: fact.data.attempt } };
    case 'TransactionAutomationDied':
      return { ...state, automation: { status: 'dead', attempts: fact.data.attempt } };
    case 'TransactionAutomationRetried':
      return { ...state, automation: { status: 'pending', attempts: 0 } };
    case 'TransactionAssignmentAttached': {
      const { assignmentId: id, origin, ruleId, ruleVersion, ruleSnapshotHash, runId } = fact.data;
      const { reference, referenceKey, tags } = fact.data;
      const rule = { ruleId, ruleVersion, ruleSnapshotHash };
      const attached = { id, origin, ...rule, reference, referenceKey, tags, active: true, runId, revokedRunId: null };
      return { ...state, assignments: [...state.assignments, attached] };
    }
    case 'TransactionAssignmentRevoked': {
      const { assignmentId, by, ruleId, ruleSnapshotHash, runId } = fact.data;
      const assignments = state.assignments.map((assignment) =>
        assignment.id === assignmentId ? { ...assignment, active: false, revokedRunId: runId } : assignment,
      );
      if (by !== 'person' || ruleId === null || ruleSnapshotHash === null) return { ...state, assignments };
      const suppressed = new Set(state.suppressed).add(suppressionKey(ruleId, ruleSnapshotHash));
      return { ...state, assignments, suppressed };
    }
  }
}

export const bankTransaction: Decider<BankTransactionState, BankTransactionFact> = { initialState, evolve };

export type BankTransactionOutcome = readonly BankTransactionFact[] | Refusal;

const notFound: Refusal = { refused: 'TRANSACTION_NOT_FOUND' };

/** The first time the bank lists the row. When the stream already exists, the caller handles the conflict. */
export function recordTransaction(recorded: Recorded): BankTransactionFact {
  return { type: 'TransactionRecorded', data: recorded };
}

export function figuresOf(recorded: RowFigures & RowTexts): RowFigures {
  const { accountId, subAccountKey, bankCode, transactionDate, currency } = recorded;
  const { incoming, amount, balance, balanceStated, nameSurname, iban, idNo, description } = recorded;
  const figures = { accountId, subAccountKey, bankCode, transactionDate, currency, incoming, amount, balance };
  return { ...figures, balanceStated, texts: { nameSurname, iban, idNo, description } };
}

export function activeCount(state: BankTransactionState): number {
  return state.assignments.filter((assignment) => assignment.active).length;
}

/** The assignments before a change: enough to know from the change alone which figures it affects. */
export type StandingBefore = {
  readonly activeBefore: number;
  readonly sameReferenceBefore: number;
  readonly withdrawn: boolean;
};

/** Applies a list of changes that are not in the state yet. */
export function countStanding(state: BankTransactionState): {
  readonly attach: (referenceKey: string) => StandingBefore;
  readonly revoke: (referenceKey: string) => StandingBefore;
} {
  const ofReference = new Map<string, number>();
  for (const { active, referenceKey } of state.assignments) {
    if (active) ofReference.set(referenceKey, (ofReference.get(referenceKey) ?? 0) + 1);
  }
  let activeBefore = activeCount(state);
  const change = (referenceKey: string, by: 1 | -1): StandingBefore => {
    const sameReferenceBefore = ofReference.get(referenceKey) ?? 0;
    const before = { activeBefore, sameReferenceBefore, withdrawn: state.withdrawn };
    ofReference.set(referenceKey, sameReferenceBefore + by);
    activeBefore += by;
    return before;
  };
  return {
    attach: (referenceKey) => change(referenceKey, 1),
    revoke: (referenceKey) => change(referenceKey, -1),
  };
}

/** What counts as a row's content: everything the bank states about it except the balance, which banks recompute. */
export type TransactionContent = Pick<
  Recorded,
  | 'subAccountKey'
  | 'transactionDate'
  | 'amount'
  | 'incoming'
  | 'currency'
  | 'description'
  | 'nameSurname'
  | 'iban'
  | 'idNo'
  | 'code'
>;

export const CONTENT_FIELDS = [
  'subAccountKey',
  'transactionDate',
  'amount',
  'incoming',
  'currency',
  'description',
  'nameSurname',
  'iban',
  'idNo',
  'code',
] as const satisfies readonly (keyof TransactionContent)[];

/**
 * The same stamp again: nothing when the content is as recorded or this other content was noted before; else it is
 * noted, and the first content stays.
 */
export function seeContent(
  state: BankTransactionState,
  seen: { syncId: string; accountId: string; seenAt: string; contentHash: string; content: TransactionContent },
): BankTransactionOutcome {
  const { recorded } = state;
  if (recorded === null) return notFound;
  if (seen.contentHash === recorded.contentHash || state.seenContentHashes.includes(seen.contentHash)) return [];
  const differences = CONTENT_FIELDS.filter((field) => seen.content[field] !== recorded[field]).map((field) => ({
    field,
    recorded: recorded[field],
    seen: seen.content[field],
  }));
  const { syncId, accountId, seenAt, contentHash } = seen;
  return [{ type: 'TransactionContentConflictSeen', data: { syncId, accountId, seenAt, contentHash, differences } }];
}

/** The bank withdrew the row: it stays, marked. For a row that was never recorded there is nothing to mark. */
export function withdrawTransaction(
  state: BankTransactionState,
  withdrawal: { syncId: string; withdrawnAt: string },
): BankTransactionOutcome {
  if (state.recorded === null || state.withdrawn) return [];
  return [{ type: 'TransactionWithdrawn', data: { ...withdrawal, ...countedOf(state, state.recorded) } }];
}

/** The bank lists a withdrawn row again: it becomes active again. Nothing for one that is active. */
export function relistTransaction(
  state: BankTransactionState,
  relisting: { syncId: string; relistedAt: string },
): BankTransactionOutcome {
  if (state.recorded === null || !state.withdrawn) return [];
  const counted = countedOf(state, state.recorded);
  const unnoted = state.withdrawnWithCounterparty ? {} : { fetchedAt: null, counterparty: null };
  return [{ type: 'TransactionRelisted', data: { ...relisting, ...counted, ...unnoted } }];
}

/** What figures lose when the row is withdrawn, and gain when it is listed again. */
function countedOf(state: BankTransactionState, recorded: Recorded) {
  const { fetchedAt, nameSurname, iban, idNo } = recorded;
  const referenceKeys = [...new Set(state.assignments.filter((one) => one.active).map((one) => one.referenceKey))];
  return { row: figuresOf(recorded), fetchedAt, counterparty: { nameSurname, iban, idNo }, referenceKeys };
}

export type MatchedRule = {
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly snapshotHash: string;
  readonly tags: readonly string[];
  readonly actions: readonly { readonly id: string; readonly reference: Reference }[];
};

export function referenceKeyOf(reference: Pick<Reference, 'source' | 'entityType' | 'externalId'>): string {
  return `${reference.source}:${reference.entityType}:${reference.externalId}`;
}

/**
 * The evaluation and the assignments it leads to, as one list so that they are one append. Nothing when the transaction
 * does not wait for automation. A rule whose assignment a person revoked is noted as matched and suppressed.
 */
export function evaluateAutomation(
  state: BankTransactionState,
  evaluation: {
    evaluatedAt: string;
    rulesInForce: number;
    rulesDigest: string;
    matched: readonly MatchedRule[];
    newId: () => string;
  },
): BankTransactionOutcome {
  const { recorded } = state;
  if (recorded === null) return notFound;
  if (state.automation.status !== 'pending' && state.automation.status !== 'retry') return [];
  const matches = evaluation.matched.map((rule) => ({
    ruleId: rule.ruleId,
    ruleVersion: rule.ruleVersion,
    ruleSnapshotHash: rule.snapshotHash,
    suppressed: state.suppressed.has(suppressionKey(rule.ruleId, rule.snapshotHash)),
  }));
  const { evaluatedAt: matchedAt, newId } = evaluation;
  const standing = countStanding(state);
  const row = figuresOf(recorded);
  const attached: BankTransactionFact[] = [];
  for (const [index, rule] of evaluation.matched.entries()) {
    if (matches[index]?.suppressed !== false) continue;
    for (const reference of missingReferences(state, rule)) {
      const before = standing.attach(referenceKeyOf(reference));
      attached.push(attachedByRule(rule, reference, { assignmentId: newId(), runId: null, matchedAt, ...before, row }));
    }
  }
  const { evaluatedAt, rulesInForce, rulesDigest } = evaluation;
  return [
    {
      type: 'TransactionAutomationEvaluated',
      data: { attempt: state.automation.attempts + 1, evaluatedAt, rulesInForce, rulesDigest, matches },
    },
    ...attached,
  ];
}

/** The rule's references, each once, that it does not hold on this transaction already. */
export function missingReferences(state: BankTransactionState, rule: MatchedRule): Reference[] {
  const held = new Set(
    state.assignments.filter((one) => one.active && one.ruleId === rule.ruleId).map((one) => one.referenceKey),
  );
  const missing = new Map<string, Reference>();
  for (const { reference } of rule.actions) {
    const key = referenceKeyOf(reference);
    if (!held.has(key) && !missing.has(key)) missing.set(key, reference);
  }
  return [...missing.values()];
}

export function attachedByRule(
  rule: Omit<MatchedRule, 'actions'>,
  reference: Reference,
  attachment: StandingBefore & {
    assignmentId: string;
    runId: string | null;
    matchedAt: string;
    row: RowFigures;
  },
): BankTransactionFact {
  return {
    type: 'TransactionAssignmentAttached',
    data: {
      ...attachment,
      origin: 'rule',
      originId: rule.ruleId,
      ruleId: rule.ruleId,
      ruleVersion: rule.ruleVersion,
      ruleSnapshotHash: rule.snapshotHash,
      reference,
      referenceKey: referenceKeyOf(reference),
      tags: [...rule.tags],
    },
  };
}

export const MAX_AUTOMATION_ATTEMPTS = 8;

/** The 8th failed attempt is the last one; before it the next attempt's time is recorded with the failure. */
export function failAutomation(
  state: BankTransactionState,
  failure: { failedAt: string; nextAttemptAt: string; code: string; message: string },
): BankTransactionOutcome {
  if (state.recorded === null) return notFound;
  if (state.automation.status !== 'pending' && state.automation.status !== 'retry') return [];
  const attempt = state.automation.attempts + 1;
  const { failedAt, nextAttemptAt, code, message } = failure;
  return attempt >= MAX_AUTOMATION_ATTEMPTS
    ? [{ type: 'TransactionAutomationDied', data: { attempt, failedAt, code, message } }]
    : [{ type: 'TransactionAutomationFailed', data: { attempt, failedAt, nextAttemptAt, code, message } }];
}

export function decideRetryAutomation(state: BankTransactionState, retriedAt: string): BankTransactionOutcome {
  const { status } = state.automation;
  if (state.recorded === null) return notFound;
  if (status !== 'retry' && status !== 'dead') return { refused: 'AUTOMATION_NOT_RETRYABLE', meta: { status } };
  return [{ type: 'TransactionAutomationRetried', data: { retriedAt, from: status } }];
}

/**
 * With so many, active and revoked, a person can attach no further one: the stream and the document of the transaction
 * hold all of them, and whoever attaches and revokes in a loop must not make them larger than a store takes.
 */
const MOST_ASSIGNMENTS = 1_000;

export function attachManually(
  state: BankTransactionState,
  attachment: {
    assignmentId: string;
    actorId: string;
    reference: Reference;
    tags: readonly string[];
    attachedAt: string;
  },
): BankTransactionOutcome {
  if (state.recorded === null) return notFound;
  const referenceKey = referenceKeyOf(attachment.reference);
  const same = state.assignments.find(
    (one) => one.active && one.origin === 'manual' && one.referenceKey === referenceKey,
  );
  if (same !== undefined) return { refused: 'ASSIGNMENT_EXISTS', meta: { assignmentId: same.id } };
  if (state.assignments.length >= MOST_ASSIGNMENTS) {
    return { refused: 'TENANT_LIMIT_REACHED', meta: { what: 'assignments of a transaction', limit: MOST_ASSIGNMENTS } };
  }
  return [
    {
      type: 'TransactionAssignmentAttached',
      data: {
        assignmentId: attachment.assignmentId,
        origin: 'manual',
        originId: attachment.actorId,
        ruleId: null,
        ruleVersion: null,
        ruleSnapshotHash: null,
        reference: attachment.reference,
        referenceKey,
        tags: [...attachment.tags],
        matchedAt: attachment.attachedAt,
        runId: null,
        ...countStanding(state).attach(referenceKey),
        row: figuresOf(state.recorded),
      },
    },
  ];
}

export function decideRevokeAssignment(
  state: BankTransactionState,
  revocation: { assignmentId: string; reason: string | null; revokedAt: string },
): BankTransactionOutcome {
  if (state.recorded === null) return notFound;
  const assignment = state.assignments.find((one) => one.id === revocation.assignmentId);
  if (assignment === undefined) return { refused: 'ASSIGNMENT_NOT_FOUND' };
  if (!assignment.active) return { refused: 'ASSIGNMENT_REVOKED' };
  const { ruleId, ruleSnapshotHash, referenceKey } = assignment;
  const standing = countStanding(state).revoke(referenceKey);
  const row = figuresOf(state.recorded);
  return [
    {
      type: 'TransactionAssignmentRevoked',
      data: { ...revocation, by: 'person', runId: null, ruleId, ruleSnapshotHash, referenceKey, ...standing, row },
    },
  ];
}
