import type { RecordedEvent } from '../events/event.ts';
import type { EventLog } from '../log/log.ts';
import type { Category } from '../log/streams.ts';
import type { Sums, SumsChange, SumsDocument } from '../projections/analytics/sums.ts';
import type { Reader } from '../queries/reader.ts';
import type { Filter } from '../readstore/read-store.ts';
import { isFormer, presentSums } from './former-sums.ts';

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
/** The documents of a busy month take up to 60 kilobytes each, most of them far less. */
const DOCUMENTS_A_PAGE = 50;

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

/** What documents are found by, and the member that they are sorted by. */
type Asked = { readonly filter: Filter; readonly sortedBy: 'month' | 'day' };

/**
 * In pages, not in one snapshot of the store, which costs more to open than most answers; each document is to be
 * corrected by its own position.
 */
export async function* documentsOf<Dimension extends string>(
  reader: Reader,
  pace: Source['pace'],
  model: Sums<Dimension>,
  { filter, sortedBy }: Asked,
): AsyncIterable<{ readonly document: SumsDocument<Dimension>; readonly wasFormer: boolean }> {
  const sort = [{ field: sortedBy, direction: 'asc' }] as const;
  let after: (string | number)[] | null | undefined;
  while (after !== null) {
    const asked = { filter, sort, limit: DOCUMENTS_A_PAGE, ...(after && { after }) };
    const page = await pace(() => reader.page(model.projection, asked));
    for (const document of page.items) {
      const wasFormer = isFormer(document);
      yield { document: wasFormer ? presentSums(model, document) : document, wasFormer };
    }
    after = page.after;
  }
}

/**
 * Gives what was added to the documents after the source's position, as far as they hold it: subtracted from what they
 * hold, the rest is what they held at the position. So an answer costs what it reads and what has changed since, and is
 * exact while rows come in.
 * @param documents by their ids; those that have not changed since may be left out
 */
export async function eachChange<Dimension extends string>(
  source: Source,
  model: Sums<Dimension>,
  documents: ReadonlyMap<string, SumsDocument<Dimension>>,
  take: (document: SumsDocument<Dimension>, change: SumsChange) => void,
): Promise<void> {
  const upTo = documents.values().reduce((last, { _position }) => (_position > last ? _position : last), '');
  if (upTo <= source.position) return;
  for await (const event of eventsSince(source, upTo, [model.category])) {
    for (const change of model.changesOf(event)) {
      for (const key of [change.key, change.dayKey]) {
        const document = key === null ? undefined : documents.get(key);
        if (document !== undefined && event.position <= document._position) take(document, change);
      }
    }
  }
}
