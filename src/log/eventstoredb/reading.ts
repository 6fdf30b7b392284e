import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  type Position,
  START,
  type StreamingRead,
} from '@eventstore/db-client';
import { LOG_START } from '../log.ts';
import type { Connection, Link } from './connection.ts';
import { isStreamNotFound } from './failures.ts';
import { positionText } from './positions.ts';

/** Events that the client may buffer; its default of 16 halves the speed of long reads. */
export const READ_AHEAD = 1_000;
/** Events of one read of the whole log. */
const PAGE = 1_000;

/** An event as the client returns it, narrowed to what is used; `data` and `metadata` are any JSON. */
export type StoredEvent = {
  readonly streamId: string;
  readonly id: string;
  readonly type: string;
  readonly revision: bigint;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly isJson: boolean;
  readonly created: Date;
  readonly position?: Position;
};

/** An event with its position as text. */
export type PlacedEvent = { readonly event: StoredEvent; readonly position: string };

/** Each read is a single attempt; the caller decides whether to retry. */
export class Reader {
  readonly #connection: Connection;
  readonly #callMs: number;

  constructor(connection: Connection, callMs: number) {
    this.#connection = connection;
    this.#callMs = callMs;
  }

  /** At most `limit` events of the stream from the revision on, inclusive; none for a stream that does not exist. */
  async stream(name: string, fromRevision: number, limit: number): Promise<StoredEvent[]> {
    try {
      const resolved = await this.#collect((client) =>
        client.readStream(
          name,
          { fromRevision: BigInt(fromRevision), maxCount: limit, direction: FORWARDS },
          { highWaterMark: READ_AHEAD },
        ),
      );
      return resolved.flatMap(({ event }) => (event === undefined ? [] : [event]));
    } catch (error) {
      if (isStreamNotFound(error)) return [];
      throw error;
    }
  }

  /**
   * At most `limit` events of the whole log, system events among them, after the position; `ended` when there were no
   * more.
   */
  async forwards(
    after: string,
    from: Position | undefined,
    limit: number,
  ): Promise<{ events: PlacedEvent[]; ended: boolean }> {
    const maxCount = Math.min(limit, PAGE) + 1;
    const resolved = await this.#collect((client) =>
      client.readAll({ fromPosition: from ?? START, maxCount, direction: FORWARDS }, { highWaterMark: READ_AHEAD }),
    );
    // The server counts the event at the position as read, whether or not it exists.
    const events = placed(resolved).filter((event) => event.position > after);
    return { events, ended: resolved.length < maxCount };
  }

  /** The position of the last event of the whole log, system events among them. */
  async end(): Promise<string> {
    return (await this.lastBefore(undefined, () => true, 1)).position;
  }

  /** The last event before the position (before the end when undefined) that passes the test, among at most `most`. */
  async lastBefore(
    before: { text: string; position: Position } | undefined,
    wanted: (stream: string) => boolean,
    most: number,
  ): Promise<{ position: string; at: Position | undefined; exhausted: boolean }> {
    let from = before;
    let seen = 0;
    for (let size = Math.max(2, Math.min(32, most)); ; size = Math.min(PAGE, size * 4)) {
      const bound = from;
      const resolved = await this.#collect((client) =>
        client.readAll(
          { fromPosition: bound?.position ?? END, maxCount: size, direction: BACKWARDS },
          { highWaterMark: READ_AHEAD },
        ),
      );
      const events = placed(resolved).filter((event) => bound === undefined || event.position < bound.text);
      const found = events.find(({ event }) => wanted(event.streamId));
      if (found !== undefined) return { position: found.position, at: found.event.position, exhausted: false };
      seen += events.length;
      const oldest = events.at(-1);
      if (oldest?.event.position === undefined) return { position: LOG_START, at: undefined, exhausted: false };
      if (seen >= most) return { position: LOG_START, at: undefined, exhausted: true };
      from = { text: oldest.position, position: oldest.event.position };
    }
  }

  async #collect<E>(start: (client: EventStoreDBClient) => StreamingRead<E>): Promise<E[]> {
    const link = this.#connection.link();
    const read = start(link.client);
    try {
      return await this.#all(read, link);
    } catch (error) {
      read.cancel().catch(() => {});
      throw error;
    }
  }

  #all<E>(read: StreamingRead<E>, link: Link): Promise<E[]> {
    const { promise, resolve, reject } = Promise.withResolvers<E[]>();
    const events: E[] = [];
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${this.#callMs} ms`));
      this.#connection.giveUp(link, 'a read was not answered in time');
    }, this.#callMs);
    const onGone = (): void => reject(link.gone.reason);
    link.gone.addEventListener('abort', onGone);
    read.on('data', (event) => {
      events.push(event);
      timer.refresh();
    });
    // Never removed: the client may still emit an error after the read, and an unhandled one ends the process.
    read.on('error', reject);
    read.on('end', () => resolve(events));
    return promise.finally(() => {
      clearTimeout(timer);
      link.gone.removeEventListener('abort', onGone);
    });
  }
}

function placed(resolved: readonly AllStreamResolvedEvent[]): PlacedEvent[] {
  return resolved.flatMap(({ event }) =>
    event === undefined ? [] : [{ event, position: positionText(event.position) }],
  );
}
