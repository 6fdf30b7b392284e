import type { Decider, Fact } from '../deciders/decider.ts';
import type { StreamEvent } from '../events/event.ts';
import { isKnown } from '../events/registry.ts';
import type { EventLog } from '../log/log.ts';
import { streamParts } from '../log/stream-parts.ts';

export function fold<State, F extends Fact>(decider: Decider<State, F>, events: readonly StreamEvent[]): State {
  // An event type of a newer release is skipped: this release does not know what it changes, only everything else.
  return events
    .filter(isKnown)
    .reduce<State>((state, event) => decider.evolve(state, event as unknown as F), decider.initialState);
}

/**
 * What the events of a stream up to `revision` amount to; -1: none. `first`: the first of them, whose company is that
 * of the stream.
 */
type StreamState<State> = {
  readonly state: State;
  readonly revision: number;
  readonly first: StreamEvent | undefined;
};

/** Reads a stream of any length to its end, from where it was read to before. @throws LogUnavailable */
export async function readState<State, F extends Fact>(
  log: Pick<EventLog, 'readStream'>,
  stream: string,
  decider: Decider<State, F>,
  before: StreamState<State> = { state: decider.initialState, revision: -1, first: undefined },
): Promise<StreamState<State>> {
  let { state, revision, first } = before;
  for await (const events of streamParts((range) => log.readStream(stream, range), revision + 1)) {
    first ??= events[0];
    state = fold({ ...decider, initialState: state }, events);
    revision += events.length;
  }
  return { state, revision, first };
}
