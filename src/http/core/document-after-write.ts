import type { StreamEvent } from '../../events/event.ts';
import type { EventLog, StreamRange } from '../../log/log.ts';
import { eventsAfter } from '../../log/stream-parts.ts';
import type { Projection } from '../../projections/projection.ts';
import { foldDocument } from '../../queries/after-write.ts';
import type { Document } from '../../readstore/read-store.ts';

/**
 * The document of one stream of any length after a write: as the read model shows it, and what came since. That of a
 * stream that the write began holds what it appended, whatever others have made of it already.
 * @param shown reads the read model
 * @throws LogUnavailable, ReadStoreUnavailable
 */
export async function documentAfterWrite<D extends Document>(
  log: Pick<EventLog, 'readStreamPositions'>,
  projection: Projection<D>,
  { stream, appended }: { readonly stream: string; readonly appended: readonly StreamEvent[] },
  shown: () => Promise<D | undefined>,
): Promise<D> {
  const base = appended[0]?.revision === 0 ? undefined : await shown();
  const folded = foldDocument(projection, base);
  const read = (range: StreamRange) => log.readStreamPositions(stream, range);
  for await (const events of eventsAfter(read, base?._position ?? '', appended.at(-1)?.revision)) folded.take(events);
  return folded.document();
}
