import type { RecordedEvent, StreamEvent } from '../events/event.ts';
import { firstWithout } from '../shared/first-without.ts';
import type { StreamRange } from './log.ts';

/** Events in memory at once: one may have up to 1 MiB, and that of a rule run with a page of results has 100 kB. */
const PART = 4;

/**
 * A stream of any length to its end, a part at a time, each of one event at least.
 * @param read reads the stream, as a log does
 * @param fromRevision inclusive
 * @throws LogUnavailable
 */
export async function* streamParts<Event extends StreamEvent>(
  read: (range: Required<StreamRange>) => Promise<Event[]>,
  fromRevision = 0,
): AsyncGenerator<Event[]> {
  for (let from = fromRevision; ; from += PART) {
    const events = await read({ fromRevision: from, limit: PART });
    if (events.length > 0) yield events;
    if (events.length < PART) return;
  }
}

/**
 * The last event of a stream of any length, found by few short reads; undefined for one without events.
 * @param read as for {@link streamParts}
 * @throws LogUnavailable
 */
export async function lastEvent<Event extends StreamEvent>(
  read: (range: Required<StreamRange>) => Promise<Event[]>,
): Promise<Event | undefined> {
  const first = await read({ fromRevision: 0, limit: PART });
  let last = first.at(-1);
  if (first.length < PART) return last;
  await firstWithout(async (further) => {
    const [event] = await read({ fromRevision: PART + further, limit: 1 });
    last = event ?? last;
    return event !== undefined;
  });
  return last;
}

/**
 * The events of a stream after a position of the log, '' for all, a part at a time. However many came before, a few
 * short reads pass over them.
 * @param read as for {@link streamParts}
 * @param last the revision of the last one wanted; unset: all
 * @throws LogUnavailable
 */
export async function* eventsAfter(
  read: (range: Required<StreamRange>) => Promise<RecordedEvent[]>,
  position: string,
  last = Number.POSITIVE_INFINITY,
): AsyncGenerator<RecordedEvent[]> {
  const isBefore = async (revision: number): Promise<boolean> => {
    const [event] = await read({ fromRevision: revision, limit: 1 });
    return event !== undefined && event.position <= position;
  };
  const from = position === '' ? 0 : await firstWithout(isBefore);
  for await (const events of streamParts(read, from)) {
    const wanted = events.filter(({ revision }) => revision <= last);
    if (wanted.length > 0) yield wanted;
    if (wanted.length < events.length) return;
  }
}
