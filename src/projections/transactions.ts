import { referenceKeyOf } from '../deciders/bank-transaction.ts';
import type { RowReferences } from '../events/bank-transaction.ts';
import type { Reference } from '../events/fields.ts';
import type { EventData, EventType, KnownEvent } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import { type Decimal, magnitudeKey } from '../shared/money.ts';
import { foldText, wordsOf } from '../shared/text-folding.ts';
import { counterpartyOf, likenessOfRow } from './likeness.ts';
import type { Projection } from './projection.ts';

export type AssignmentRecord = {
  readonly id: string;
  readonly companyId: string;
  readonly transactionId: string;
  readonly origin: 'rule' | 'manual';
  readonly originId: string;
  readonly ruleId: string | null;
  readonly ruleVersion: number | null;
  readonly ruleSnapshotHash: string | null;
  readonly reference: Reference;
  readonly referenceKey: string;
  readonly tags: readonly string[];
  readonly status: 'active' | 'revoked';
  readonly matchedAt: string;
  /** The run that attached it; null for live automation and manual assignments. */
  readonly runId: string | null;
  readonly revokedAt: string | null;
  readonly revokedReason: string | null;
  readonly revokedBy: 'person' | 'backfill' | 'revert' | null;
  readonly revokedRunId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: string;
  readonly updatedBy: string;
};

export type AutomationRecord = {
  readonly status: 'legacy' | 'pending' | 'retry' | 'completed' | 'dead';
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly lastAttemptAt: string | null;
  readonly lastEvaluatedAt: string | null;
  readonly lastError: string | null;
};

/**
 * One bank row with everything attached to it. `amountKey`, `words`, `referenceKeys`, `tags` and `ruleIds` exist for
 * searching.
 */
export type TransactionDocument = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly id: string;
  readonly accountId: string;
  readonly subAccountKey: string;
  readonly status: boolean;
  readonly revision: number;
  readonly providerStamp: string;
  readonly stampOrigin: 'provider' | 'content';
  readonly transactionDate: string;
  readonly fetchedAt: string;
  readonly code: string | null;
  readonly idNo: string;
  readonly findAI: boolean;
  readonly nameSurname: string | null;
  readonly iban: string | null;
  /** The IBAN without spaces, in one case; "" for none. */
  readonly ibanKey: string;
  readonly incoming: boolean;
  readonly amount: Decimal;
  readonly amountKey: string;
  /** Null when the bank stated none. */
  readonly balance: Decimal | null;
  readonly balanceStated: boolean;
  readonly description: string | null;
  readonly currency: string;
  readonly references?: RowReferences;
  readonly bankCode: string;
  /** What groups of transactions are found by: their counterparty, and the likeness of their descriptions. */
  readonly counterpartyKey: string;
  readonly descriptionKey: string;
  readonly words: readonly string[];
  readonly automation: AutomationRecord;
  /** When automation should next evaluate it; null for never. */
  readonly automationDueAt: string | null;
  readonly assignments: readonly AssignmentRecord[];
  readonly assigned: boolean;
  readonly referenceKeys: readonly string[];
  readonly tags: readonly string[];
  readonly ruleIds: readonly string[];
  readonly assignmentsUpdatedAt: string | null;
  readonly conflicts: number;
  readonly syncId: string;
  readonly syncPage: number;
  readonly contentHash: string;
  /** Where in the log it was recorded: the rules in force there are the ones that apply to it. */
  readonly recordedPosition: string;
  readonly recordedEventId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

type Body = Omit<TransactionDocument, '_position'>;

const TAKES = [
  'TransactionRecorded',
  'TransactionWithdrawn',
  'TransactionRelisted',
  'TransactionContentConflictSeen',
  'TransactionAutomationEvaluated',
  'TransactionAutomationFailed',
  'TransactionAutomationDied',
  'TransactionAutomationRetried',
  'TransactionAssignmentAttached',
  'TransactionAssignmentRevoked',
] as const satisfies readonly EventType[];
type Change = KnownEvent<Exclude<(typeof TAKES)[number], 'TransactionRecorded'>>;

