import { join } from 'node:path';
import { eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import type { Append } from '../../src/log/log.ts';
import { emmettVersion } from '../fixtures/emmett-packages.ts';
import { type EmmettWay, emmettDurability, openEmmettSqlite } from '../fixtures/emmett-sqlite.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { compareStores, ourStore, tasks, type WorkedStore } from '../fixtures/store-work.ts';
import type { Row } from '../row.ts';

const ONE = { 'Emmett on one connection': () => openEmmett('one connection') };
const BOTH = { ...ONE, 'with a connection for each call, as supplied': () => openEmmett('as supplied') };

const BASELINE = 'Emmett on SQLite with the same events, each append to a new stream checked; WAL, synchronous FULL';

export const emmettAppend = row(
  'emmett-append',
  'appends of one event to the embedded log, one after another',
  'alone',
);

export const emmettAppend64 = row('emmett-append-64', 'appends of one event to the embedded log, 64 at once', 'atOnce');

export const emmettStreams = row(
  'emmett-streams',
  'calls of 500 appends to the embedded log, each of one event to its own stream',
  'streams',
);

export const emmettRead = row('emmett-read', 'reads of streams of 20 events from the embedded log', 'read');

function row(name: string, title: string, task: keyof typeof tasks): Row {
  return {
    name,
    title,
    baseline: BASELINE,
    aim: { kind: 'speed', atLeast: 1 },
    async measure(setting) {
      const measured = await compareStores(
        setting,
        tasks[task],
        openOurs,
        task === 'alone' || task === 'read' ? BOTH : ONE,
      );
      return { ...measured, details: [...measured.details, await guarantees()] };
    },
  };
}

async function guarantees(): Promise<string> {
  const folder = makeFolder();
  const { journal, synchronous } = await emmettDurability(folder.path);
  folder.remove();
  // 2 is FULL, as in our log.
  if (journal !== 'wal' || synchronous !== '2') throw new Error(`Emmett commits with ${journal} and ${synchronous}`);
  return (
    `both: WAL, synchronous FULL, synced before the append is answered; emmett-sqlite ` +
    `${emmettVersion('@event-driven-io/emmett-sqlite')}; ours also checks each event against its closed schema, ` +
    'chains digests, and recognises an append that is repeated'
  );
}

async function openOurs(): Promise<WorkedStore> {
  const folder = makeFolder();
  const log = openEmbeddedLog({ file: join(folder.path, 'log.sqlite'), codec: eventCodec });
  return ourStore(log, async () => {
    await log.close();
    folder.remove();
  });
}

async function openEmmett(way: EmmettWay): Promise<WorkedStore> {
  const folder = makeFolder();
  const { store, append, close } = await openEmmettSqlite(folder.path, way);
  const appendOne = ({ stream, events }: Append) => append(stream, 0n, events);
  return {
    append: appendOne,
    // Emmett has no call for several streams, and its appends to one file follow one another.
    async appendMany(appends) {
      for (const one of appends) await appendOne(one);
    },
    read: async (stream) => (await store.readStream(stream)).events.length,
    async close() {
      await close();
      folder.remove();
    },
  };
}
