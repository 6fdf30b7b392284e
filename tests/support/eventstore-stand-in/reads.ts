import type * as pb from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { encodeEvent } from './encode.ts';
import type { Faults } from './faults.ts';
import type { Store, StoredEvent } from './store.ts';
import { subscribeTo } from './subscribing.ts';
import type { Manner } from './versions.ts';

const UNAVAILABLE = 14;
const UNKNOWN = 2;

/** Already serialised: an event is encoded once, however often it is read. */
export type Encoded = Buffer;
type Call = ServerWritableStream<pb.ReadReq, Encoded>;

/** Status and details of an error as grpc-js sends it. */
export function failure(code: number, details: string): Error & { code: number; details: string } {
  return Object.assign(new Error(details), { code, details });
}

export function notReady(): Error {
  return failure(UNAVAILABLE, 'Server Is Not Ready');
}

export type Reads = {
  readonly handle: (call: Call) => void;
  /** Ends every live subscription as a server does when its subscriber does not keep up. */
  readonly dropSubscribers: () => void;
  readonly subscribers: () => number;
  /** The number of subscribers that have caught up at least once. */
  readonly live: () => number;
  /** Subscriptions requested since the start. */
  readonly subscriptions: () => number;
  /** Other reads requested since the start. */
  readonly reads: () => number;
};

export function createReads(store: Store, faults: Faults, manner: Manner): Reads {
  const withPosition = new WeakMap<StoredEvent, Encoded>();
  const withoutPosition = new WeakMap<StoredEvent, Encoded>();
  const subscribers = new Set<Call>();
  const live = new WeakSet<Call>();
  let subscriptions = 0;
  let reads = 0;

  function encode(event: StoredEvent, placed: boolean): Encoded {
    const known = placed ? withPosition : withoutPosition;
    const encoded = known.get(event) ?? encodeEvent(event, placed);
    known.set(event, encoded);
    return encoded;
  }

  async function send(call: Call, message: Encoded): Promise<void> {
    if (call.write(message)) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        call.off('drain', go);
        call.off('close', go);
        call.off('cancelled', go);
        resolve();
      };
      call.on('drain', go);
      call.on('close', go);
      call.on('cancelled', go);
    });
  }

  async function readStream(call: Call, options: pb.ReadReq.Options): Promise<void> {
    const wanted = options.getStream();
    const name = text(wanted?.getStreamIdentifier()?.getStreamName_asU8());
    const events = store.stream(name);
    if (events.length === 0) {
      const response = new streamsPb.ReadResp();
      const notFound = new streamsPb.ReadResp.StreamNotFound();
      notFound.setStreamIdentifier(wanted?.getStreamIdentifier());
      response.setStreamNotFound(notFound);
      await send(call, Buffer.from(response.serializeBinary()));
      return;
    }
    const count = Number(options.getCount());
    const backwards = options.getReadDirection() === 1;
    let at = wanted?.hasRevision() ? Number(wanted.getRevision()) : wanted?.hasEnd() ? events.length - 1 : 0;
    for (let sent = 0; sent < count && !call.cancelled; sent += 1) {
      const event = events[at];
      if (event === undefined) return;
      await send(call, encode(event, manner.sendsStreamPositions));
      at += backwards ? -1 : 1;
    }
  }

  /** Forwards it includes the event at the position; backwards it starts before it. */
  async function readAll(call: Call, options: pb.ReadReq.Options): Promise<void> {
    const all = options.getAll();
    const count = Number(options.getCount());
    const backwards = options.getReadDirection() === 1;
    const end = store.events.length;
    const at = all?.hasPosition() ? indexOf(all.getPosition()) : all?.hasEnd() ? end : 0;
    let index = backwards ? at - 1 : at;
    for (let sent = 0; sent < count && !call.cancelled; sent += 1) {
      const event = store.events[index];
      if (event === undefined) return;
      await send(call, encode(event, true));
      index += backwards ? -1 : 1;
    }
  }

  function indexOf(position: pb.ReadReq.Options.Position | undefined): number {
    return store.indexAt(BigInt(position?.getCommitPosition() ?? 0));
  }

  async function subscribe(call: Call, options: pb.ReadReq.Options): Promise<void> {
    const all = options.getAll();
    subscribers.add(call);
    subscriptions += 1;
    call.on('cancelled', () => subscribers.delete(call));
    try {
      await subscribeTo(store, faults, manner, {
        options,
        // From a given position it skips one event.
        from: all?.hasPosition() ? indexOf(all.getPosition()) + 1 : all?.hasEnd() ? store.events.length : 0,
        ended: () => call.cancelled || call.destroyed || !subscribers.has(call),
        onEnd: (wake) => call.on('cancelled', wake),
        onLive: () => live.add(call),
        event: (event) => send(call, encode(event, true)),
        message: (message) => send(call, Buffer.from(message.serializeBinary())),
      });
    } finally {
      subscribers.delete(call);
    }
  }

  return {
    handle: (call) => {
      const options = call.request.getOptions();
      if (faults.notReady) {
        call.emit('error', notReady());
        return;
      }
      if (faults.failReads.count > 0) {
        faults.failReads.count -= 1;
        call.emit('error', failure(faults.failReads.code, faults.failReads.details));
        return;
      }
      if (options === undefined) {
        call.end();
        return;
      }
      if (!options.hasSubscription()) reads += 1;
      const run = options.hasSubscription() ? subscribe : options.hasStream() ? readStream : readAll;
      run(call, options).then(
        () => call.end(),
        (error: Error) => call.emit('error', error),
      );
    },
    dropSubscribers: () => {
      for (const call of subscribers) {
        subscribers.delete(call);
        call.emit(
          'error',
          failure(UNKNOWN, 'Exception was thrown by handler. Consumer too slow to handle event while live.'),
        );
      }
    },
    subscribers: () => subscribers.size,
    live: () => [...subscribers].filter((call) => live.has(call)).length,
    subscriptions: () => subscriptions,
    reads: () => reads,
  };
}

function text(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