function recorded(event: KnownEvent<'TransactionRecorded'>, key: string): Body {
  const { transactionId, automation, ...row } = event.data;
  return {
    _id: key,
    tenantId: event.metadata.tenantId,
    companyId: event.metadata.companyId ?? '',
    id: transactionId,
    status: true,
    revision: event.revision,
    ...row,
    balance: row.balanceStated ? row.balance : null,
    amountKey: magnitudeKey(row.amount),
    ibanKey: ibanKey(row.iban ?? ''),
    counterpartyKey: counterpartyOf(event.data).key,
    descriptionKey: likenessOfRow(event.data).key,
    words: wordsOf(
      [row.description, row.nameSurname, row.iban, ...Object.values(row.references ?? {})]
        .filter((text) => text !== null)
        .join(' '),
    ),
    ...untouched(automation, row.fetchedAt),
    recordedPosition: event.position,
    recordedEventId: event.id,
    createdAt: row.fetchedAt,
    updatedAt: row.fetchedAt,
  };
}

/** What evaluations, people and the bank change later, as it is recorded. */
function untouched(automation: 'pending' | 'legacy', fetchedAt: string) {
  return {
    automation: {
      status: automation,
      attempts: 0,
      nextAttemptAt: null,
      lastAttemptAt: null,
      lastEvaluatedAt: null,
      lastError: null,
    },
    automationDueAt: automation === 'pending' ? fetchedAt : null,
    assignments: [],
    assigned: false,
    referenceKeys: [],
    tags: [],
    ruleIds: [],
    assignmentsUpdatedAt: null,
    conflicts: 0,
  };
}

/** The document as the first event of its stream left it: the fields that later events change do not influence it. */
export function transactionAsRecorded(document: TransactionDocument): TransactionDocument {
  const { fetchedAt, recordedPosition, createdAt, automation } = document;
  return {
    ...document,
    status: true,
    revision: 0,
    // Only a backfill processes a legacy transaction, and it changes no automation state.
    ...untouched(automation.status === 'legacy' ? 'legacy' : 'pending', fetchedAt),
    updatedAt: createdAt,
    _position: recordedPosition,
  };
}

function withAssignments(before: Body, assignments: readonly AssignmentRecord[], at: string): Body {
  const active = assignments.filter((assignment) => assignment.status === 'active');
  const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort();
  return {
    ...before,
    assignments,
    assigned: active.length > 0,
    referenceKeys: distinct(active.map((one) => one.referenceKey)),
    tags: distinct(active.flatMap((one) => one.tags)),
    ruleIds: distinct(active.flatMap((one) => one.ruleId ?? [])),
    assignmentsUpdatedAt: at,
    updatedAt: at,
  };
}

/** An assignment after it was attached; shared with the reverse lookup, which holds the same record. */
export function attachedAssignment(event: KnownEvent<'TransactionAssignmentAttached'>): AssignmentRecord {
  const { assignmentId, activeBefore, sameReferenceBefore, withdrawn, row, ...attached } = event.data;
  const { actor } = event.metadata;
  return {
    id: assignmentId,
    companyId: event.metadata.companyId ?? '',
    transactionId: parseStreamName(event.stream).id,
    ...attached,
    referenceKey: referenceKeyOf(attached.reference),
    status: 'active',
    revokedAt: null,
    revokedReason: null,
    revokedBy: null,
    revokedRunId: null,
    createdAt: attached.matchedAt,
    updatedAt: attached.matchedAt,
    createdBy: actor.id,
    updatedBy: actor.id,
  };
}

export function revokedAssignment<Assignment extends AssignmentRecord>(
  assignment: Assignment,
  event: KnownEvent<'TransactionAssignmentRevoked'>,
): Assignment {
  const { revokedAt, reason: revokedReason, by: revokedBy, runId: revokedRunId } = event.data;
  const revocation = { revokedAt, revokedReason, revokedBy, revokedRunId };
  return {
    ...assignment,
    status: 'revoked',
    ...revocation,
    updatedAt: revokedAt,
    updatedBy: event.metadata.actor.id,
  };
}

function automationAfter(
  before: Body,
  failed: EventData<'TransactionAutomationFailed'> | EventData<'TransactionAutomationDied'>,
  status: 'retry' | 'dead',
): Body {
  const nextAttemptAt = 'nextAttemptAt' in failed ? failed.nextAttemptAt : null;
  return {
    ...before,
    automation: {
      ...before.automation,
      status,
      attempts: failed.attempt,
      nextAttemptAt,
      lastAttemptAt: failed.failedAt,
      lastError: `${failed.code}: ${failed.message}`,
    },
    automationDueAt: nextAttemptAt,
    updatedAt: failed.failedAt,
  };
}

