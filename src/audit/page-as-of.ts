import pLimit from 'p-limit';
import type { EventLog } from '../log/log.ts';
import type { Category } from '../log/streams.ts';
import type { Projection } from '../projections/projection.ts';
import type { Page, Reader } from '../queries/reader.ts';
import { compareKeysets, matches } from '../readstore/matching.ts';
import { keysetOf } from '../readstore/ordering.ts';
import type { Document, Filter, Sort } from '../readstore/read-store.ts';
import { foldStream } from './fold-stream.ts';

const LOG_PAGE = 1_000;
const STREAMS_AT_ONCE = 32;
const MOST_ROUNDS = 5;

type Owned = Document & { readonly tenantId: string; readonly companyId?: string };
type Keyset = readonly (string | number)[];

export type QuestionAsOf<D extends Owned> = {
  /** Each of its documents is folded from one stream of the category. */
  readonly projection: Projection<D>;
  readonly category: Category;
  readonly filter: Filter;
  readonly sort: Sort;
  readonly limit: number;
  readonly after?: Keyset;
  /** The read model has come at least this far. */
  readonly position: string;
};

/** Data kept changing while the page was read; the request can be repeated. */
export class MovingTooFast extends Error {}

/**
 * A page of a list as it stood at a position. What has changed since is found by reading the log after the position,
 * and folded from its streams up to it; everything else stands in the read model as it stood then. So it costs what has
 * changed since, and the page.
 * @throws MovingTooFast, LogUnavailable
 */
export async function pageAsOf<D extends Owned>(
  log: EventLog,
  reader: Reader,
  question: QuestionAsOf<D>,
): Promise<Page<D>> {
  const changes = openChanges(log, reader, question);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    await changes.readOn();
    const page = await merged(reader, question, changes);
    // What changed while the page was made may have left the read model as it stood then, and would be missing.
    if (page !== null && !(await changes.readOn())) return page;
  }
  throw new MovingTooFast('the list kept changing under the question');
}

type Changes<D> = {
  /** Ids of documents that have changed since, or that came to be. */
  readonly ids: ReadonlySet<string>;
  /** Those that were there, as they stood. */
  readonly then: readonly D[];
  /** Reads what the log holds by now; true when that changed anything that existed at the position. */
  readonly readOn: () => Promise<boolean>;
};

function openChanges<D extends Owned>(
  log: EventLog,
  reader: Reader,
  { projection, category, position }: QuestionAsOf<D>,
): Changes<D> {
  const ids = new Set<string>();
  const then: D[] = [];
  const seen = new Set<string>();
  const atOnce = pLimit(STREAMS_AT_ONCE);
  let readTo = position;

  async function streamsSince(): Promise<string[]> {
    const streams = new Set<string>();
    for (;;) {
      const batch = await log.readAll({ after: readTo, limit: LOG_PAGE, categories: [category] });
      readTo = batch.position > readTo ? batch.position : readTo;
      for (const { stream, metadata } of batch.events) {
        if (metadata.tenantId === reader.tenantId && !seen.has(stream)) streams.add(stream);
      }
      if (batch.caughtUp) return [...streams];
    }
  }

  return {
    ids,
    then,
    async readOn() {
      const before = then.length;
      const streams = await streamsSince();
      await Promise.all(
        streams.map((stream) =>
          atOnce(async () => {
            seen.add(stream);
            const events = await log.readStream(stream);
            for (const id of foldStream(projection, events).keys()) ids.add(id);
            if ((events[0]?.position ?? '') <= position)
              then.push(...foldStream(projection, events, position).values());
          }),
        ),
      );
      return then.length > before;
    },
  };
}

/** Null when the read model shows a change that the log did not hold when it was read. */
async function merged<D extends Owned>(
  reader: Reader,
  { projection, filter, sort, limit, after, position }: QuestionAsOf<D>,
  { ids, then }: Changes<D>,
): Promise<Page<D> | null> {
  const keyOf = keysetOf(sort);
  const compare = compareKeysets(sort);
  const stood = then
    .filter((document) => reader.sees(document) && matches(document, filter))
    .map((document) => ({ document, key: keyOf(document) }))
    .filter(({ key }) => after === undefined || compare(key, after) > 0)
    .sort((one, other) => compare(one.key, other.key));
  const items: D[] = [];
  let next = 0;
  for await (const document of reader.all(projection, { filter, sort, after })) {
    if (ids.has(document._id)) continue;
    if (document._position > position) return null;
    const key = keyOf(document);
    for (let one = stood[next]; one !== undefined && compare(one.key, key) < 0; one = stood[next]) {
      items.push(one.document);
      next += 1;
    }
    items.push(document);
    if (items.length > limit) break;
  }
  while (items.length <= limit && next < stood.length) {
    items.push((stood[next] as (typeof stood)[number]).document);
    next += 1;
  }
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return { items: page, after: items.length > limit && last !== undefined ? keyOf(last) : null };
}
