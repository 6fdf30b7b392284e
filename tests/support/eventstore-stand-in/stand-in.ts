import { randomUUID } from 'node:crypto';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { createAppends } from './appends.ts';
import { type Faults, noFaults } from './faults.ts';
import { type Front, openFront } from './front.ts';
import { createReads, type Encoded, failure } from './reads.ts';
import { openStore, type Store } from './store.ts';
import { defaultVersion, mannerOf, type ServerVersion } from './versions.ts';

export type StandInOptions = {
  /** Stores the events, so that another process can continue with them; unset: in memory only. */
  readonly file?: string;
  /** 0, the default, picks a free one. */
  readonly port?: number;
  /** True puts a front before the server, whose connections can be cut and frozen; this makes it somewhat slower. */
  readonly front?: boolean;
  /** Unset: the version of the test run. */
  readonly version?: ServerVersion;
};

export type StandIn = {
  readonly port: number;
  readonly connectionString: string;
  readonly store: Store;
  readonly faults: Faults;
  /** @throws Error when the server was started without a front */
  readonly front: () => Front;
  readonly dropSubscribers: () => void;
  readonly subscribers: () => number;
  /** The number of subscribers that have caught up at least once. */
  readonly live: () => number;
  /** Subscriptions requested since the start. */
  readonly subscriptions: () => number;
  /** Other reads requested since the start. */
  readonly reads: () => number;
  /** Events of the server itself and of other services, which a log of ours must skip. */
  readonly addForeignEvents: (count: number) => void;
  readonly stop: () => Promise<void>;
};

const UNIMPLEMENTED = 12;

/** A server that speaks EventStoreDB's protocol, for tests only. */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const store = openStore(options.file);
  const faults = noFaults();
  const { version = defaultVersion() } = options;
  const reads = createReads(store, faults, mannerOf(version));
  const appends = createAppends(store, faults);
  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  let announced = 0;

  const { read } = streamsGrpc.StreamsService;
  server.addService(
    { ...streamsGrpc.StreamsService, read: { ...read, responseSerialize: (encoded: Encoded) => encoded } },
    {
      read: reads.handle,
      append: appends.single,
      batchAppend: appends.batch,
      delete: (_: unknown, done: (error: Error) => void) => done(failure(UNIMPLEMENTED, 'not in the stand-in')),
      tombstone: (_: unknown, done: (error: Error) => void) => done(failure(UNIMPLEMENTED, 'not in the stand-in')),
    },
  );
  server.addService(featuresGrpc.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, done: (error: null, response: unknown) => void) => {
      const method = new featuresPb.SupportedMethod();
      method.setServiceName('event_store.client.streams.streams');
      method.setMethodName('batchappend');
      const response = new featuresPb.SupportedMethods();
      response.setEventStoreServerVersion(`${version}.0`);
      response.setMethodsList([method]);
      done(null, response);
    },
  });
  server.addService(gossipGrpc.GossipService, {
    read: (_: unknown, done: (error: null, response: unknown) => void) => {
      const endPoint = new gossipPb.EndPoint();
      endPoint.setAddress('127.0.0.1');
      endPoint.setPort(announced);
      const member = new gossipPb.MemberInfo();
      member.setState(gossipPb.MemberInfo.VNodeState.LEADER);
      member.setIsAlive(true);
      member.setHttpEndPoint(endPoint);
      const response = new gossipPb.ClusterInfo();
      response.setMembersList([member]);
      done(null, response);
    },
  });

  const inner = await new Promise<number>((resolve, reject) => {
    const address = `127.0.0.1:${options.front ? 0 : (options.port ?? 0)}`;
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
  const front = options.front ? await openFront(inner) : undefined;
  announced = front?.port ?? inner;

  function addForeignEvents(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const system = index % 2 === 0;
      store.append(system ? '$stats-127.0.0.1' : 'otherService-1', 'any', [
        {
          id: randomUUID(),
          type: system ? '$statsCollected' : 'somethingElse',
          contentType: index % 3 === 0 ? 'application/octet-stream' : 'application/json',
          data: Buffer.from(index % 3 === 0 ? [0, 255, 7] : '{"proc":1}'),
          metadata: Buffer.alloc(0),
        },
      ]);
    }
  }

  return {
    port: announced,
    connectionString: `esdb://127.0.0.1:${announced}?tls=false`,
    store,
    faults,
    front: () => {
      if (front === undefined) throw new Error('the stand-in was started without a front');
      return front;
    },
    dropSubscribers: reads.dropSubscribers,
    subscribers: reads.subscribers,
    live: reads.live,
    subscriptions: reads.subscriptions,
    reads: reads.reads,
    addForeignEvents,
    stop: async () => {
      await front?.shut();
      server.forceShutdown();
      store.close();
    },
  };
}
