import { join } from 'node:path';
import { eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import type { Append } from '../../src/log/log.ts';
import { bankPages } from '../fixtures/bank-rows.ts';
import type { EmmettEvent } from '../fixtures/emmett-packages.ts';
import { type EmmettOnSqlite, openEmmettSqlite } from '../fixtures/emmett-sqlite.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { recordedAppends } from '../fixtures/recorded-events.ts';
import { foldsRows, type RecordedRow } from '../fixtures/rows-model.ts';
import { interleave, perSecond, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const EMMETT_BATCH = 1_000;

export const emmettProjection: Row = {
  name: 'emmett-projection',
  title: 'a read model with a document for each event, from an empty store to the end of the embedded log',
  baseline: 'the same with an asynchronous projection of Emmett into a table of the same SQLite file, batches of 1,000',
  aim: { kind: 'speed', atLeast: 1 },
  async measure({ quick, rounds }) {
    const count = quick ? 2_500 : 20_000;
    const folder = makeFolder();
    const appends = (await bankPages('projected', count)).flatMap(recordedAppends);
    const log = openEmbeddedLog({ file: join(folder.path, 'log.sqlite'), codec: eventCodec });
    await log.appendMany(appends);
    const emmett = await openEmmettSqlite(folder.path, 'one connection');
    await fillEmmett(emmett, appends);
    let checkpoint = 'none';
    try {
      const times = await interleave(rounds, {
        ours: foldsRows(log),
        emmett: side({
          run: async (_, round) => {
            checkpoint = await projectWithEmmett(emmett, `rows_${round}`, count);
          },
        }),
      });
      return {
        values: ratios(times.emmett, times.ours),
        perSecond: perSecond(count, times.ours),
        details: [
          `events: ours ${rate(count, times.ours)}, Emmett ${rate(count, times.emmett)}`,
          `both: documents and checkpoint in one commit, WAL, synchronous FULL; the checkpoint that Emmett has stored ` +
            `after ${count.toLocaleString('en')} events is ${checkpoint}`,
        ],
      };
    } finally {
      await log.close();
      await emmett.close();
      folder.remove();
    }
  },
};

/** Streams of 500 events, since only the order of all events matters here. */
async function fillEmmett({ append }: EmmettOnSqlite, appends: readonly Append[]): Promise<void> {
  const size = 500;
  for (let at = 0; at < appends.length; at += size) {
    const events = appends.slice(at, at + size).flatMap((one) => one.events);
    await append(`rows-${at}`, 0n, events);
  }
}

/** @returns the checkpoint that Emmett has stored at the end */
async function projectWithEmmett({ store, connection }: EmmettOnSqlite, table: string, count: number): Promise<string> {
  if (connection === null) throw new Error('Emmett has no connection of its own here');
  await connection.command(`CREATE TABLE ${table} (id TEXT PRIMARY KEY, body TEXT NOT NULL)`);
  const insert = `INSERT INTO ${table} (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING`;
  const consumer = store.consumer({ pulling: { batchSize: EMMETT_BATCH, pullingFrequencyInMs: 0 } });
  consumer.processor({
    processorId: table,
    startFrom: 'BEGINNING',
    stopAfter: ({ metadata }: { metadata: { globalPosition: bigint } }) => metadata.globalPosition >= BigInt(count),
    projection: {
      name: table,
      canHandle: ['TransactionRecorded'],
      async handle(events: readonly EmmettEvent[]) {
        for (const { data } of events) {
          const row = data as RecordedRow;
          await connection.command(insert, [row.transactionId, JSON.stringify({ _id: row.transactionId, row })]);
        }
      },
    },
  });
  await consumer.start();
  const [found] = await connection.query(`SELECT count(*) AS n FROM ${table}`);
  if (found?.n !== count) throw new Error(`Emmett projected ${found?.n} of ${count} events`);
  const [stored] = await connection.query('SELECT * FROM emt_processors WHERE processor_id = ?', [table]);
  return stored === undefined ? 'none' : BigInt(String(stored.last_processed_checkpoint)).toLocaleString('en');
}
