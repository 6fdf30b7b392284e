import type { HistoryEntry } from '../projections/history.ts';
import type { Collection, Condition, Document } from '../readstore/read-store.ts';
import type { HistoryQuestion, HistoryReadable, MomentInHistory, PaceReads } from './history-question.ts';

/**
 * The history with one document an event, as it was before version 3. An installation that is updated reads it until
 * the blocks are built (ADR 0055).
 */

const FIRST_IN_BLOCKS = 3;
const PAGE = 500;

/** A document of an event; without `companyId` where it is of no company. */
type FormerDocument = Document & Omit<HistoryEntry, 'companyId'> & { readonly companyId?: string };

type Owner = Pick<HistoryQuestion, 'tenantId' | 'companies'>;

export function isFormer({ version }: Pick<HistoryReadable, 'version'>): boolean {
  return version < FIRST_IN_BLOCKS;
}

function formerOf({ collection }: HistoryReadable): Collection<FormerDocument> {
  return collection as unknown as Collection<FormerDocument>;
}

function ownedBy({ tenantId, companies }: Owner): Condition[] {
  const own: Condition[] = [{ field: 'tenantId', op: 'eq', value: tenantId }];
  return companies === null ? own : [...own, { field: 'companyId', op: 'in', value: companies }];
}

function entryIn({ _id, _position, companyId, ...entry }: FormerDocument): HistoryEntry {
  return { ...entry, companyId: companyId ?? null };
}

export async function* formerPages(
  history: HistoryReadable,
  question: HistoryQuestion,
  pace: PaceReads,
): AsyncGenerator<HistoryEntry[]> {
  const { direction, after, upTo, before, where = {} } = question;
  const filter = ownedBy(question);
  if (after !== undefined) filter.push({ field: 'position', op: 'gt', value: after });
  if (upTo !== undefined) filter.push({ field: 'position', op: 'lte', value: upTo });
  if (before !== undefined) filter.push({ field: 'position', op: 'lt', value: before });
  for (const [field, value] of Object.entries(where)) {
    if (value !== undefined) filter.push({ field, op: 'eq', value });
  }
  const sort = [{ field: 'position', direction }] as const;
  for (let last: FormerDocument | undefined; ; ) {
    const next = last === undefined ? {} : { after: [last.position, last._id] };
    const found = await pace(() => formerOf(history).find({ filter, sort, limit: PAGE, ...next }));
    if (found.length > 0) yield found.map(entryIn);
    last = found.at(-1);
    if (found.length < PAGE) return;
  }
}

export async function formerEntry(
  history: HistoryReadable,
  owner: Owner,
  eventId: string,
): Promise<HistoryEntry | undefined> {
  const filter: Condition[] = [...ownedBy(owner), { field: 'eventId', op: 'eq', value: eventId }];
  const sort = [{ field: 'position', direction: 'asc' }] as const;
  const [found] = await formerOf(history).find({ filter, sort, limit: 1 });
  return found === undefined ? undefined : entryIn(found);
}

export async function formerMoment(
  history: HistoryReadable,
  { tenantId, from, moment }: { readonly tenantId: string; readonly from: string; readonly moment: string },
): Promise<MomentInHistory> {
  const own: Condition = { field: 'tenantId', op: 'eq', value: tenantId };
  const [next] = await formerOf(history).find({
    filter: [own, { field: 'position', op: 'gte', value: from }, { field: 'recordedAt', op: 'gt', value: moment }],
    sort: [{ field: 'position', direction: 'asc' }],
    limit: 1,
  });
  const before: Condition[] = next === undefined ? [] : [{ field: 'position', op: 'lt', value: next.position }];
  const [last] = await formerOf(history).find({
    filter: [own, ...before],
    sort: [{ field: 'position', direction: 'desc' }],
    limit: 1,
  });
  return { position: last?.position, isSettled: next !== undefined };
}
