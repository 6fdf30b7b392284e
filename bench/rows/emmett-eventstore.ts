import { eventCodec } from '../../src/events/registry.ts';
import { openEventStoreDbLog } from '../../src/log/eventstoredb/eventstoredb-log.ts';
import type { Append } from '../../src/log/log.ts';
import {
  type EmmettEventStoreDb,
  type EventStoreClients,
  emmettPackage,
  emmettVersion,
} from '../fixtures/emmett-packages.ts';
import { type EventStoreServer, findEventStore } from '../fixtures/event-store-server.ts';
import { compareStores, ourStore, tasks, type WorkedStore } from '../fixtures/store-work.ts';
import type { Row } from '../row.ts';

const BASELINE = 'Emmett on the client of EventStoreDB with the same events, each append to a new stream checked';

export const emmettEsdbAppend = row(
  'emmett-esdb-append',
  'appends of one event on the EventStoreDB protocol, one after another',
  'alone',
);

export const emmettEsdbAppend64 = row(
  'emmett-esdb-append-64',
  'appends of one event on the EventStoreDB protocol, 64 at once',
  'atOnce',
);

export const emmettEsdbStreams = row(
  'emmett-esdb-streams',
  'calls of 500 appends on the EventStoreDB protocol, each of one event to its own stream',
  'streams',
);

export const emmettEsdbRead = row(
  'emmett-esdb-read',
  'reads of streams of 20 events on the EventStoreDB protocol',
  'read',
);

function row(name: string, title: string, task: keyof typeof tasks): Row {
  return {
    name,
    title,
    baseline: BASELINE,
    aim: { kind: 'speed', atLeast: 1 },
    async measure(setting) {
      const server = await findEventStore();
      try {
        const others = { Emmett: () => openEmmett(server) };
        const measured = await compareStores(setting, tasks[task], () => openOurs(server), others);
        return { ...measured, details: [...measured.details, guarantees(server)] };
      } finally {
        server.stop();
      }
    },
  };
}

function guarantees({ name }: EventStoreServer): string {
  return (
    `server: ${name}; both: durable as the server is, expected revision checked by the server; emmett-esdb ` +
    `${emmettVersion('@event-driven-io/emmett-esdb')}; ours also checks each event against its closed schema, and ` +
    'answers a repeated append as the first time'
  );
}

async function openOurs({ url }: EventStoreServer): Promise<WorkedStore> {
  const log = openEventStoreDbLog({ connectionString: url, codec: eventCodec });
  return ourStore(log, () => log.close());
}

async function openEmmett({ url }: EventStoreServer): Promise<WorkedStore> {
  const { EventStoreDBClient } = emmettPackage<EventStoreClients>('@eventstore/db-client');
  const { getEventStoreDBEventStore } = emmettPackage<EmmettEventStoreDb>('@event-driven-io/emmett-esdb');
  const client = EventStoreDBClient.connectionString(url);
  const store = getEventStoreDBEventStore(client);
  const append = ({ stream, events }: Append) =>
    store.appendToStream(stream, events, { expectedStreamVersion: 'STREAM_DOES_NOT_EXIST' });
  return {
    append,
    // Emmett has no call for several streams; the client sends calls that overlap over one connection.
    appendMany: (appends) => Promise.all(appends.map(append)),
    read: async (stream) => (await store.readStream(stream)).events.length,
    close: () => client.dispose(),
  };
}
