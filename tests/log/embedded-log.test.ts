import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventSchemaError } from '../../src/events/event.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { openLogFile } from '../../src/log/embedded/file.ts';
import { LOG_START, LogCorrupted, LogUnavailable } from '../../src/log/log.ts';
import { codec, newTenant, noted, notes, openCodec, readTenant, stream, subscribeUntil } from './fixtures.ts';
import { describeLogContract } from './log-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'embedded-log-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeLogContract(
  'embedded log',
  async (chosen) => openEmbeddedLog({ file: join(folder, 'contract'), codec: chosen }),
  async (chosen) => {
    const file = join(folder, `empty-${randomUUID()}`);
    return { log: openEmbeddedLog({ file, codec: chosen }), subscribed: async () => {} };
  },
);

describe('the embedded log', () => {
  const tenant = newTenant();
  let file: string;
  let count = 0;
  const open: EmbeddedLog[] = [];

  function openLog(path = file): EmbeddedLog {
    const log = openEmbeddedLog({ file: path, codec });
    open.push(log);
    return log;
  }

  beforeEach(() => {
    count += 1;
    file = join(folder, `log-${count}`);
  });

  afterEach(async () => {
    for (const log of open.splice(0)) await log.close();
  });

  it('leaves out what others have, and comes to the end however much that is', async () => {
    const other = newTenant();
    const log = openLog();
    const single = (owner: string, nth: number) => ({
      stream: stream(owner, `row-${nth}`),
      expected: 'no-stream' as const,
      events: [noted(owner, `row ${nth}`)],
    });
    await log.append(single(tenant, 1));
    for (let nth = 0; nth < 12_000; nth += 1_000) {
      await log.appendMany(Array.from({ length: 1_000 }, (_, at) => single(other, nth + at)));
    }
    await log.append(single(tenant, 2));
    await log.appendMany(Array.from({ length: 1_000 }, (_, at) => single(other, 12_000 + at)));
    const head = await log.head();
    const asked = { after: LOG_START, tenantId: tenant };
    const batches = await subscribeUntil(log, asked, (seen) => (seen.at(-1)?.position ?? '') >= head);
    expect(batches.flatMap(({ events }) => events.map(({ stream: name }) => name))).toEqual([
      stream(tenant, 'row-1'),
      stream(tenant, 'row-2'),
    ]);
    expect(batches.length).toBeLessThan(10);
  });

  async function fill(events: number): Promise<void> {
    const log = openLog();
    const appends = Array.from({ length: events }, (_, index) => ({
      stream: stream(tenant, `row-${index}`),
      expected: 'no-stream' as const,
      events: [noted(tenant, `row ${index}`)],
    }));
    await log.appendMany(appends);
    await log.close();
  }

  function alter(sql: string): void {
    const db = new DatabaseSync(file);
    db.exec(sql);
    db.close();
  }

  it('assigns positions without gaps, comparable as text', async () => {
    const log = openLog();
    await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 12) });
    const { events } = await log.readAll({ after: LOG_START, limit: 100 });
    expect(events.map((event) => Number(event.position))).toEqual(events.map((_, index) => index + 1));
    expect(new Set(events.map((event) => event.position.length))).toEqual(new Set([16]));
  });

  it('starts with nothing, at LOG_START', async () => {
    const log = openLog();
    expect(await log.head()).toBe(LOG_START);
    const nothing = { events: [], position: LOG_START, caughtUp: true };
    expect(await log.readAll({ after: LOG_START, limit: 10 })).toEqual(nothing);
    expect(await subscribeUntil(log, { after: LOG_START }, () => true)).toEqual([nothing]);
    expect(await log.verify()).toEqual({ events: 0 });
  });

  it('stamps events with the clock it was given', async () => {
    const clock = { now: () => Date.UTC(2024, 1, 29, 12, 0, 0, 7) };
    const log = openEmbeddedLog({ file: ':memory:', codec, clock });
    const name = stream(tenant);
    await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    expect((await log.readStream(name))[0]?.recordedAt).toBe('2024-02-29T12:00:00.007Z');
    await log.close();
  });

  it('moves the watermark past events of other categories', async () => {
    const log = openLog();
    await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 30) });
    const batches = await subscribeUntil(
      log,
      { after: LOG_START, categories: ['user'] },
      (s) => s.at(-1)?.caughtUp === true,
    );
    expect(batches.flatMap((batch) => batch.events)).toEqual([]);
    expect(batches.at(-1)?.position).toBe(await log.head());
  });

  it('answers appends of one event loop iteration separately, within one commit', async () => {
    const log = openLog();
    const name = stream(tenant);
    const results = await Promise.all([
      log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 2) }),
      log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) }),
      log.append({ stream: name, expected: 1, events: notes(tenant, 1) }),
    ]);
    expect(results.map((result) => result.outcome)).toEqual(['appended', 'conflict', 'appended']);
    const stamps = (await log.readStream(name)).map((event) => event.recordedAt);
    expect(new Set(stamps).size).toBe(1);
  });

  it('delivers what it has just appended as it stands in the file', async () => {
    const log = openLog();
    const texts = ['plain', 'ünï "quoted" \u2028', 'x'.repeat(2_000)];
    for (let nth = 0; nth < 60; nth += 1) {
      const events = texts.map((text) => noted(tenant, `${text} ${nth}`));
      await log.append({ stream: stream(tenant, `row-${nth}`), expected: 'no-stream', events });
    }
    const delivered = await log.readAll({ after: LOG_START, limit: 1_000 });
    await log.close();
    expect(delivered.events).toHaveLength(180);
    expect(delivered).toEqual(await openLog().readAll({ after: LOG_START, limit: 1_000 }));
  });

  it('syncs the disk at every commit', () => {
    // A power failure cannot be tested here, but the setting that makes SQLite withstand it can be read.
    const { db } = openLogFile(file);
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    db.close();
  });

  it('answers requests made before it was closed', async () => {
    const log = openLog();
    const name = stream(tenant);
    const pending = log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    await log.close();
    expect((await pending).outcome).toBe('appended');
    expect(await openLog().readStream(name)).toHaveLength(1);
  });

  it('fails the whole append whose commit fails, and keeps working', async () => {
    let fail = false;
    const clock = {
      now: () => {
        if (fail) throw new Error('no time');
        return 1;
      },
    };
    const log = openEmbeddedLog({ file, codec, clock });
    const name = stream(tenant);
    await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
    fail = true;
    await expect(log.append({ stream: name, expected: 0, events: notes(tenant, 1) })).rejects.toThrow('no time');
    fail = false;
    expect((await log.append({ stream: name, expected: 0, events: notes(tenant, 1) })).outcome).toBe('appended');
    expect(await log.verify()).toEqual({ events: 2 });
    await log.close();
  });

  it('returns no event that its codec does not know', async () => {
    const name = stream(tenant);
    const writer = openEmbeddedLog({ file, codec: openCodec });
    await writer.append({ stream: name, expected: 'no-stream', events: [{ ...noted(tenant, 'x'), type: 'Counted' }] });
    await writer.close();
    const log = openLog();
    await expect(log.readStream(name)).rejects.toThrow(EventSchemaError);
    await expect(readTenant(log, tenant, LOG_START)).rejects.toThrow(EventSchemaError);
    await expect(subscribeUntil(log, { after: LOG_START }, () => true)).rejects.toThrow(EventSchemaError);
  });

  describe('a damaged file', () => {
    it.each([
      ['data', `UPDATE events SET data = replace(data, 'row 700', 'row 007') WHERE position = 701`, 701],
      ['metadata', `UPDATE events SET metadata = replace(metadata, 'run-1', 'run-2') WHERE position = 42`, 42],
      ['time', 'UPDATE events SET recorded_at = recorded_at + 1 WHERE position = 1', 1],
      ['stream', `UPDATE events SET stream = stream || 'x' WHERE position = 9`, 9],
      ['type', `UPDATE events SET type = 'Counted' WHERE position = 2000`, 2000],
      ['id', `UPDATE events SET id = '6fa459ea-ee8a-4ca4-894e-db77e160355e' WHERE position = 13`, 13],
      ['a removed event', 'DELETE FROM events WHERE position = 500', 500],
      [
        'two events changed for each other',
        'UPDATE events SET position = 5000 WHERE position = 7; UPDATE events SET position = 7 WHERE position = 8; ' +
          'UPDATE events SET position = 8 WHERE position = 5000',
        7,
      ],
    ])('is found by verify: %s', async (_, sql, position) => {
      await fill(2_000 + 1_001);
      alter(sql);
      const attempt = openLog().verify();
      await expect(attempt).rejects.toThrow(LogCorrupted);
      await expect(attempt).rejects.toThrow(new RegExp(`position ${position}\\b`));
    });

    it.each([
      ['the last event altered', `UPDATE events SET data = '{"text":"other"}' WHERE position = 20`],
      ['an event of the tail altered', `UPDATE events SET data = '{"text":"other"}' WHERE position = 3`],
      ['the last event removed', 'DELETE FROM events WHERE position = 20'],
      [
        'an event put behind the last',
        `INSERT INTO events SELECT 21, category, stream, 1, id, type, recorded_at, digest, metadata, data, body FROM ` +
          `events WHERE position = 20`,
      ],
      ['the record of the end removed', 'DELETE FROM head'],
    ])('is refused at open: %s', async (_, sql) => {
      await fill(20);
      alter(sql);
      expect(() => openLog()).toThrow(LogCorrupted);
    });

    it('is refused when it is truncated', async () => {
      await fill(3_000);
      truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
      expect(() => openLog()).toThrow(LogCorrupted);
    });

    it('is refused when it is not a log', async () => {
      writeFileSync(file, 'this was never a log, but long enough to be looked at '.repeat(100));
      expect(() => openLog()).toThrow(LogCorrupted);
      file = `${file}-other`;
      alter('CREATE TABLE other (a)');
      expect(() => openLog()).toThrow(LogCorrupted);
    });

    it('is accepted when it is intact', async () => {
      await fill(2_500);
      expect(await openLog().verify()).toEqual({ events: 2_500 });
    });
  });

  it('counts exactly what comes after a position, however much it is', async () => {
    const log = openLog();
    await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 2_500) });
    const { events, position } = await log.readAll({ after: LOG_START, limit: 7 });
    expect(await log.remainder(LOG_START)).toEqual({
      events: 2_500,
      isEstimate: false,
      oldestAt: events[0]?.recordedAt,
    });
    expect(await log.remainder(position)).toMatchObject({ events: 2_493, isEstimate: false });
    expect(await log.remainder(await log.head())).toEqual({ events: 0, isEstimate: false, oldestAt: null });
  });

  describe('two processes', () => {
    const script = fileURLToPath(new URL('./appending-child.ts', import.meta.url));

    async function appendingChild(): Promise<{ child: ReturnType<typeof fork>; acknowledged: string[] }> {
      const child = fork(script, [file, tenant], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      const acknowledged: string[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      child.on('message', (id) => {
        acknowledged.push(String(id));
        if (acknowledged.length === 200) resolve();
      });
      await promise;
      return { child, acknowledged };
    }

    it('keeps every acknowledged event when its process is killed, and is free at once', async () => {
      const { child, acknowledged } = await appendingChild();
      child.kill('SIGKILL');
      await once(child, 'exit');
      const log = openLog();
      const ids = new Set((await readTenant(log, tenant, LOG_START)).map((event) => event.id));
      expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
      expect(await log.verify()).toEqual({ events: ids.size });
    });

    it('refuses a second opener, of another process or the same', async () => {
      const { child } = await appendingChild();
      expect(() => openLog()).toThrow(LogUnavailable);
      expect(() => openLog()).toThrow(/another process/);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const log = openLog();
      expect(() => openLog()).toThrow(LogUnavailable);
      await log.close();
      expect(await openLog().head()).not.toBe(LOG_START);
    });
  });
});
