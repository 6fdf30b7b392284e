import type { Readable } from '../projections/engine/read-models.ts';
import { blockOf, entriesOf, eventIdEnd, type HistoryDocument, type HistoryEntry } from '../projections/history.ts';
import type { Condition, Document } from '../readstore/read-store.ts';
import { formerEntry, formerMoment, formerPages, isFormer } from './former-history.ts';
import type { HistoryQuestion, HistoryReadable, MomentInHistory, PaceReads } from './history-question.ts';

const atOnce: PaceReads = (read) => read();

/** Read at a time, at most: some 1,600 events, which are taken from their blocks in a millisecond or two. */
const MOST_BLOCKS = 16;
/** For a page of a list: two, since the newest block has just begun or is almost full. */
const FIRST_BLOCKS = 2;

/**
 * The wanted events in parts of at most some 1,600. Everything up to the end is found, however much is recorded
 * meanwhile: unless the question has an end, it is the position that the read model has reached.
 * @param history one version for all parts; what is built later holds the same
 * @param mostBlocks that are read at a time, of some 100 events each, from 2 on
 */
export async function* historyPages(
  history: HistoryReadable,
  question: HistoryQuestion,
  pace: PaceReads = atOnce,
  mostBlocks = MOST_BLOCKS,
): AsyncGenerator<HistoryEntry[]> {
  if (question.companies?.length === 0) return;
  if (isFormer(history)) {
    yield* formerPages(history, await bounded(history, question), pace);
    return;
  }
  let range: HistoryQuestion | undefined;
  let limit = FIRST_BLOCKS;
  let last: string | undefined;
  for (;;) {
    const { blocks, entries } = await pace(async () => {
      range ??= await bounded(history, question);
      const blocks = await blocksOf(history, range, limit, last);
      return { blocks, entries: entriesIn(blocks, range) };
    });
    if (entries.length > 0) yield entries;
    last = blocks.at(-1)?.block;
    if (blocks.length < limit) return;
    limit = Math.min(2 * limit, mostBlocks);
  }
}

async function bounded(history: HistoryReadable, question: HistoryQuestion): Promise<HistoryQuestion> {
  const isBounded = question.upTo !== undefined || question.before !== undefined;
  return isBounded ? question : { ...question, upTo: await history.settled() };
}

/** The blocks in which the wanted events are, beyond the last one that was read. */
async function blocksOf(
  { collection }: HistoryReadable,
  { tenantId, direction, after, upTo, before, where = {} }: HistoryQuestion,
  limit: number,
  last: string | undefined,
): Promise<HistoryDocument[]> {
  const filter: Condition[] = [{ field: 'tenantId', op: 'eq', value: tenantId }];
  if (after !== undefined) filter.push({ field: 'block', op: 'gte', value: blockOf(after) });
  for (const end of [upTo, before]) {
    if (end !== undefined) filter.push({ field: 'block', op: 'lte', value: blockOf(end) });
  }
  if (last !== undefined) filter.push({ field: 'block', op: direction === 'asc' ? 'gt' : 'lt', value: last });
  const { eventType, correlationId } = where;
  if (eventType !== undefined) filter.push({ field: 'eventTypes', op: 'has', value: eventType });
  if (correlationId !== undefined) filter.push({ field: 'correlationIds', op: 'has', value: correlationId });
  return collection.find({ filter, sort: [{ field: 'block', direction }], limit });
}

function entriesIn(blocks: readonly HistoryDocument[], question: HistoryQuestion): HistoryEntry[] {
  const { direction, after, upTo, before, where, companies } = question;
  return blocks.flatMap((block) => {
    const entries = entriesOf(block, where, companies).filter(
      ({ position }) =>
        (after === undefined || position > after) &&
        (upTo === undefined || position <= upTo) &&
        (before === undefined || position < before),
    );
    return direction === 'asc' ? entries : entries.reverse();
  });
}

/** The first wanted events, at most so many. */
export async function firstOfHistory(
  history: HistoryReadable,
  question: HistoryQuestion,
  most: number,
  pace?: PaceReads,
): Promise<HistoryEntry[]> {
  const found: HistoryEntry[] = [];
  for await (const entries of historyPages(history, question, pace)) {
    found.push(...entries.slice(0, most - found.length));
    if (found.length === most) break;
  }
  return found;
}

/** The number of wanted events, exact up to `most`, at which counting stops; unset: all. */
export async function countHistory(
  history: HistoryReadable,
  question: HistoryQuestion,
  { most = Number.POSITIVE_INFINITY, pace }: { readonly most?: number; readonly pace?: PaceReads | undefined } = {},
): Promise<number> {
  let count = 0;
  for await (const entries of historyPages(history, question, pace)) {
    count += entries.length;
    if (count >= most) return most;
  }
  return count;
}

/** The event with this id; undefined also where it is of no company of these. */
export async function entryOfEvent(
  history: HistoryReadable,
  { tenantId, companies }: Pick<HistoryQuestion, 'tenantId' | 'companies'>,
  eventId: string,
): Promise<HistoryEntry | undefined> {
  if (companies?.length === 0) return undefined;
  if (isFormer(history)) return formerEntry(history, { tenantId, companies }, eventId);
  const filter: Condition[] = [
    { field: 'tenantId', op: 'eq', value: tenantId },
    { field: 'eventIdEnds', op: 'has', value: eventIdEnd(eventId) },
  ];
  // More than one of a tenant has the same end next to never.
  for await (const block of history.collection.iterate({ filter, sort: [{ field: 'block', direction: 'asc' }] })) {
    const entry = entriesOf(block, {}, companies).find((one) => one.eventId === eventId);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/**
 * Looks from a position on, which is that of the log's first event in a minute not after the moment. The read model
 * must have reached all events up to the moment.
 */
export async function momentInHistory(
  history: HistoryReadable,
  asked: { readonly tenantId: string; readonly from: string; readonly moment: string },
): Promise<MomentInHistory> {
  if (isFormer(history)) return formerMoment(history, asked);
  const { tenantId, from, moment } = asked;
  const { collection } = history;
  const own: Condition = { field: 'tenantId', op: 'eq', value: tenantId };
  const later: Condition = { field: 'newestAt', op: 'gt', value: moment };
  const lastBefore = async (before: Condition[]): Promise<string | undefined> => {
    const sort = [{ field: 'block', direction: 'desc' }] as const;
    const [block] = await collection.find({ filter: [own, ...before], sort, limit: 1 });
    return block === undefined ? undefined : entriesOf(block).at(-1)?.position;
  };
  let beyond: Condition = { field: 'block', op: 'gte', value: blockOf(from) };
  for (;;) {
    const sort = [{ field: 'block', direction: 'asc' }] as const;
    const [block] = await collection.find({ filter: [own, beyond, later], sort, limit: 1 });
    if (block === undefined) return { position: await lastBefore([]), isSettled: false };
    const entries = entriesOf(block);
    const next = entries.findIndex(({ position, recordedAt }) => position >= from && recordedAt > moment);
    if (next > 0) return { position: entries[next - 1]?.position, isSettled: true };
    if (next === 0) {
      return { position: await lastBefore([{ field: 'block', op: 'lt', value: block.block }]), isSettled: true };
    }
    // What was recorded after the moment stands before `from`: the clock had gone back.
    beyond = { field: 'block', op: 'gt', value: block.block };
  }
}

/** A version of the history as a collection of any documents holds it. */
export function asHistory(readable: Readable<Document>): HistoryReadable {
  return readable as unknown as HistoryReadable;
}
