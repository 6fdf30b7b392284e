import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventCodec } from '../../src/events/registry.ts';
import { openEventStoreDbLog } from '../../src/log/eventstoredb/eventstoredb-log.ts';
import { bankPages } from '../fixtures/bank-rows.ts';
import { type EmmettEventStoreDb, type EventStoreClients, emmettPackage } from '../fixtures/emmett-packages.ts';
import { findEventStore } from '../fixtures/event-store-server.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { recordedAppends } from '../fixtures/recorded-events.ts';
import { foldsRows, type RecordedRow } from '../fixtures/rows-model.ts';
import { interleave, perSecond, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

type EmmettMessage = {
  readonly type: string;
  readonly data: RecordedRow;
  readonly metadata: { readonly eventId: string; readonly globalPosition: bigint };
};

export const emmettEsdbProjection: Row = {
  name: 'emmett-esdb-projection',
  title: 'a read model with a document for each event, from an empty store to the end of a log on EventStoreDB',
  baseline: 'a processor of Emmett that writes the same documents into a table of an SQLite file',
  aim: { kind: 'speed', atLeast: 1 },
  async measure({ quick, rounds }) {
    const count = quick ? 2_500 : 20_000;
    const server = await findEventStore();
    const log = openEventStoreDbLog({ connectionString: server.url, codec: eventCodec });
    try {
      const appends = (await bankPages(`projected ${Date.now()}`, count)).flatMap(recordedAppends);
      await log.appendMany(appends);
      const lastId = appends.at(-1)?.events.at(-1)?.id ?? '';
      const times = await interleave(rounds, {
        ours: foldsRows(log),
        emmett: side({
          prepare: openTable,
          run: (table) => projectWithEmmett(server.url, table, { count, lastId }),
          tidy: (table) => table.close(),
        }),
      });
      return {
        values: ratios(times.emmett, times.ours),
        perSecond: perSecond(count, times.ours),
        details: [
          `events: ours ${rate(count, times.ours)}, Emmett ${rate(count, times.emmett)}; server: ${server.name}`,
          'both: WAL, synchronous FULL; ours commits a batch of documents with its checkpoint, Emmett hands over one ' +
            'event at a time and keeps no checkpoint: each is committed with its position',
        ],
      };
    } finally {
      await log.close();
      server.stop();
    }
  },
};

type Table = {
  readonly add: (message: EmmettMessage) => void;
  readonly count: () => number;
  readonly close: () => void;
};

function openTable(): Table {
  const folder = makeFolder();
  const database = new DatabaseSync(join(folder.path, 'rows.sqlite'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE documents (id TEXT PRIMARY KEY, body TEXT NOT NULL);
    CREATE TABLE checkpoint (id INTEGER PRIMARY KEY CHECK (id = 1), position TEXT NOT NULL);`);
  const insert = database.prepare('INSERT INTO documents (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING');
  const move = database.prepare('INSERT OR REPLACE INTO checkpoint (id, position) VALUES (1, ?)');
  const counted = database.prepare('SELECT count(*) AS count FROM documents');
  return {
    add({ data, metadata }) {
      database.exec('BEGIN');
      insert.run(data.transactionId, JSON.stringify({ _id: data.transactionId, row: data }));
      move.run(String(metadata.globalPosition));
      database.exec('COMMIT');
    },
    count: () => Number(counted.get()?.count),
    close() {
      database.close();
      folder.remove();
    },
  };
}

/** A server that was there before may hold further rows, before these. */
async function projectWithEmmett(
  url: string,
  table: Table,
  { count, lastId }: { count: number; lastId: string },
): Promise<void> {
  const { EventStoreDBClient } = emmettPackage<EventStoreClients>('@eventstore/db-client');
  const { getEventStoreDBEventStore } = emmettPackage<EmmettEventStoreDb>('@event-driven-io/emmett-esdb');
  const client = EventStoreDBClient.connectionString(url);
  const consumer = getEventStoreDBEventStore(client).consumer();
  consumer.processor({
    processorId: 'rows',
    startFrom: 'BEGINNING',
    eachMessage(message: EmmettMessage) {
      if (message.type === 'TransactionRecorded') table.add(message);
    },
    stopAfter: ({ metadata }: EmmettMessage) => metadata.eventId === lastId,
  });
  await consumer.start();
  await client.dispose();
  if (table.count() < count) throw new Error(`Emmett projected ${table.count()} of ${count} events`);
}
