import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { eventCodec } from '../../src/events/registry.ts';
import { openEventStoreDbLog } from '../../src/log/eventstoredb/eventstoredb-log.ts';
import type { Append, EventLog } from '../../src/log/log.ts';
import { bankPages } from '../fixtures/bank-rows.ts';
import { findEventStore } from '../fixtures/event-store-server.ts';
import { recordedAppends } from '../fixtures/recorded-events.ts';
import { interleave, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const IN_FLIGHT = 64;

export const ingestEventStore: Row = {
  name: 'ingest-eventstore',
  title: 'pages of 500 new events, each to its own stream, through appendMany of our adapter',
  baseline: 'appendToStream of the client with pre-built events, 64 in flight, on the same server',
  aim: { kind: 'speed', atLeast: 0.9 },
  async measure({ quick, rounds }) {
    const count = quick ? 1_000 : 10_000;
    const server = await findEventStore();
    const log = openEventStoreDbLog({ connectionString: server.url, codec: eventCodec });
    const client = EventStoreDBClient.connectionString(server.url);
    try {
      const fresh = (round: number, side: string) => freshPages(`${side} ${round} ${Date.now()}`, count);
      const times = await interleave(rounds, {
        ours: side({ prepare: (round) => fresh(round, 'ours'), run: (pages) => appendAll(log, pages) }),
        raw: side({
          prepare: async (round) => (await fresh(round, 'raw')).flat().map(prebuilt),
          run: (events) => pipeline(client, events),
        }),
      });
      return {
        values: ratios(times.raw, times.ours),
        details: [
          `ours ${rate(count, times.ours)} appends, baseline ${rate(count, times.raw)}; server: ${server.name}`,
          'our adapter keeps up to 256 in flight, the baseline 64 as the row says',
        ],
      };
    } finally {
      await client.dispose();
      await log.close();
      server.stop();
    }
  },
};

async function freshPages(seed: string, count: number): Promise<Append[][]> {
  return (await bankPages(seed, count)).map(recordedAppends);
}

async function appendAll(log: EventLog, pages: readonly (readonly Append[])[]): Promise<void> {
  for (const page of pages) {
    const results = await log.appendMany(page);
    if (results.some(({ outcome }) => outcome !== 'appended')) throw new Error('an append was not taken');
  }
}

function prebuilt({ stream, events }: Append) {
  const built = events.map(({ id, type, data, metadata }) =>
    jsonEvent({ id, type, data: data as Record<string, unknown>, metadata }),
  );
  return { stream, events: built };
}

async function pipeline(client: EventStoreDBClient, appends: readonly ReturnType<typeof prebuilt>[]): Promise<void> {
  let next = 0;
  async function lane(): Promise<void> {
    for (let append = appends[next++]; append !== undefined; append = appends[next++]) {
      await client.appendToStream(append.stream, append.events, { expectedRevision: NO_STREAM });
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}
