import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NewEvent } from '../../src/events/event.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { chainDigest } from '../../src/log/embedded/file.ts';
import { LOG_START, LogCorrupted } from '../../src/log/log.ts';
import { codec, newTenant, noted, stream, textOf } from './fixtures.ts';

let folder: string;
let tenant: string;
let open: EmbeddedLog[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-packing-'));
  tenant = newTenant();
  open = [];
});
afterEach(async () => {
  for (const log of open) await log.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, 'log.sqlite');

function openLog(clock?: { readonly now: () => number }): EmbeddedLog {
  const log = openEmbeddedLog({ file: file(), codec, ...(clock === undefined ? {} : { clock }) });
  open.push(log);
  return log;
}

function inFile<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file());
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** As long as a transaction, each with something of its own. */
function long(nth: number, id: string = randomUUID()): NewEvent {
  const fields = ['amount', 'currency', 'counterparty', 'description', 'accountIdentification', 'statedBalance'];
  return noted(
    tenant,
    `${fields.map((field) => `"${field}":"of ${nth}"`).join(',')} ${'and so on '.repeat(20)} ${id}`,
    id,
  );
}

const appendOf = (event: NewEvent, name = stream(tenant)) => ({
  stream: name,
  expected: 'no-stream' as const,
  events: [event],
});

async function fill(log: EmbeddedLog, events: readonly NewEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += 100)
    await log.appendMany(events.slice(from, from + 100).map((event) => appendOf(event)));
}

async function textsOf(log: EmbeddedLog): Promise<string[]> {
  const { events } = await log.readAll({ after: LOG_START, limit: 10_000 });
  return events.map(textOf);
}

it('stores the texts of most events in a quarter of their bytes, and returns them as they were', async () => {
  const events = Array.from({ length: 2_000 }, (_, nth) => long(nth));
  const log = openLog();
  await fill(log, events);
  const expected = events.map(({ data }) => (data as { text: string }).text);
  expect(await textsOf(log)).toEqual(expected);
  await log.close();
  const again = openLog();
  expect(await textsOf(again)).toEqual(expected);
  expect(await again.verify()).toEqual({ events: 2_000 });
  await again.close();
  const sums = inFile((database) =>
    database
      .prepare('SELECT sum(length(body)) AS packed, sum(length(data) + length(metadata)) AS text FROM events')
      .get(),
  );
  const written = events.reduce((sum, { data, metadata }) => sum + JSON.stringify({ data, metadata }).length, 0);
  expect(Number(sums?.packed) + Number(sums?.text)).toBeLessThan(written / 4);
});

it('opens a log of the former format, which becomes the present one, and continues it', async () => {
  const events = Array.from({ length: 50 }, (_, nth) => long(nth));
  inFile((database) => {
    database.exec(`
      CREATE TABLE events (position INTEGER PRIMARY KEY, category TEXT NOT NULL, stream TEXT NOT NULL,
        revision INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, recorded_at INTEGER NOT NULL,
        digest TEXT NOT NULL, metadata TEXT NOT NULL, data TEXT NOT NULL) STRICT;
      CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
      CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, digest TEXT NOT NULL) STRICT;
      PRAGMA application_id = ${0x6263736c};
      PRAGMA user_version = 1;
    `);
    const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    let digest = '';
    for (const [at, { id, type, data, metadata }] of events.entries()) {
      const row = {
        position: at + 1,
        stream: stream(tenant),
        revision: 0,
        id,
        type,
        recorded_at: 1,
        metadata: JSON.stringify(metadata),
        data: JSON.stringify(data),
      };
      digest = chainDigest(digest, row);
      insert.run(row.position, 'bankTransaction', row.stream, 0, id, type, 1, digest, row.metadata, row.data);
    }
    database.prepare('INSERT INTO head VALUES (1, ?, ?)').run(events.length, digest);
  });
  const log = openLog();
  expect(await textsOf(log)).toHaveLength(50);
  const more = Array.from({ length: 50 }, (_, nth) => long(50 + nth));
  await fill(log, more);
  await log.close();
  const again = openLog();
  expect(await textsOf(again)).toEqual([...events, ...more].map(({ data }) => (data as { text: string }).text));
  expect(await again.verify()).toEqual({ events: 100 });
});

it('takes no dictionary from a commit that failed', async () => {
  let fails = false;
  let calls = 0;
  const clock = {
    now: () => {
      calls += 1;
      return fails ? Number.NaN : calls;
    },
  };
  const log = openLog(clock);
  await fill(
    log,
    Array.from({ length: 15 }, (_, nth) => long(nth)),
  );
  fails = true;
  // The sixteenth event of the type is sampled; its time cannot be stored, so that the commit fails.
  await expect(log.append(appendOf(long(15)))).rejects.toThrow();
  fails = false;
  const events = Array.from({ length: 40 }, (_, nth) => long(16 + nth));
  await fill(log, events);
  expect(await textsOf(log)).toHaveLength(55);
  expect(await log.verify()).toEqual({ events: 55 });
});

it('finds a packed event that was altered, and one whose dictionary is gone', async () => {
  const log = openLog();
  await fill(
    log,
    Array.from({ length: 2_200 }, (_, nth) => long(nth)),
  );
  await log.close();
  for (const [sql, position] of [
    ['UPDATE events SET body = substr(body, 1, 20) WHERE position = 100', 100],
    ['UPDATE events SET data = data || 1 WHERE position = 99', 99],
    ['UPDATE dictionaries SET bytes = zeroblob(4000) WHERE number = 1', 16],
    ['DELETE FROM dictionaries WHERE number = 1', 16],
  ] as const) {
    inFile((database) => database.exec(sql));
    const damaged = openLog();
    const verified = damaged.verify();
    await expect(verified).rejects.toThrow(LogCorrupted);
    await expect(verified).rejects.toThrow(`position ${position} `);
    await damaged.close();
  }
});

it('answers a repeated append of a packed event as the first one', async () => {
  const log = openLog();
  await fill(
    log,
    Array.from({ length: 100 }, (_, nth) => long(nth)),
  );
  const append = appendOf(long(100));
  expect(await log.append(append)).toEqual(await log.append(append));
});
