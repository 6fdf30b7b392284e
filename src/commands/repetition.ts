import type { StreamEvent } from '../events/event.ts';
import type { EventLog } from '../log/log.ts';
import { computedId } from '../shared/ids.ts';

/**
 * A request that may be repeated under its idempotency key. It makes the same ids each time: those of its events are
 * computed from the seed, those of its resources come from a `newId` derived from it. So a repetition after a crash
 * finds what was done, and does the rest.
 */
export type Repetition = {
  readonly seed: string;
  /** When the request came for the first time, epoch milliseconds. */
  readonly firstMs: number;
  /** True when it was received before and never answered. */
  readonly again: boolean;
  /** How many commands of this request were executed on the stream before; distinguishes their events. */
  readonly nthOn: (stream: string) => number;
};

/** The largest difference allowed between the clocks of two instances. */
const CLOCKS_APART_MS = 60_000;

export function openRepetition(seed: string, firstMs: number, again: boolean): Repetition {
  const commands = new Map<string, number>();
  return {
    seed,
    firstMs,
    again,
    nthOn: (stream) => {
      const nth = commands.get(stream) ?? 0;
      commands.set(stream, nth + 1);
      return nth;
    },
  };
}

function repeatedId({ seed }: Repetition, stream: string, nth: number, index: number): string {
  return computedId('repeated', seed, stream, String(nth), String(index));
}

/** Makes the event ids of the request's next command on the stream. */
export function repeatedIds(repetition: Repetition, stream: string): (index: number) => string {
  const nth = repetition.nthOn(stream);
  return (index) => repeatedId(repetition, stream, nth, index);
}

/**
 * Finds, in the events of a stream taken in order, those that a command made when its request was first received; they
 * are one append, so either all of them exist or none.
 */
export function openDoneBefore<Event extends StreamEvent>(idOf: (index: number) => string) {
  const found: Event[] = [];
  let awaited = idOf(0);
  return {
    take(events: readonly Event[]): void {
      for (const event of events) {
        if (event.id !== awaited) continue;
        found.push(event);
        awaited = idOf(found.length);
      }
    },
    events: (): readonly Event[] => found,
  };
}

/**
 * Of streams numbered from 1 without gaps: the one that this request started when it was first received; null when it
 * did not get that far. Searches back from the last one to the time of the first receipt.
 */
export async function ordinalBegunBefore(
  { log, repetition }: { readonly log: EventLog; readonly repetition?: Repetition },
  streamOf: (ordinal: number) => string,
  last: number,
): Promise<{ readonly ordinal: number; readonly position: string } | null> {
  if (repetition === undefined || !repetition.again) return null;
  const earliest = repetition.firstMs - CLOCKS_APART_MS;
  for (let ordinal = last; ordinal > 0; ordinal -= 1) {
    const stream = streamOf(ordinal);
    const [first] = await log.readStreamPositions(stream, { limit: 1 });
    if (first === undefined || Date.parse(first.recordedAt) < earliest) return null;
    if (first.id === repeatedId(repetition, stream, 0, 0)) return { ordinal, position: first.position };
  }
  return null;
}