function changed(before: Body, event: Change): Body {
  switch (event.type) {
    case 'TransactionWithdrawn':
      return { ...before, status: false, updatedAt: event.data.withdrawnAt };
    case 'TransactionRelisted':
      return { ...before, status: true, updatedAt: event.data.relistedAt };
    case 'TransactionContentConflictSeen':
      return { ...before, conflicts: before.conflicts + 1, updatedAt: event.data.seenAt };
    case 'TransactionAutomationEvaluated': {
      const { attempt, evaluatedAt } = event.data;
      return {
        ...before,
        automation: {
          status: 'completed',
          attempts: attempt,
          nextAttemptAt: null,
          lastAttemptAt: evaluatedAt,
          lastEvaluatedAt: evaluatedAt,
          lastError: null,
        },
        automationDueAt: null,
        updatedAt: evaluatedAt,
      };
    }
    case 'TransactionAutomationFailed':
      return automationAfter(before, event.data, 'retry');
    case 'TransactionAutomationDied':
      return automationAfter(before, event.data, 'dead');
    case 'TransactionAutomationRetried': {
      const { retriedAt } = event.data;
      return {
        ...before,
        automation: { ...before.automation, status: 'pending', attempts: 0, nextAttemptAt: null },
        automationDueAt: retriedAt,
        updatedAt: retriedAt,
      };
    }
    case 'TransactionAssignmentAttached':
      return withAssignments(before, [...before.assignments, attachedAssignment(event)], event.data.matchedAt);
    case 'TransactionAssignmentRevoked': {
      const assignments = before.assignments.map((assignment) =>
        assignment.id === event.data.assignmentId ? revokedAssignment(assignment, event) : assignment,
      );
      return withAssignments(before, assignments, event.data.revokedAt);
    }
  }
}

/**
 * What lists are filtered by and never changes: conditions on it are checked in the index, so that a list reads only
 * its own documents, however rare they are.
 */
const CHECKED_IN_INDEX = ['recordedPosition', 'companyId', 'currency', 'incoming', 'code'] as const;

/** The balance as in the row's event, where an unknown one is 0 and flagged as unknown. */
export function recordedBalance({ balance }: Pick<TransactionDocument, 'balance'>): Decimal {
  return balance ?? '0';
}

export const transactions: Projection<TransactionDocument, (typeof TAKES)[number]> = {
  name: 'transactions',
  version: 7,
  isReadOften: true,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    if (event.type === 'TransactionRecorded') return recorded(event, key);
    // What `changed` returns is its own: some fifty fields are copied once, not twice.
    return document === undefined ? undefined : Object.assign(changed(document, event), { revision: event.revision });
  },
  indexes: [
    { fields: ['tenantId', 'transactionDate', '_id', ...CHECKED_IN_INDEX] },
    { fields: ['tenantId', 'accountId', 'transactionDate', '_id', ...CHECKED_IN_INDEX] },
    { fields: ['tenantId', 'amountKey', '_id', ...CHECKED_IN_INDEX] },
    { fields: ['tenantId', '_position', '_id', 'recordedPosition', 'companyId'] },
    { fields: ['tenantId', 'idNo', 'transactionDate'] },
    { fields: ['tenantId', 'ibanKey', 'transactionDate'] },
    { fields: ['tenantId', 'assigned', 'transactionDate', '_id', ...CHECKED_IN_INDEX] },
    { fields: ['tenantId', 'counterpartyKey', 'transactionDate', '_id', 'assigned', 'companyId'] },
    { fields: ['tenantId', 'descriptionKey', 'transactionDate', '_id', 'assigned', 'companyId'] },
    // Nearly all are null: they were evaluated as they came in.
    { fields: ['automationDueAt'], notNull: true },
    { fields: ['tenantId', 'automation.status', 'createdAt'] },
    { fields: ['tenantId', 'automation.status', 'transactionDate'] },
    { fields: ['tenantId', 'code'], unordered: true },
    { fields: ['tenantId', 'currency'], unordered: true },
    { fields: ['tenantId', 'words'], multi: true },
    { fields: ['tenantId', 'referenceKeys'], multi: true },
    { fields: ['tenantId', 'tags'], multi: true },
    { fields: ['tenantId', 'ruleIds'], multi: true },
  ],
};

/** An IBAN in the form used for comparison: without spaces, regardless of case. */
export function ibanKey(iban: string): string {
  return foldText(iban).replaceAll(' ', '');
}
