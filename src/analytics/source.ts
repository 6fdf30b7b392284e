import type { RecordedEvent } from '../events/event.ts';
import type { EventLog } from '../log/log.ts';
import type { Category } from '../log/streams.ts';
import {
  type Figures,
  negative,
  placeOf,
  quarterStart,
  type Sums,
  type SumsDocument,
} from '../projections/analytics/sums.ts';
import type { Reader } from '../queries/reader.ts';
import type { Filter } from '../readstore/read-store.ts';

/**
 * Where the figures of an answer come from: a tenant's read models as they stood at one position of the log, which all
 * of them have reached.
 */
export type Source = {
  readonly log: EventLog;
  /** Narrowed to what the caller may see. */
  readonly reader: Reader;
  /** Of the whole tenant, for facts about a physical account whichever connection delivered it. */
  readonly tenant: Reader;
  readonly position: string;
  /** Does each part of the reading when it is the tenant's turn. */
  readonly pace: <T>(read: () => Promise<T>) => Promise<T>;
};

/** Read at a time, and at once: some 5 ms. */
const EVENTS_A_PART = 250;
/** The documents of a busy month take a hundred kilobytes each. */
const DOCUMENTS_A_PAGE = 25;

/**
 * The tenant's events after the source's position and up to another. What others have is looked at in the first part
 * only, which is all there is to read in an answer about now.
 */
export async function* eventsSince(
  { log, reader: { tenantId }, position, pace }: Source,
  upTo: string,
  categories: readonly Category[],
): AsyncIterable<RecordedEvent> {
  if (position >= upTo) return;
  const first = await pace(() => log.readAll({ after: position, limit: EVENTS_A_PART, categories }));
  yield* first.events.filter((event) => event.metadata.tenantId === tenantId && event.position <= upTo);
  if (first.caughtUp || first.position >= upTo) return;
  const reading = new AbortController();
  const options = { after: first.position, tenantId, categories, maxBatch: EVENTS_A_PART, signal: reading.signal };
  const parts = log.subscribe(options)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const part = await pace(() => parts.next());
      if (part.done) return;
      yield* part.value.events.filter((event) => event.position <= upTo);
      if (part.value.position >= upTo || part.value.caughtUp) return;
    }
  } finally {
    reading.abort();
    await parts.return?.();
  }
}

/**
 * In pages, not in one snapshot of the store, which costs more to open than most answers; each document is corrected by
 * its own position.
 */
async function* found<Dimension extends string>(
  reader: Reader,
  pace: Source['pace'],
  { projection }: Sums<Dimension>,
  filter: Filter,
): AsyncIterable<SumsDocument<Dimension>> {
  const sort = [{ field: 'month', direction: 'asc' }] as const;
  let after: (string | number)[] | null | undefined;
  while (after !== null) {
    const asked = { filter, sort, limit: DOCUMENTS_A_PAGE, ...(after && { after }) };
    const page = await pace(() => reader.page(projection, asked));
    yield* page.items;
    after = page.after;
  }
}

type Take<Dimension extends string> = (
  document: SumsDocument<Dimension>,
  at: { readonly day: string; readonly slot: string },
  figures: Figures,
) => void;

/**
 * Gives every figure of the documents that the filter finds, as they stood at the source's position: first what they
 * hold now, then the negative of what was added since. So it costs what it reads and what has changed since, and is
 * exact while rows come in.
 */
export async function eachFigure<Dimension extends string>(
  source: Source,
  model: Sums<Dimension>,
  filter: Filter,
  take: Take<Dimension>,
  reader: Reader = source.reader,
): Promise<void> {
  const changed = new Map<string, SumsDocument<Dimension>>();
  let upTo = source.position;
  for await (const document of found(reader, source.pace, model, filter)) {
    for (const [day, quarters] of Object.entries(document.days)) {
      for (const [slot, figures] of Object.entries(quarters)) take(document, { day, slot }, figures);
    }
    if (document._position <= source.position) continue;
    changed.set(document._id, { ...document, days: {} });
    if (document._position > upTo) upTo = document._position;
  }
  if (changed.size === 0) return;
  for await (const event of eventsSince(source, upTo, [model.category])) {
    for (const change of model.changesOf(event)) {
      const document = changed.get(change.key);
      if (document === undefined || event.position > document._position) continue;
      take(document, placeOf(change), negative(change.figures));
    }
  }
}

/** The epoch milliseconds a figure belongs to. */
export function momentOf({ day, slot }: { readonly day: string; readonly slot: string }): number {
  return quarterStart(day, Number(slot));
}
