import type { Position } from '@eventstore/db-client';
import { START, streamNameFilter } from '@eventstore/db-client';
import type { Link } from './connection.ts';
import { positionText, sentPosition } from './positions.ts';
import { type PlacedEvent, READ_AHEAD } from './reading.ts';

/** Events that the server filters at a time; its default of 32 halves the speed of a filtered catch-up. */
const SEARCH_WINDOW = 1_000;

/** A notice that the server sent between two events: it applies once `due` events have been taken. */
type Mark = { readonly due: number; readonly position: string | undefined };

export type Slice = {
  readonly events: readonly PlacedEvent[];
  /** The highest watermark nominated by the server and now due; undefined when none was. It may be ahead of the log. */
  readonly watermark: string | undefined;
};

/** One subscription to the server, until it ends; it buffers what has arrived. */
export type Feed = {
  readonly take: (most: number) => Slice;
  /** Events waiting to be taken. */
  readonly waiting: () => number;
  /** The server said that there was nothing further, and everything it sent before has been taken. */
  readonly caughtUp: () => boolean;
  /** Why the feed ended; undefined while it runs. What is buffered can still be taken. */
  readonly ended: () => unknown;
  /** True after the first answer of the server. */
  readonly confirmed: () => boolean;
  readonly close: () => void;
};

/**
 * Subscribes to the streams with one of the prefixes, after the position (from the start when undefined). `onNews` is
 * called whenever there is something to take or the feed has ended.
 */
export function openFeed(
  link: Link,
  options: { from: Position | undefined; prefixes: readonly string[]; maxWaiting: number; onNews: () => void },
): Feed {
  const { from, prefixes, maxWaiting, onNews } = options;
  const events: PlacedEvent[] = [];
  const marks: Mark[] = [];
  let received = 0;
  let taken = 0;
  let confirmed = false;
  let caughtUp = false;
  let ended: unknown;

  const subscription = link.client.subscribeToAll(
    {
      fromPosition: from ?? START,
      filter: streamNameFilter({
        prefixes: [...prefixes],
        maxSearchWindow: SEARCH_WINDOW,
        checkpointInterval: 1,
        // It is called ahead of the events in the client's buffer, and if it throws, the subscription hangs silently.
        checkpointReached: (_, position) => {
          const sent = sentPosition(position);
          // Servers of 24.6 nominate the largest number there is while nothing has passed the filter yet (ADR 0022).
          if (sent !== undefined) mark(sent);
        },
      }),
    },
    { highWaterMark: READ_AHEAD },
  );

  function mark(position: string | undefined): void {
    marks.push({ due: received + subscription.readableLength, position });
    onNews();
  }

  const end = (error: unknown): void => {
    ended ??= error;
    onNews();
  };
  const onGone = (): void => end(link.gone.reason);

  subscription.on('data', ({ event }) => {
    received += 1;
    if (event !== undefined) events.push({ event, position: positionText(event.position) });
    else taken += 1;
    if (events.length >= maxWaiting) subscription.pause();
    onNews();
  });
  subscription.on('confirmation', () => {
    confirmed = true;
    onNews();
  });
  // Sent by servers from 23.10 on.
  subscription.on('caughtUp', () => mark(undefined));
  subscription.on('end', () => end(new Error('the server ended the subscription')));
  // Never removed: the client may still emit an error on a closed subscription, and an unhandled one ends the process.
  subscription.on('error', end);
  link.gone.addEventListener('abort', onGone);
  if (link.gone.aborted) onGone();

  return {
    take: (most) => {
      const slice = events.splice(0, most);
      taken += slice.length;
      let watermark: string | undefined;
      for (let next = marks[0]; next !== undefined && next.due <= taken; next = marks[0]) {
        marks.shift();
        if (next.position === undefined) caughtUp = true;
        else watermark = next.position;
      }
      if (subscription.isPaused() && events.length < maxWaiting / 2) subscription.resume();
      return { events: slice, watermark };
    },
    waiting: () => events.length,
    caughtUp: () => caughtUp && events.length === 0,
    ended: () => ended,
    confirmed: () => confirmed,
    close: () => {
      link.gone.removeEventListener('abort', onGone);
      ended ??= new Error('closed');
      subscription.pause();
      subscription.unsubscribe().catch(() => {});
    },
  };
}
