import type { RecordedEvent } from '../events/event.ts';
import { isKnown } from '../events/registry.ts';
import type { EventLog } from '../log/log.ts';
import { streamName } from '../log/streams.ts';
import { type HistoryEntry, history } from '../projections/history.ts';
import { type SealDocument, seals } from '../projections/seals.ts';
import { historyPages } from '../queries/history.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { Seal } from './seal.ts';

/** Events read and held at a time: one may be as large as an append. */
const READS_AT_ONCE = 16;
/** Of the history: their entries are held while their events are read, beside whatever else is in progress. */
const BLOCKS_AT_ONCE = 4;
/** Where the log held little of the tenant after a place, so many groups are read by their streams at once. */
const GROUPS_BY_STREAM = 31;

export type HistorySource = {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  /** Runs each read of a few events, with what is made of them; unless given, they run immediately. */
  readonly pace?: <T>(read: () => Promise<T>) => Promise<T>;
};

/** An event and its place according to the read model; undefined where the log does not hold it there. */
type FoundEvent = { readonly entry: HistoryEntry; readonly event: RecordedEvent | undefined };
/** `made` is undefined where the event is, and where nothing was to be made. */
export type MadeOf<Made> = FoundEvent & { readonly made: Made | undefined };

/**
 * The tenant's events in (after, to], in log order. The read model lists them, the log supplies their content; memory
 * use is constant. `to` must be a position the read model has reached; without it, all that the read model has.
 * @param range.make what is made of each event, in the pieces that `pace` runs
 */
export async function* tenantEvents<Made = never>(
  { log, readModels, pace = (read) => read() }: HistorySource,
  tenantId: string,
  { after, to, make }: { readonly after: string; readonly to?: string; readonly make?: (event: RecordedEvent) => Made },
): AsyncIterable<MadeOf<Made>> {
  // In pages, since nothing before a reached position changes: a reader that takes an hour holds no snapshot of the
  // store open.
  const range = { tenantId, companies: null, direction: 'asc', after, ...(to !== undefined && { upTo: to }) } as const;
  const findEvents = openFindEvents(log);
  const made = async (entries: readonly HistoryEntry[], from: string): Promise<MadeOf<Made>[]> =>
    (await findEvents(entries, from)).map(({ entry, event }) => {
      return { entry, event, made: event === undefined ? undefined : make?.(event) };
    });
  let before = after;
  for await (const entries of historyPages(await readModels.readable(history), range, pace, BLOCKS_AT_ONCE)) {
    for (let at = 0; at < entries.length; at += READS_AT_ONCE) {
      const some = entries.slice(at, at + READS_AT_ONCE);
      const from = before;
      yield* await pace(() => made(some, from));
      before = some.at(-1)?.position ?? before;
    }
  }
}

type FindEvents = (entries: readonly HistoryEntry[], after: string) => Promise<FoundEvent[]>;

/**
 * Finds the log's events at the places that the history lists, in the same order. Where the events after a position
 * are mostly the tenant's, one read of the log finds a group of them; what it does not find is read by its stream.
 */
function openFindEvents(log: EventLog): FindEvents {
  let groupsByStream = 0;

  async function readTogether(entries: readonly HistoryEntry[], after: string): Promise<Map<string, RecordedEvent>> {
    if (groupsByStream > 0) {
      groupsByStream -= 1;
      return new Map();
    }
    // An event of another tenant that cannot be decoded is no fault of this one's.
    const { events } = await log.readAll({ after, limit: entries.length }).catch(() => ({ events: [] }));
    const found = new Map(events.map((event) => [event.id, event]));
    const count = entries.filter((entry) => isAt(entry, found.get(entry.eventId))).length;
    if (2 * count < entries.length) groupsByStream = GROUPS_BY_STREAM;
    return found;
  }

  async function readAlone(entry: HistoryEntry): Promise<RecordedEvent | undefined> {
    const [event] = await log.readStreamPositions(entry.stream, { fromRevision: entry.revision, limit: 1 });
    return event?.id === entry.eventId ? event : undefined;
  }

  return async (entries, after) => {
    const together = await readTogether(entries, after);
    const find = async (entry: HistoryEntry): Promise<FoundEvent> => {
      const event = together.get(entry.eventId);
      return { entry, event: isAt(entry, event) ? event : await readAlone(entry) };
    };
    return Promise.all(entries.map(find));
  };
}

function isAt(entry: HistoryEntry, event: RecordedEvent | undefined): boolean {
  return event?.stream === entry.stream && event.revision === entry.revision;
}

export function sealStream(tenantId: string): string {
  return streamName('seal', tenantId, 'chain');
}

/** The event of a seal; undefined when it does not exist. */
export async function sealEvent(log: EventLog, tenantId: string, ordinal: number): Promise<RecordedEvent | undefined> {
  return (await log.readStreamPositions(sealStream(tenantId), { fromRevision: ordinal - 1, limit: 1 }))[0];
}

/** The seal itself, from the log; null when it is not there. */
export async function readSeal(log: EventLog, tenantId: string, ordinal: number): Promise<Seal | null> {
  const event = await sealEvent(log, tenantId, ordinal);
  return event !== undefined && isKnown(event) && event.type === 'TenantSealed' ? event.data : null;
}

export async function lastSealOf(readModels: ReadModels, tenantId: string): Promise<SealDocument | undefined> {
  const [last] = await readModels.of(seals).find({
    filter: [{ field: 'tenantId', op: 'eq', value: tenantId }],
    sort: [{ field: 'ordinal', direction: 'desc' }],
    limit: 1,
  });
  return last;
}
