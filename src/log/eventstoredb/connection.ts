import { EventStoreDBClient } from '@eventstore/db-client';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { unavailable } from './failures.ts';

/** One client with its channel, until it is abandoned. */
export type Link = {
  readonly client: EventStoreDBClient;
  /** Aborts when the link is abandoned: the client ends its calls without notifying their callers. */
  readonly gone: AbortSignal;
};

/** The one client object of this process for a server; all logs opened on the same connection string share it. */
export type Connection = {
  /** The present link, built when there is none. */
  readonly link: () => Link;
  /**
   * Closes the link and everything on it; the next call opens another. A link that was already abandoned stays as it
   * is.
   */
  readonly giveUp: (link: Link, reason: string) => void;
  /** Releases one use of the connection; with the last one the client is closed. */
  readonly release: () => void;
};

/** Members that the pinned version of the client has but does not declare, and that are needed here. */
type ClientInternals = {
  getGRPCClient(client: typeof StreamsClient, name: string): Promise<StreamsClient>;
  callArguments(
    options: object,
    callOptions: { deadline: number },
  ): [Parameters<StreamsClient['batchAppend']>[0], Parameters<StreamsClient['batchAppend']>[1]];
  handleError(client: StreamsClient, error: Error): Promise<void>;
  getChannel(): Promise<{ close(): void }>;
};

function internalsOf(client: EventStoreDBClient): ClientInternals {
  return client as unknown as ClientInternals;
}

export type AppendCall = ReturnType<StreamsClient['batchAppend']>;

/** Opens a BatchAppend call on the link's channel, with the credentials of the connection string. */
export async function openAppendCall(
  link: Link,
): Promise<{ call: AppendCall; failed: (error: Error) => Promise<void> }> {
  const internals = internalsOf(link.client);
  const grpc = await internals.getGRPCClient(streamsGrpc.StreamsClient, 'batchAppend');
  const [metadata, options] = internals.callArguments({}, { deadline: Number.POSITIVE_INFINITY });
  const call = grpc.batchAppend(metadata, options);
  // The client then replaces a dead channel or follows the cluster to its new leader.
  return { call, failed: (error) => internals.handleError(grpc, error) };
}

class SharedConnection {
  users = 0;
  readonly #connectionString: string;
  #current: { link: Link; controller: AbortController } | undefined;

  constructor(connectionString: string) {
    this.#connectionString = connectionString;
  }

  link(): Link {
    if (this.#current === undefined) {
      const controller = new AbortController();
      const client = EventStoreDBClient.connectionString(this.#connectionString);
      this.#current = { link: { client, gone: controller.signal }, controller };
    }
    return this.#current.link;
  }

  giveUp(link: Link, reason: string): void {
    if (this.#current?.link !== link) return;
    const { controller } = this.#current;
    this.#current = undefined;
    controller.abort(unavailable('the connection was abandoned', new Error(reason)));
    // Not awaited: on a frozen peer it takes as long as the peer is frozen.
    void discard(link.client);
  }

  close(): void {
    if (this.#current !== undefined) this.giveUp(this.#current.link, 'the log was closed');
  }
}

async function discard(client: EventStoreDBClient): Promise<void> {
  const closing = internalsOf(client)
    .getChannel()
    .then((channel) => channel.close());
  // Both fail when no channel was ever opened; then there is nothing to close.
  await Promise.allSettled([client.dispose(), closing]);
}

const connections = new Map<string, SharedConnection>();

/**
 * KurrentDB is EventStoreDB under its new name; its schemes name the same protocol, and this client knows only the
 * older ones.
 */
const KURRENT_SCHEME = /^kurrentdb(\+discover)?:\/\//;

/** @throws Error when the connection string cannot be read */
export function connect(named: string): Connection {
  const connectionString = named.replace(KURRENT_SCHEME, 'esdb$1://');
  const shared = connections.get(connectionString) ?? new SharedConnection(connectionString);
  shared.link();
  connections.set(connectionString, shared);
  shared.users += 1;
  let released = false;
  return {
    link: () => shared.link(),
    giveUp: (link, reason) => shared.giveUp(link, reason),
    release: () => {
      if (released) return;
      released = true;
      shared.users -= 1;
      if (shared.users > 0) return;
      connections.delete(connectionString);
      shared.close();
    },
  };
}
