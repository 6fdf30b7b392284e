import { assignments } from '../projections/assignments.ts';
import { connections } from '../projections/connections.ts';
import type { LogPlace } from '../projections/log-place.ts';
import type { Projection } from '../projections/projection.ts';
import { ruleRuns } from '../projections/rule-runs.ts';
import { rules } from '../projections/rules.ts';
import { schedules } from '../projections/schedules.ts';
import { syncRuns } from '../projections/sync-runs.ts';
import { transactions } from '../projections/transactions.ts';
import type { Collection, Condition, Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import { openReader } from './reader.ts';

/**
 * Every type of resource whose changes are fed, in the order in which changes of one position come; the most frequent
 * one is the last.
 */
export const CHANGE_TYPES = ['assignment', 'connection', 'rule', 'run', 'schedule', 'sync', 'transaction'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

type Changed = Document & { readonly tenantId: string; readonly companyId: string; readonly id: string };

type Feed = {
  readonly projection: Projection;
  readonly recordedPosition: (document: never) => string;
  readonly changedAt: (document: never) => string;
  /** Present state; `gone`: reads no longer find it. */
  readonly state: (document: never) => 'present' | 'withdrawn' | 'gone';
};

/** A type of any projection is accepted: its documents are read back by the functions beside it alone. */
function feed<D extends Changed & { readonly recordedPosition: string }>(
  projection: Projection<D>,
  changedAt: (document: D) => string,
  state: (document: D) => 'present' | 'withdrawn' | 'gone',
): Feed {
  return { projection: projection as unknown as Projection, recordedPosition, changedAt, state };
}

const recordedPosition = (document: { readonly recordedPosition: string }): string => document.recordedPosition;
const lastEventAt = ({ changedAt }: LogPlace): string => changedAt;
const updatedAt = (document: { readonly updatedAt: string }): string => document.updatedAt;
const archived = ({ archivedAt }: { readonly archivedAt: string | null }) =>
  archivedAt === null ? 'present' : 'withdrawn';

/** The read model that holds each type. Its documents are ordered by the position of their last event. */
export const changeFeeds: Readonly<Record<ChangeType, Feed>> = {
  assignment: feed(assignments, updatedAt, () => 'present'),
  connection: feed(connections, lastEventAt, archived),
  rule: feed(rules, lastEventAt, archived),
  run: feed(ruleRuns, lastEventAt, () => 'present'),
  schedule: feed(schedules, lastEventAt, ({ deleted }) => (deleted ? 'gone' : 'present')),
  sync: feed(syncRuns, lastEventAt, () => 'present'),
  transaction: feed(transactions, updatedAt, ({ status }) => (status ? 'present' : 'withdrawn')),
};

export type Change = {
  readonly type: ChangeType;
  readonly id: string;
  readonly kind: 'created' | 'updated' | 'withdrawn';
  readonly position: string;
  readonly at: string;
  /** Null where reads no longer find it. */
  readonly document: Document | null;
};

/**
 * How far a walk has come. The resources that last changed at or before it have been shown, those of `position` up to
 * `type` and document id `id`. What was recorded before `newFrom` has been shown before.
 */
export type ChangePoint = {
  readonly newFrom: string;
  readonly position: string;
  readonly type: string;
  readonly id: string;
};

/** Orders after every type. */
const AFTER_ALL_TYPES = '~';

/** Everything up to the position has been shown, or is not wanted. */
export function pointAt(position: string): ChangePoint {
  return { newFrom: justAfter(position), position, type: AFTER_ALL_TYPES, id: '' };
}

/** Less than any later position: these have one length. */
function justAfter(position: string): string {
  return `${position}!`;
}

type SettledReads = {
  readonly of: (
    projections: readonly Projection[],
  ) => Promise<readonly { readonly collection: Collection<Document>; readonly position: string }[]>;
};

export type ChangePage = {
  readonly items: readonly Change[];
  readonly next: ChangePoint;
  /** Whether there is more to show now. */
  readonly more: boolean;
};

/**
 * The resources that changed after the point, in the order of their last change, and the point after them. A resource
 * that changes meanwhile has a later position then, so it comes later and is never skipped. Nothing is shown beyond the
 * position that every read model of the types has reached: what they add before it would be missed.
 */
export async function pageOfChanges(
  settledReads: SettledReads,
  scope: { readonly tenantId: string; readonly companies: readonly string[] | null },
  options: { readonly types: readonly ChangeType[]; readonly after: ChangePoint; readonly limit: number },
): Promise<ChangePage> {
  const { types, after, limit } = options;
  const reads = await settledReads.of(types.map((type) => changeFeeds[type].projection));
  const settled = reads.map(({ position }) => position).reduce((one, other) => (one < other ? one : other));
  if (settled <= after.position && after.type === AFTER_ALL_TYPES) return { items: [], next: after, more: false };

  async function pageOf(type: ChangeType, upTo: string | null) {
    const { collection } = reads[types.indexOf(type)] as (typeof reads)[number];
    const reader = openReader({ of: () => collection as never }, scope.tenantId, scope.companies);
    const { items, after: rest } = await reader.page(changeFeeds[type].projection as Projection<Changed>, {
      filter: [...unseen(type, after), ...upToPosition(upTo)],
      sort: [{ field: '_position', direction: 'asc' }],
      limit,
      ...(type === after.type ? { after: [after.position, after.id] } : {}),
    });
    return { found: items.map((document) => ({ type, document })), isAll: rest === null };
  }

  // Where the most frequent type fills the page, the others are read only as far as it reaches.
  const [first, ...others] = types.toReversed() as [ChangeType, ...ChangeType[]];
  const fullest = await pageOf(first, null);
  const reach = fullest.isAll ? null : (fullest.found.at(-1)?.document._position ?? null);
  const pages = [fullest, ...(await Promise.all(others.map((type) => pageOf(type, reach))))];
  const found = pages.flatMap((page) => page.found).sort(inOrder);
  const due = found.filter(({ document }) => document._position <= settled);
  const items = due.slice(0, limit);
  const changes = items.map(({ type, document }) => changeOf(type, document, after.newFrom));
  const isComplete = pages.every((page) => page.isAll || (page.found.at(-1)?.document._position ?? '') > settled);
  const last = items.at(-1);
  if (due.length > limit || !isComplete) {
    return { items: changes, next: last === undefined ? after : pointOf(last, after.newFrom), more: true };
  }
  if (settled < after.position) return { items: changes, next: after, more: false };
  const isAll = pages.every((page) => page.isAll);
  const newFrom = isAll ? firstUnshown(found.slice(due.length), settled, after) : after.newFrom;
  return { items: changes, next: { ...pointAt(settled), newFrom }, more: false };
}

/** What was recorded before the position, and changed after it, comes later and for the first time. */
function firstUnshown(later: readonly Found[], settled: string, { newFrom }: ChangePoint): string {
  return later
    .map(({ type, document }) => changeFeeds[type].recordedPosition(document as never))
    .filter((recorded) => recorded >= newFrom)
    .reduce((one, other) => (one < other ? one : other), justAfter(settled));
}

/** The point after one item of a page that began at the other one. */
export function pointAfter(change: Change, scope: { readonly tenantId: string }, from: ChangePoint): ChangePoint {
  const { type, id, position } = change;
  return { newFrom: from.newFrom, position, type, id: documentId(scope.tenantId, id) };
}

type Found = { readonly type: ChangeType; readonly document: Changed };

function pointOf({ type, document }: Found, newFrom: string): ChangePoint {
  return { newFrom, position: document._position, type, id: document._id };
}

function unseen(type: ChangeType, after: ChangePoint): Condition[] {
  if (type === after.type) return [];
  return [{ field: '_position', op: type > after.type ? 'gte' : 'gt', value: after.position }];
}

function upToPosition(position: string | null): Condition[] {
  return position === null ? [] : [{ field: '_position', op: 'lte', value: position }];
}

function inOrder(one: Found, other: Found): number {
  const keys = ({ type, document }: Found) => [document._position, type, document._id] as const;
  const [left, right] = [keys(one), keys(other)];
  for (const [at, key] of left.entries()) {
    const against = right[at] as string;
    if (key !== against) return key < against ? -1 : 1;
  }
  return 0;
}

function changeOf(type: ChangeType, document: Changed, newFrom: string): Change {
  const { recordedPosition: recorded, changedAt, state } = changeFeeds[type];
  const shown = document as never;
  const now = state(shown);
  const kind = recorded(shown) >= newFrom ? 'created' : 'updated';
  return {
    type,
    id: document.id,
    kind: now === 'gone' || (now === 'withdrawn' && kind === 'updated') ? 'withdrawn' : kind,
    position: document._position,
    at: changedAt(shown),
    document: now === 'gone' ? null : document,
  };
}
