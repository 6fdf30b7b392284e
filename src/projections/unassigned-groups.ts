import type { RowFigures, RowTexts } from '../events/bank-transaction.ts';
import type { EventType, KnownEvent } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Figures } from './analytics/packed-figures.ts';
import { plus } from './analytics/sums.ts';
import { counterpartyOf, cut, likenessOfRow } from './likeness.ts';
import type { Projection } from './projection.ts';

export const GROUPED_BY = ['counterparty', 'description'] as const;
export type GroupedBy = (typeof GROUPED_BY)[number];

/** What the rows of a group have in common; `name` is the name of a counterparty, or the words of a likeness. */
export type GroupIdentity = {
  readonly by: GroupedBy;
  /** The same as `counterpartyKey` or `descriptionKey` of the group's transactions. */
  readonly key: string;
  readonly name: string;
  /** Null for a likeness. */
  readonly iban: string | null;
  readonly idNo: string | null;
};

/**
 * The transactions of a company that have no active assignment and were not withdrawn, grouped by counterparty and
 * again by the likeness of their descriptions (`likeness.ts`): how many, and what they add up to in each currency as
 * `inflow` and `outflow`. It holds no list of them, so it does not grow with their number; a group that has become
 * empty stays with a count of 0.
 *
 * Events of releases before rows repeated their texts (`row.texts`) do not say which group they change. The document
 * with `by` "unknown" counts these: where there is one, the groups of its company are not exact.
 */
export type UnassignedGroupDocument = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly by: GroupedBy | 'unknown';
  readonly key: string;
  readonly name: string;
  readonly iban: string | null;
  readonly idNo: string | null;
  readonly count: number;
  readonly sums: Readonly<Record<string, Figures>>;
  /** The last of them to be added. */
  readonly sampleIds: readonly string[];
};

type Body = Omit<UnassignedGroupDocument, '_position'>;

/** Of a counterparty whose name is longer, the beginning is shown. */
const LONGEST_NAME = 200;

/** The groups that a transaction belongs to while it has no assignment. */
export function groupsOf(texts: RowTexts): readonly GroupIdentity[] {
  const { key, counterparty, iban, idNo } = counterpartyOf(texts);
  const name = cut(counterparty, LONGEST_NAME);
  const likeness = likenessOfRow(texts);
  return [
    { by: 'counterparty', key, name, iban, idNo },
    { by: 'description', key: likeness.key, name: likeness.words, iban: null, idNo: null },
  ];
}

export const MOST_SAMPLES = 5;

const TAKES = [
  'TransactionRecorded',
  'TransactionWithdrawn',
  'TransactionRelisted',
  'TransactionAssignmentAttached',
  'TransactionAssignmentRevoked',
] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

/** How the number of unassigned rows changes by the event. */
function changeOf(event: Taken): 1 | 0 | -1 {
  switch (event.type) {
    case 'TransactionRecorded':
      return 1;
    case 'TransactionWithdrawn':
      return event.data.referenceKeys.length === 0 ? -1 : 0;
    case 'TransactionRelisted':
      return event.data.referenceKeys.length === 0 ? 1 : 0;
    case 'TransactionAssignmentAttached':
      return event.data.withdrawn || event.data.activeBefore > 0 ? 0 : -1;
    case 'TransactionAssignmentRevoked':
      return event.data.withdrawn || event.data.activeBefore > 1 ? 0 : 1;
  }
}

function rowOf(event: Taken): { readonly row: RowFigures; readonly texts: RowTexts | undefined } {
  if (event.type === 'TransactionRecorded') return { row: event.data, texts: event.data };
  const { row } = event.data;
  return { row, texts: row.texts };
}

const UNKNOWN = { by: 'unknown', key: '', name: '', iban: null, idNo: null } as const;

function keyOf({ metadata: { tenantId, companyId } }: Taken, by: string, key: string): string {
  return documentId(tenantId, companyId ?? '', by, key);
}

export const unassignedGroups: Projection<UnassignedGroupDocument, (typeof TAKES)[number]> = {
  name: 'unassigned-groups',
  version: 1,
  takes: TAKES,
  keys(event) {
    if (changeOf(event) === 0) return [];
    const { texts } = rowOf(event);
    return (texts === undefined ? [UNKNOWN] : groupsOf(texts)).map(({ by, key }) => keyOf(event, by, key));
  },
  evolve(document, event, key) {
    const { row, texts } = rowOf(event);
    const change = changeOf(event);
    if (change === 0) return document;
    const identities = texts === undefined ? [UNKNOWN] : groupsOf(texts);
    const identity = identities.find((one) => keyOf(event, one.by, one.key) === key);
    if (identity === undefined) return document;
    const { tenantId, companyId } = event.metadata;
    const fresh: Body = {
      _id: key,
      tenantId,
      companyId: companyId ?? '',
      ...identity,
      count: 0,
      sums: {},
      sampleIds: [],
    };
    const before = document ?? fresh;
    if (identity.by === 'unknown') return { ...before, count: before.count + 1 };
    const { id } = parseStreamName(event.stream);
    const others = before.sampleIds.filter((one) => one !== id);
    return {
      ...before,
      count: before.count + change,
      sums: withRow(before.sums, row, change),
      sampleIds: change === 1 ? [id, ...others].slice(0, MOST_SAMPLES) : others,
    };
  },
  indexes: [
    { fields: ['tenantId', 'by', 'count', '_id', 'companyId'] },
    { fields: ['tenantId', 'by', 'name', '_id', 'count', 'companyId'] },
  ],
};

function withRow(sums: UnassignedGroupDocument['sums'], row: RowFigures, times: 1 | -1) {
  const { currency, incoming, amount } = row;
  const figures = { [incoming ? 'inflow' : 'outflow']: amount, count: 1 };
  const sum = plus(sums[currency] ?? {}, figures, times);
  if (Object.keys(sum).length > 0) return { ...sums, [currency]: sum };
  const { [currency]: _, ...others } = sums;
  return others;
}
