import type { RecordedEvent, StreamEvent } from '../events/event.ts';
import { firstWithout } from '../shared/first-without.ts';
import type { EventLog, StreamRange } from './log.ts';

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
 * The events of a stream after a position of the log, '' for all. However many came before, a few short reads pass
 * over them.
 * @param last the revision of the last one wanted; unset: all
 * @throws LogUnavailable
 */
export async function eventsAfter(
  log: Pick<EventLog, 'readStreamPositions'>,
  stream: string,
  position: string,
  last?: number,
): Promise<RecordedEvent[]> {
  const from = await firstWithout(async (revision) => {
    if (position === '') return false;
    const [event] = await log.readStreamPositions(stream, { fromRevision: revision, limit: 1 });
    return event !== undefined && event.position <= position;
  });
  if (last === undefined) return log.readStreamPositions(stream, { fromRevision: from });
  return last < from ? [] : log.readStreamPositions(stream, { fromRevision: from, limit: last - from + 1 });
}
