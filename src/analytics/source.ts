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
};

const LOG_PAGE = 1_000;
/** The documents of a busy month take a hundred kilobytes each. */
const DOCUMENTS_A_PAGE = 25;

/** The tenant's events after the source's position and up to another. */
export async function* eventsSince(
  { log, reader, position }: Source,
  upTo: string,
  categories: readonly Category[],
): AsyncIterable<RecordedEvent> {
  for (let after = position; after < upTo; ) {
    const batch = await log.readAll({ after, limit: LOG_PAGE, categories });
    for (const event of batch.events) {
      if (event.position > upTo) return;
      if (event.metadata.tenantId === reader.tenantId) yield event;
    }
    if (batch.caughtUp) return;
    after = batch.position;
  }
}

/**
 * In pages, not in one snapshot of the store, which costs more to open than most answers; each document is corrected by
 * its own position.
 */
async function* found<Dimension extends string>(
  reader: Reader,
  { projection }: Sums<Dimension>,
  filter: Filter,
): AsyncIterable<SumsDocument<Dimension>> {
  const sort = [{ field: 'month', direction: 'asc' }] as const;
  let after: (string | number)[] | null | undefined;
  while (after !== null) {
    const page = await reader.page(projection, { filter, sort, limit: DOCUMENTS_A_PAGE, ...(after && { after }) });
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
  for await (const document of found(reader, model, filter)) {
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
