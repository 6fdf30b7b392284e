import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LookUpKnown } from '../../src/commands/known-transaction.ts';
import type { NewEvent } from '../../src/events/event.ts';
import { eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { type TransactionDocument, transactions } from '../../src/projections/transactions.ts';
import { openEmbeddedStores } from '../../src/readstore/embedded/two-files.ts';
import { documentId } from '../../src/shared/ids.ts';
import { BENCH, bankPages } from '../fixtures/bank-rows.ts';
import { beginSync, commandContext, recordPages } from '../fixtures/commands.ts';
import { type Folder, makeFolder } from '../fixtures/folder.ts';
import { recordedAppends } from '../fixtures/recorded-events.ts';
import { interleave, median, perSecond, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

type Texts = { readonly metadata: string; readonly data: string };
type RawEvent = { readonly stream: string; readonly event: NewEvent; readonly texts: Texts };

export const ingestEmbedded: Row = {
  name: 'ingest-embedded',
  title: 'pages of 500 new rows through recordSyncPage into the embedded log',
  baseline:
    'the same events as JSON through a prepared insert in commits of 500; WAL, synchronous FULL, unique by stream ' +
    'and revision',
  aim: { kind: 'speed', atLeast: 0.6 },
  async measure({ quick, rounds }) {
    const count = quick ? 2_000 : 20_000;
    const pages = await bankPages('ingest', count);
    const groups = pages.map((page) =>
      recordedAppends(page).flatMap(({ stream, events }) =>
        events.map((event): RawEvent => ({ stream, event, texts: textsOf(event) })),
      ),
    );
    const times = await interleave(rounds, {
      ours: side({
        prepare: () => openOurs(pages[0]?.subAccountKey ?? ''),
        run: (at) => at.ingest(pages),
        tidy: (at) => at.close(),
      }),
      raw: side({
        prepare: openRaw,
        run: (at) => at.insert(groups, ({ event }) => textsOf(event)),
        tidy: (at) => at.close(),
      }),
      rawText: side({
        prepare: openRaw,
        run: (at) => at.insert(groups, ({ texts }) => texts),
        tidy: (at) => at.close(),
      }),
    });
    return {
      values: ratios(times.raw, times.ours),
      perSecond: perSecond(count, times.ours),
      details: [
        `ours ${rate(count, times.ours)} rows, baseline ${rate(count, times.raw)}`,
        `against inserts of JSON text made beforehand (${rate(count, times.rawText)}): ${median(ratios(times.rawText, times.ours)).toFixed(2)}`,
      ],
    };
  },
};

function textsOf({ metadata, data }: NewEvent): Texts {
  return { metadata: JSON.stringify(metadata), data: JSON.stringify(data) };
}

async function openOurs(subAccountKey: string) {
  const folder = makeFolder();
  const log = openEmbeddedLog({ file: join(folder.path, 'log.sqlite'), codec: eventCodec });
  const readStore = openEmbeddedStores(folder.path);
  await readStore.ensureCollection(collectionSpec(transactions));
  const collection = readStore.collection<TransactionDocument>(collectionSpec(transactions));
  const lookUpKnown: LookUpKnown = (ids) => collection.getMany(ids.map((id) => documentId(BENCH.tenantId, id)));
  const context = commandContext(log);
  const syncId = await beginSync(context, subAccountKey);
  return {
    ingest: (pages: Awaited<ReturnType<typeof bankPages>>) => recordPages(context, syncId, pages, lookUpKnown),
    async close() {
      await readStore.close();
      await log.close();
      folder.remove();
    },
  };
}

function openRaw() {
  const folder: Folder = makeFolder();
  const database = new DatabaseSync(join(folder.path, 'raw.sqlite'));
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = ' +
      '-65536;',
  );
  database.exec(
    'CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, id TEXT ' +
      'NOT NULL, ' +
      'type TEXT NOT NULL, recorded_at INTEGER NOT NULL, metadata TEXT NOT NULL, data TEXT NOT NULL) STRICT;' +
      'CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);',
  );
  const insert = database.prepare(
    'INSERT INTO events (stream, revision, id, type, recorded_at, metadata, data) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  return {
    insert(groups: readonly (readonly RawEvent[])[], textsOf: (row: RawEvent) => Texts) {
      for (const group of groups) {
        database.exec('BEGIN IMMEDIATE');
        const recordedAt = Date.now();
        for (const row of group) {
          const { data, metadata } = textsOf(row);
          insert.run(row.stream, 0, row.event.id, row.event.type, recordedAt, metadata, data);
        }
        database.exec('COMMIT');
      }
    },
    close() {
      database.close();
      folder.remove();
    },
  };
}
