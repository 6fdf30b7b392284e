import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventLog } from '../log/log.ts';
import type { Page, Reader } from '../queries/reader.ts';
import { compareKeysets, matches } from '../readstore/matching.ts';
import { keysetOf } from '../readstore/ordering.ts';
import type { Condition, Filter, Sort } from '../readstore/read-store.ts';
import { type DaysWalked, pageOfDaysThen } from './days-then.ts';
import { foldStream } from './fold-stream.ts';
import type { ListThen, Owned } from './lists-then.ts';

const STREAMS_AT_ONCE = 32;
const LISTED_A_PAGE = 200;

/** The most that one page may cost, in documents. */
export type BoundsAsOf = {
  /** Up to this many documents that have changed since are found by their position, without a scan. */
  readonly byPosition: number;
  /** The number of changed documents that are looked up at a time. */
  readonly changedAtOnce: number;
  /** The number of documents folded for one page; a page that would need more ends early. */
  readonly folded: number;
};

const BOUNDS: BoundsAsOf = { byPosition: 1_000, changedAtOnce: 100, folded: 1_000 };

export type Keyset = readonly (string | number)[];

/** Where the events of a changed document are read. */
export type Streams = Pick<EventLog, 'readStreamPositions'>;

export type QuestionAsOf<D extends Owned> = {
  readonly list: ListThen<D>;
  readonly filter: Filter;
  /** By fields that never change. */
  readonly sort: Sort;
  readonly limit: number;
  readonly after?: Keyset;
  /** The read model has reached at least this position. */
  readonly position: string;
  readonly bounds?: BoundsAsOf;
  /** For the pages of one walk. */
  readonly walked?: DaysWalked;
};

/**
 * A page of a list as it stood at a position. The documents are found in the live read model, those recorded later left
 * out, and only the ones that have changed since are folded again from their own streams: the cost depends on the page
 * alone, and no other events are read. A filter on a field that can change (ADR 0030) also examines documents that no
 * longer match or match only now; a page for which too many of these had to be folded holds fewer than `limit`
 * documents, though more follow.
 * @throws LogUnavailable, ReadStoreUnavailable
 */
export async function pageAsOf<D extends Owned>(
  log: Streams,
  reader: Reader,
  question: QuestionAsOf<D>,
): Promise<Page<D>> {
  const past = openPast(log, question);
  const { list, filter } = question;
  return filter.some(({ field }) => list.changing.has(field))
    ? pageByWhatChanges(reader, question, past)
    : pageByWhatStays(reader, question, past);
}

type Walk<D extends Owned> = Omit<QuestionAsOf<D>, 'limit' | 'after' | 'walked'> & { readonly pageSize?: number };

/** All documents of the list as it stood, page by page: no view of the store is held between two of them. */
export async function* pagesAsOf<D extends Owned>(
  log: Streams,
  reader: Reader,
  { pageSize = LISTED_A_PAGE, ...question }: Walk<D>,
): AsyncIterable<readonly D[]> {
  const asked = { ...question, limit: pageSize, walked: { run: null } };
  for (let after: Keyset | null | undefined; after !== null; ) {
    const page: Page<D> = await pageAsOf(log, reader, { ...asked, ...(after && { after }) });
    yield page.items;
    after = page.after;
  }
}

/** The documents of {@link pagesAsOf}. */
export async function* listAsOf<D extends Owned>(log: Streams, reader: Reader, walk: Walk<D>): AsyncIterable<D> {
  for await (const page of pagesAsOf(log, reader, walk)) yield* page;
}

/** How many documents the list had, exact up to `most`. Those are read one by one only where the filter needs it. */
export async function countAsOf<D extends Owned>(
  log: Streams,
  reader: Reader,
  question: Omit<QuestionAsOf<D>, 'limit' | 'after'>,
  most: number,
): Promise<number> {
  const { list, filter } = question;
  if (list.recordedPosition !== null && !filter.some(({ field }) => list.changing.has(field))) {
    return reader.count(list.projection, [...filter, ...wasThere({ ...question, limit: 1 })], most);
  }
  let count = 0;
  for await (const _ of listAsOf(log, reader, question)) {
    count += 1;
    if (count === most) break;
  }
  return count;
}

type Past<D> = {
  /** The documents as they stood, in the same order; undefined for one that did not exist. */
  readonly of: (documents: readonly D[]) => Promise<(D | undefined)[]>;
  readonly changed: (document: D) => boolean;
};

function openPast<D extends Owned>(log: Streams, { list, position }: QuestionAsOf<D>): Past<D> {
  const changed = (document: D): boolean => document._position > position;
  const fold = async (document: D): Promise<D | undefined> => {
    const start = list.asRecorded?.(document);
    const events = await log.readStreamPositions(list.streamOf(document), {
      fromRevision: start === undefined ? 0 : 1,
    });
    const known = new Map(start === undefined ? [] : [[document._id, start]]);
    return foldStream(list.projection, events, position, known).get(document._id);
  };
  return {
    changed,
    async of(documents) {
      if (!documents.some(changed)) return [...documents];
      const then: (D | undefined)[] = [];
      for (let at = 0; at < documents.length; at += STREAMS_AT_ONCE) {
        const some = documents.slice(at, at + STREAMS_AT_ONCE);
        const folded = some.some(changed);
        then.push(...(await Promise.all(some.map((document) => (changed(document) ? fold(document) : document)))));
        // Where streams are read in this process, nothing else could run in between.
        if (folded && at + STREAMS_AT_ONCE < documents.length) await nextTurn();
      }
      return then;
    },
  };
}

function wasThere<D extends Owned>({ list, position }: QuestionAsOf<D>): Condition[] {
  return list.recordedPosition === null ? [] : [{ field: list.recordedPosition, op: 'lte', value: position }];
}

