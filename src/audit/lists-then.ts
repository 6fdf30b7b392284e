import { streamName } from '../log/streams.ts';
import { type AssignmentDocument, assignments } from '../projections/assignments.ts';
import type { Projection } from '../projections/projection.ts';
import { type RuleDocument, rules } from '../projections/rules.ts';
import { transactionDays } from '../projections/transaction-days.ts';
import { type TransactionDocument, transactionAsRecorded, transactions } from '../projections/transactions.ts';
import type { Document } from '../readstore/read-store.ts';
import type { DaysThen } from './days-then.ts';

export type Owned = Document & { readonly tenantId: string; readonly companyId?: string };

/** What listing a read model's documents as of a position requires. */
export type ListThen<D extends Owned> = {
  readonly projection: Projection<D>;
  /** The one stream that the document is folded from. */
  readonly streamOf: (document: D) => string;
  /** Holds the position of the document's first event, which never changes; null where no field does. */
  readonly recordedPosition: string | null;
  /**
   * Fields that later events can change. All others, and those of every sort, keep the value that the first event set.
   */
  readonly changing: ReadonlySet<string>;
  /**
   * The document after the first event of its stream, made from fields that later events do not change, so that the
   * event, the largest of the stream, is not read again; null where these fields are not enough.
   */
  readonly asRecorded: ((document: D) => D) | null;
  /** Shows which days a list in the order of days can skip. */
  readonly days: DaysThen | null;
};

export const transactionsThen: ListThen<TransactionDocument> = {
  projection: transactions,
  streamOf: ({ tenantId, id }) => streamName('bankTransaction', tenantId, id),
  recordedPosition: 'recordedPosition',
  changing: new Set(['automation.status', 'assigned', 'referenceKeys', 'tags', 'ruleIds']),
  asRecorded: transactionAsRecorded,
  days: { projection: transactionDays, field: 'transactionDate' },
};

export const assignmentsThen: ListThen<AssignmentDocument> = {
  projection: assignments,
  streamOf: ({ tenantId, transactionId }) => streamName('bankTransaction', tenantId, transactionId),
  recordedPosition: 'recordedPosition',
  changing: new Set(['status']),
  asRecorded: null,
  days: null,
};

export const rulesThen: ListThen<RuleDocument> = {
  projection: rules,
  streamOf: ({ tenantId, id }) => streamName('transactionRule', tenantId, id),
  recordedPosition: null,
  changing: new Set(['status', 'referenceKey', 'archived', 'tags', 'words']),
  asRecorded: null,
  days: null,
};

/** The read models that must have reached the position. */
export function readsOf<D extends Owned>({ projection, days }: ListThen<D>): string[] {
  return [projection.name, ...(days === null ? [] : [days.projection.name])];
}