/** The current state of the documents that existed then. */
function pageThen<D extends Owned>(
  reader: Reader,
  { list: { projection, days }, sort, position }: QuestionAsOf<D>,
  { after, ...asked }: { readonly filter: Filter; readonly limit: number; readonly after: Keyset | undefined },
  walked?: DaysWalked,
): Promise<Page<D>> {
  const whole = { ...asked, sort, ...(after && { after }) };
  return days !== null && sort[0]?.field === days.field
    ? pageOfDaysThen(reader, projection, days, position, whole, walked)
    : reader.page(projection, whole);
}

async function pageByWhatStays<D extends Owned>(
  reader: Reader,
  question: QuestionAsOf<D>,
  past: Past<D>,
): Promise<Page<D>> {
  const { limit, bounds = BOUNDS } = question;
  const filter = [...question.filter, ...wasThere(question)];
  const items: D[] = [];
  let { after } = question;
  for (let looked = 0; ; ) {
    const page = await pageThen(reader, question, { filter, limit: limit - items.length, after }, question.walked);
    for (const document of await past.of(page.items)) if (document !== undefined) items.push(document);
    looked += page.items.length;
    if (page.after === null || items.length === limit || looked >= bounds.folded) return { items, after: page.after };
    after = page.after;
  }
}

/**
 * Two runs in the list's order are merged: documents that match and have not changed since, and those that have
 * changed, as they stood. Each stretch of the second is read after the same stretch of the first, so what changes in
 * between is seen twice, but never missed.
 */
async function pageByWhatChanges<D extends Owned>(
  reader: Reader,
  question: QuestionAsOf<D>,
  past: Past<D>,
): Promise<Page<D>> {
  const { filter, sort, limit, position, bounds = BOUNDS } = question;
  const keyOf = keysetOf(sort);
  const unchanged: Filter = [...filter, ...wasThere(question), { field: '_position', op: 'lte', value: position }];
  // One more than is returned shows whether anything follows.
  const items: D[] = [];
  const isFull = (): boolean => items.length > limit;
  const page = (after: Keyset | null): Page<D> => {
    if (isFull()) return { items: items.slice(0, limit), after: keyOf(items[limit - 1]) };
    return { items, after: after === null ? null : [...after] };
  };
  let folded = 0;
  let { after } = question;
  for (;;) {
    const options = { filter: unchanged, limit: limit + 1 - items.length, after };
    const { items: same, after: until } = await pageThen(reader, question, options, question.walked);
    const takeSame = (before: Keyset | null): void => {
      while (!isFull()) {
        const [first] = same;
        if (first === undefined || (before !== null && compareKeysets(sort)(keyOf(first), before) >= 0)) return;
        items.push(first);
        same.shift();
      }
    };
    for await (const documents of changedWithin(reader, question, after, until)) {
      const then = await past.of(documents);
      for (const [at, document] of documents.entries()) {
        const key = keyOf(document);
        takeSame(key);
        if (isFull()) return page(null);
        if (same[0]?._id === document._id) same.shift();
        const stood = then[at];
        if (stood !== undefined && reader.sees(stood) && matches(stood, filter)) items.push(stood);
        folded += 1;
        if (isFull() || folded >= bounds.folded) return page(key);
      }
    }
    takeSame(null);
    if (isFull() || until === null) return page(null);
    after = until;
  }
}

/** Documents of (after, until] in the list's order that have changed since the position, in their current state. */
async function* changedWithin<D extends Owned>(
  reader: Reader,
  question: QuestionAsOf<D>,
  after: Keyset | undefined,
  until: Keyset | null,
): AsyncIterable<readonly D[]> {
  const { list, sort, position, bounds = BOUNDS } = question;
  const keyOf = keysetOf(sort);
  const compare = compareKeysets(sort);
  const fixed = question.filter.filter(({ field }) => !list.changing.has(field));
  const filter: Filter = [...fixed, ...wasThere(question), { field: '_position', op: 'gt', value: position }];
  const isWithin = (document: D): boolean => {
    const key = keyOf(document);
    return (after === undefined || compare(key, after) > 0) && (until === null || compare(key, until) <= 0);
  };
  if (until !== null) {
    // A stretch with an end is short, so it is scanned for changed documents.
    yield* changedInOrder([...filter, endOf(sort, until)]);
    return;
  }
  const { byPosition, changedAtOnce: step } = bounds;
  // Counting reads the index alone, where a page would read the documents only to find that there are too many.
  const areFew = (await reader.count(list.projection, filter, byPosition + 1)) <= byPosition;
  const ordered = { filter, sort: [{ field: '_position', direction: 'asc' }], limit: byPosition } as const;
  const few = areFew ? await reader.page(list.projection, ordered) : null;
  // More may have changed in between.
  if (few?.after === null) {
    const within = few.items.filter(isWithin).sort((one, other) => compare(keyOf(one), keyOf(other)));
    for (let at = 0; at < within.length; at += step) yield within.slice(at, at + step);
    return;
  }
  yield* changedInOrder(filter);

  async function* changedInOrder(filter: Filter): AsyncIterable<readonly D[]> {
    for (let next: Keyset | null | undefined = after; next !== null; ) {
      const chunk: Page<D> = await pageThen(reader, question, { filter, limit: bounds.changedAtOnce, after: next });
      const within = chunk.items.filter(isWithin);
      yield within;
      next = within.length < chunk.items.length ? null : chunk.after;
    }
  }
}

/** Leaves out what comes after the end by the first field of the sort. */
function endOf([first]: Sort, [value]: Keyset): Condition {
  const { field, direction } = first ?? { field: '_id', direction: 'asc' };
  return { field, op: direction === 'asc' ? 'lte' : 'gte', value: value ?? '' };
}
