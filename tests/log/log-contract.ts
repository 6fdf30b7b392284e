import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventCodec, EventSchemaError, type NewEvent, type RecordedEvent } from '../../src/events/event.ts';
import { type AppendResult, AppendTooLarge, type EventLog, LOG_START, LogUnavailable } from '../../src/log/log.ts';
import {
  codec,
  metadata,
  newTenant,
  noted,
  notes,
  oldCodec,
  readTenant,
  stream,
  subscribeUntil,
  tenantEvents,
  textOf,
} from './fixtures.ts';

/** Opens the log under test, on the same storage each time; only one is open at a time. */
export type LogFactory = (codec: EventCodec) => Promise<EventLog>;

/**
 * Opens a log that has never held an event of ours. `subscribed` resolves once its one subscription has received
 * everything there is.
 */
export type EmptyLogFactory = (codec: EventCodec) => Promise<{ log: EventLog; subscribed: () => Promise<void> }>;

function appended(result: AppendResult | undefined): { revision: number; position: string } {
  if (result?.outcome !== 'appended') throw new Error(`expected to be appended, was ${result?.outcome}`);
  return result;
}

/**
 * What every log must do. It assumes nothing about what else is in the log: each test has a tenant of its own, so that
 * it also runs against a shared server.
 */
export function describeLogContract(name: string, openLog: LogFactory, openEmptyLog?: EmptyLogFactory): void {
  describe(`${name}: the contract of a log`, () => {
    let log: EventLog;

    beforeAll(async () => {
      log = await openLog(codec);
    });

    afterAll(async () => {
      await log.close();
    });

    describe('append and readStream', () => {
      it('returns what was appended, with its position and time', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        const [first, second] = notes(tenant, 2) as [NewEvent, NewEvent];
        const before = new Date().toISOString();
        const result = appended(await log.append({ stream: name, expected: 'no-stream', events: [first, second] }));
        const events = await log.readStreamPositions(name);
        expect(events).toEqual([
          { ...first, stream: name, revision: 0, position: events[0]?.position, recordedAt: events[0]?.recordedAt },
          { ...second, stream: name, revision: 1, position: result.position, recordedAt: events[1]?.recordedAt },
        ]);
        expect(result.revision).toBe(1);
        expect((events[0]?.position ?? '') > LOG_START).toBe(true);
        expect((events[0]?.position ?? '') < result.position).toBe(true);
        expect(events[0]?.recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        // A server has a clock of its own; a difference of an hour is not due to this test, but to a misread time zone.
        expect(Math.abs(Date.parse(events[0]?.recordedAt ?? '') - Date.parse(before))).toBeLessThan(1_800_000);
      });

      it('numbers a stream without gaps and in order, whatever is written to other streams', async () => {
        const tenant = newTenant();
        const one = stream(tenant);
        const other = stream(tenant);
        for (let revision = -1; revision < 9; revision += 1) {
          const expected = revision < 0 ? 'no-stream' : revision;
          await Promise.all([
            log.append({ stream: one, expected, events: [noted(tenant, `one ${revision + 1}`)] }),
            log.append({ stream: other, expected, events: [noted(tenant, `other ${revision + 1}`)] }),
          ]);
        }
        for (const [name, prefix] of [
          [one, 'one'],
          [other, 'other'],
        ] as const) {
          const events = await log.readStreamPositions(name);
          expect(events.map((event) => event.revision)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
          expect(events.map(textOf)).toEqual(Array.from({ length: 10 }, (_, index) => `${prefix} ${index}`));
          const positions = events.map((event) => event.position);
          expect(positions).toEqual([...positions].sort());
          expect(new Set(positions).size).toBe(10);
        }
      });

      it('returns no events for a stream that does not exist', async () => {
        expect(await log.readStream(stream(newTenant()))).toEqual([]);
      });

      it('reads from a revision on, up to a limit', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 10) });
        const revisions = async (options: { fromRevision?: number; limit?: number }) =>
          (await log.readStream(name, options)).map((event) => event.revision);
        expect(await revisions({ fromRevision: 7 })).toEqual([7, 8, 9]);
        expect(await revisions({ limit: 3 })).toEqual([0, 1, 2]);
        expect(await revisions({ fromRevision: 4, limit: 2 })).toEqual([4, 5]);
        expect(await revisions({ fromRevision: 9, limit: 5 })).toEqual([9]);
        expect(await revisions({ fromRevision: 10 })).toEqual([]);
        expect(await revisions({ limit: 0 })).toEqual([]);
      });

      it('returns the same events with and without their positions', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 5) });
        const range = { fromRevision: 1, limit: 3 };
        const placed = await log.readStreamPositions(name, range);
        expect(placed.map(({ revision }) => revision)).toEqual([1, 2, 3]);
        expect(await log.readStream(name, range)).toEqual(
          placed.map(({ position, ...event }) => expect.objectContaining(event)),
        );
      });

      it('reads a stream longer than one slice', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1_000) });
        await log.append({ stream: name, expected: 999, events: notes(tenant, 1_000) });
        await log.append({ stream: name, expected: 1_999, events: notes(tenant, 1) });
        const events = await log.readStream(name);
        expect(events.map((event) => event.revision)).toEqual(Array.from({ length: 2_001 }, (_, index) => index));
        expect(await log.readStream(name, { limit: 1_500 })).toEqual(events.slice(0, 1_500));
      });
    });

    describe('conflicts and repeats', () => {
      it('refuses an append that expects another revision, and writes nothing', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        const attempt = (expected: 'no-stream' | number) =>
          log.append({ stream: name, expected, events: [noted(tenant, 'late')] });
        expect(await attempt(0)).toEqual({ outcome: 'conflict' });
        await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 3) });
        expect(await attempt('no-stream')).toEqual({ outcome: 'conflict' });
        expect(await attempt(0)).toEqual({ outcome: 'conflict' });
        expect(await attempt(1)).toEqual({ outcome: 'conflict' });
        expect(await attempt(3)).toEqual({ outcome: 'conflict' });
        expect((await log.readStream(name)).map(textOf)).toEqual(['note 0', 'note 1', 'note 2']);
      });

      it('answers a repeated append as it answered the first, and writes nothing', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        const first = { stream: name, expected: 'no-stream', events: notes(tenant, 2, 'first') } as const;
        const second = { stream: name, expected: 1, events: notes(tenant, 3, 'second') } as const;
        const answers = [await log.append(first), await log.append(second)];
        expect(await log.append(first)).toEqual(answers[0]);
        expect(await log.append(second)).toEqual(answers[1]);
        expect(await log.appendMany([first])).toEqual([answers[0]]);
        const events = await log.readStreamPositions(name);
        expect(events).toHaveLength(5);
        expect(appended(answers[0])).toMatchObject({ revision: 1, position: events[1]?.position });
        expect(appended(answers[1])).toMatchObject({ revision: 4, position: events[4]?.position });
      });

      it('recognises a repetition of the first part of an append', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        const events = notes(tenant, 3);
        await log.append({ stream: name, expected: 'no-stream', events });
        const again = await log.append({ stream: name, expected: 'no-stream', events: events.slice(0, 2) });
        expect(appended(again)).toMatchObject({
          revision: 1,
          position: (await log.readStreamPositions(name))[1]?.position,
        });
      });

      it('refuses as a conflict an append that overlaps only in part with existing events', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        const events = notes(tenant, 2) as [NewEvent, NewEvent];
        await log.append({ stream: name, expected: 'no-stream', events });
        const conflict = { outcome: 'conflict' };
        const attempt = (expected: 'no-stream' | number, attempted: NewEvent[]) =>
          log.append({ stream: name, expected, events: attempted });
        expect(await attempt('no-stream', [...events, noted(tenant, 'more')])).toEqual(conflict);
        expect(await attempt('no-stream', [events[0], noted(tenant, 'other')])).toEqual(conflict);
        expect(await attempt('no-stream', [events[1], events[0]])).toEqual(conflict);
        expect(await attempt('no-stream', [events[1]])).toEqual(conflict);
        expect(await attempt(0, [events[1], noted(tenant, 'more')])).toEqual(conflict);
        expect(await log.readStream(name)).toHaveLength(2);
      });

      it('lets exactly one of 64 appenders win each revision', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        const winners: string[] = [];
        for (let round = 0; round < 5; round += 1) {
          const expected = round === 0 ? 'no-stream' : round - 1;
          const attempts = Array.from({ length: 64 }, (_, appender) => noted(tenant, `round ${round} of ${appender}`));
          const results = await Promise.all(
            attempts.map((event) => log.append({ stream: name, expected, events: [event] })),
          );
          const won = results.flatMap((result, index) => (result.outcome === 'appended' ? [attempts[index]?.id] : []));
          expect(won).toHaveLength(1);
          winners.push(won[0] ?? '');
        }
        expect((await log.readStream(name)).map((event) => event.id)).toEqual(winners);
      });

      it('agrees with a model of streams for any run of appends', async () => {
        const ids = Array.from({ length: 8 }, () => randomUUID());
        const attempt = fc.record({
          stream: fc.integer({ min: 0, max: 1 }),
          expected: fc.integer({ min: -1, max: 5 }),
          ids: fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 3 }),
        });
        await fc.assert(
          fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 25 }), async (attempts) => {
            const tenant = newTenant();
            const names = [stream(tenant), stream(tenant)] as const;
            const model: [string[], string[]] = [[], []];
            for (const { stream: which, expected, ids: chosen } of attempts) {
              const stored = which === 0 ? model[0] : model[1];
              const added = chosen.map((index) => ids[index] ?? '');
              const result = await log.append({
                stream: which === 0 ? names[0] : names[1],
                expected: expected < 0 ? 'no-stream' : expected,
                events: added.map((id) => noted(tenant, 'model', id)),
              });
              const free = expected === stored.length - 1;
              const repeated =
                expected < stored.length - 1 && added.every((id, index) => stored[expected + 1 + index] === id);
              if (free) stored.push(...added);
              expect(result.outcome).toBe(free || repeated ? 'appended' : 'conflict');
              if (result.outcome === 'appended') expect(result.revision).toBe(expected + added.length);
            }
            for (const [index, stored] of model.entries()) {
              const events = await log.readStream(names[index] ?? '');
              expect(events.map((event) => event.id)).toEqual(stored);
              expect(events.map((event) => event.revision)).toEqual(stored.map((_, revision) => revision));
            }
          }),
          { numRuns: 15 },
        );
      });
    });

    describe('appendMany', () => {
      it('answers each append separately, in the order given', async () => {
        const tenant = newTenant();
        const [fresh, taken, repeated] = [stream(tenant), stream(tenant), stream(tenant)];
        await log.append({ stream: taken, expected: 'no-stream', events: notes(tenant, 1) });
        const again = { stream: repeated, expected: 'no-stream', events: notes(tenant, 2) } as const;
        const first = await log.append(again);
        const results = await log.appendMany([
          { stream: taken, expected: 'no-stream', events: notes(tenant, 1, 'late') },
          { stream: fresh, expected: 'no-stream', events: notes(tenant, 3, 'fresh') },
          again,
        ]);
        expect(results.map((result) => result.outcome)).toEqual(['conflict', 'appended', 'appended']);
        expect(results[2]).toEqual(first);
        const events = await log.readStreamPositions(fresh);
        expect(appended(results[1])).toMatchObject({ revision: 2, position: events[2]?.position });
        expect(await log.readStream(taken)).toHaveLength(1);
      });

      it('accepts more appends than fit into one commit or one batch', async () => {
        const tenant = newTenant();
        const appends = Array.from({ length: 1_500 }, (_, index) => ({
          stream: stream(tenant),
          expected: 'no-stream' as const,
          events: [noted(tenant, `row ${index}`)],
        }));
        const start = await log.head();
        const results = await log.appendMany(appends);
        expect(results.every((result) => result.outcome === 'appended')).toBe(true);
        const events = await readTenant(log, tenant, start);
        const place = new Map(events.map((event) => [event.stream, event.position]));
        expect(results.map((result) => appended(result).position)).toEqual(appends.map((a) => place.get(a.stream)));
        const repeated = await log.appendMany(appends);
        expect(repeated).toEqual(results);
        expect(await readTenant(log, tenant, start)).toHaveLength(1_500);
      });

      it('returns nothing for no appends', async () => {
        expect(await log.appendMany([])).toEqual([]);
      });

      it('writes none of them when one is invalid', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        const fit = { stream: name, expected: 'no-stream' as const, events: notes(tenant, 1) };
        const other = { ...fit, stream: stream(tenant) };
        await expect(log.appendMany([fit, fit])).rejects.toThrow(RangeError);
        await expect(log.appendMany([fit, { ...other, events: [] }])).rejects.toThrow(RangeError);
        const unknown = { ...noted(tenant, 'x'), type: 'Unheard' };
        await expect(log.appendMany([fit, { ...other, events: [unknown] }])).rejects.toThrow(EventSchemaError);
        expect(await log.readStream(name)).toEqual([]);
      });
    });

    describe('what is accepted', () => {
      const refused: [string, (tenant: string) => NewEvent, string | RegExp][] = [
        ['an unknown type', (t) => ({ ...noted(t, 'x'), type: 'Unheard' }), /Unheard/],
        ['a field too many', (t) => ({ ...noted(t, 'x'), data: { text: 'x', more: 1 } }), /Noted/],
        ['a field of another kind', (t) => ({ ...noted(t, 'x'), data: { text: 1 } }), /Noted/],
        ['a version that is not the newest', (t) => ({ ...noted(t, 'x'), metadata: metadata(t, 1) }), /Noted/],
        ['an id that is no UUID', (t) => noted(t, 'x', 'not-a-uuid'), /UUID/],
        ['an id in upper case', (t) => noted(t, 'x', randomUUID().toUpperCase()), /UUID/],
        ['the id of zeros', (t) => noted(t, 'x', '00000000-0000-0000-0000-000000000000'), /UUID/],
      ];

      it.each(refused)('refuses %s and writes nothing', async (_, make, message) => {
        const tenant = newTenant();
        const name = stream(tenant);
        const attempt = log.append({ stream: name, expected: 'no-stream', events: [noted(tenant, 'a'), make(tenant)] });
        await expect(attempt).rejects.toThrow(EventSchemaError);
        await expect(attempt).rejects.toThrow(message);
        expect(await log.readStream(name)).toEqual([]);
        // The log still works.
        expect((await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) })).outcome).toBe(
          'appended',
        );
      });

      it('refuses an empty append, a stream name that is not ours and an invalid revision', async () => {
        const tenant = newTenant();
        const events = notes(tenant, 1);
        const name = stream(tenant);
        await expect(log.append({ stream: name, expected: 'no-stream', events: [] })).rejects.toThrow(RangeError);
        for (const foreign of ['$settings', 'foreign-a_b', 'bankTransaction', '$bankTransaction-a_b', '']) {
          await expect(log.append({ stream: foreign, expected: 'no-stream', events })).rejects.toThrow(RangeError);
        }
        for (const expected of [-1, 0.5, Number.NaN]) {
          await expect(log.append({ stream: name, expected, events })).rejects.toThrow(RangeError);
        }
        expect(await log.readStream(name)).toEqual([]);
      });

      it('accepts an append just under 1 MiB and refuses one over it', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        const kib = (size: number) => noted(tenant, 'x'.repeat(size * 1024));
        const fit = [kib(500), kib(500)];
        expect((await log.append({ stream: name, expected: 'no-stream', events: fit })).outcome).toBe('appended');
        const tooLarge = log.append({ stream: name, expected: 1, events: [kib(600), kib(600)] });
        await expect(tooLarge).rejects.toThrow(AppendTooLarge);
        const events = await log.readStream(name);
        expect(events.map((event) => textOf(event).length)).toEqual([512_000, 512_000]);
      });

      it('stores any text unchanged', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        let revision = -1;
        const hard = [
          '',
          '\u0000',
          '\u2028\u2029',
          'Zürich 東京 🏦',
          '"\\/\b\f\n\r\t',
          '\ud800',
          '{"text":1}',
          "'; --",
        ];
        await fc.assert(
          fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
            await log.append({
              stream: name,
              expected: revision < 0 ? 'no-stream' : revision,
              events: [noted(tenant, text)],
            });
            revision += 1;
            expect((await log.readStream(name, { fromRevision: revision })).map(textOf)).toEqual([text]);
          }),
          { numRuns: 30, examples: hard.map((text) => [text]) },
        );
      });
    });

    describe('readAll and head', () => {
      it('pages through the log in order without gap or repeat, whatever the page', async () => {
        const tenant = newTenant();
        const start = await log.head();
        const names = [stream(tenant), stream(tenant), stream(tenant)];
        for (let round = 0; round < 4; round += 1) {
          for (const name of names) {
            const expected = round === 0 ? 'no-stream' : 2 * round - 1;
            await log.append({ stream: name, expected, events: notes(tenant, 2, `${round}`) });
          }
        }
        const whole = await readTenant(log, tenant, start);
        expect(whole).toHaveLength(24);
        const positions = whole.map((event) => event.position);
        expect(positions).toEqual([...positions].sort());
        const byStream = names.flatMap((name) => whole.filter((event) => event.stream === name));
        expect(byStream.map((event) => event.revision)).toEqual([...Array(3)].flatMap(() => [0, 1, 2, 3, 4, 5, 6, 7]));
        for (const limit of [1, 5, 24, 1_000]) {
          expect(await readTenant(log, tenant, start, { limit })).toEqual(whole);
        }
        for (const [index, position] of positions.entries()) {
          expect(await readTenant(log, tenant, position)).toEqual(whole.slice(index + 1));
        }
      });

      it('never returns more than the limit, and a watermark that covers what it returned', async () => {
        const tenant = newTenant();
        const start = await log.head();
        await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 9) });
        const batch = await log.readAll({ after: start, limit: 4 });
        expect(batch.events.length).toBeLessThanOrEqual(4);
        expect(batch.caughtUp).toBe(false);
        expect(batch.position >= (batch.events.at(-1)?.position ?? '')).toBe(true);
        const head = await log.head();
        const end = await log.readAll({ after: head, limit: 4 });
        expect(end.position >= head).toBe(true);
      });

      it('reads the requested categories', async () => {
        const tenant = newTenant();
        const start = await log.head();
        const run = stream(tenant, randomUUID(), 'syncRun');
        const user = stream(tenant, randomUUID(), 'user');
        const row = stream(tenant);
        for (const name of [run, user, row]) {
          await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 2) });
        }
        const read = async (categories: readonly string[]) =>
          (await readTenant(log, tenant, start, { categories, limit: 3 })).map((event) => event.stream);
        expect(await read(['syncRun'])).toEqual([run, run]);
        expect(await read(['user', 'bankTransaction'])).toEqual([user, user, row, row]);
        expect(await read([])).toEqual([]);
      });

      it('counts what comes after a position that is near its end, and says since when', async () => {
        const tenant = newTenant();
        const before = await log.head();
        const name = stream(tenant);
        await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 7) });
        const events = await log.readStreamPositions(name);
        const remainder = await log.remainder(before);
        expect(remainder.events).toBeGreaterThanOrEqual(7);
        expect(String(remainder.oldestAt) <= String(events[0]?.recordedAt)).toBe(true);
        const rest = await log.remainder(events[2]?.position ?? '');
        expect(remainder.events - rest.events).toBeLessThanOrEqual(7);
        expect(rest.events).toBeGreaterThanOrEqual(4);
      });

      it('has its head at the last event', async () => {
        const tenant = newTenant();
        const before = await log.head();
        const { position } = appended(
          await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 3) }),
        );
        expect(position > before).toBe(true);
        expect((await log.head()) >= position).toBe(true);
        expect((await log.end()) >= (await log.head())).toBe(true);
        expect(await readTenant(log, tenant, position)).toEqual([]);
      });

      it('refuses a position that it did not issue', async () => {
        await expect(log.readAll({ after: 'nowhere', limit: 1 })).rejects.toThrow(RangeError);
      });

      it('answers a ping', async () => {
        await expect(log.ping()).resolves.toBeUndefined();
      });
    });

    describe('subscribe', () => {
      it('delivers everything after any position, without gap or repeat, during further appends', async () => {
        const tenant = newTenant();
        const start = await log.head();
        const name = stream(tenant);
        const total = 300;
        await log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 40) });
        const stored = await readTenant(log, tenant, start);
        const starts = [start, ...[0, 7, 38, 39].map((index) => stored[index]?.position ?? start)];
        const runs = starts.map((after, index) =>
          subscribeUntil(log, { after, maxBatch: index === 0 ? 3 : 50 }, (batches) =>
            tenantEvents(batches, tenant).some((event) => event.revision === total - 1),
          ),
        );
        for (let length = 40; length < total; length += 10) {
          await log.append({ stream: name, expected: length - 1, events: notes(tenant, 10) });
        }
        const whole = await readTenant(log, tenant, start);
        const finished = await Promise.all(runs);
        for (const [index, batches] of finished.entries()) {
          const from = starts[index] ?? start;
          expect(tenantEvents(batches, tenant)).toEqual(whole.filter((event) => event.position > from));
          for (const batch of batches) expect(batch.events.length).toBeLessThanOrEqual(index === 0 ? 3 : 50);
        }
      });

      it('has a watermark that only rises and is never ahead of what was delivered', async () => {
        const tenant = newTenant();
        const start = await log.head();
        const wanted = stream(tenant, randomUUID(), 'ruleRun');
        const unwanted = stream(tenant);
        for (let round = 0; round < 20; round += 1) {
          await log.append({
            stream: wanted,
            expected: round === 0 ? 'no-stream' : round - 1,
            events: notes(tenant, 1),
          });
          await log.append({
            stream: unwanted,
            expected: round === 0 ? 'no-stream' : 3 * round - 1,
            events: notes(tenant, 3),
          });
        }
        const all = await readTenant(log, tenant, start, { categories: ['ruleRun'] });
        const batches = await subscribeUntil(
          log,
          { after: start, categories: ['ruleRun'], maxBatch: 6 },
          (seen) => tenantEvents(seen, tenant).length >= 20,
        );
        let watermark = start;
        const given: RecordedEvent[] = [];
        for (const batch of batches) {
          expect(batch.position >= watermark).toBe(true);
          for (const event of batch.events) expect(event.position > watermark).toBe(true);
          watermark = batch.position;
          given.push(...batch.events.filter((event) => event.metadata.tenantId === tenant));
          expect(given).toEqual(all.filter((event) => event.position <= watermark));
        }
        expect(given).toEqual(all);
      });

      it('brings all events of the tenant asked for, in batches as large as asked, and passes over the others', async () => {
        const [tenant, other] = [newTenant(), newTenant()];
        const start = await log.head();
        for (let round = 0; round < 12; round += 1) {
          const category = round % 2 === 0 ? 'schedule' : 'bankTransaction';
          for (const owner of [other, tenant, other]) {
            const name = stream(owner, randomUUID(), category);
            await log.append({ stream: name, expected: 'no-stream', events: notes(owner, 3) });
          }
        }
        const head = await log.head();
        const all = await readTenant(log, tenant, start);
        const asked = { after: start, tenantId: tenant, maxBatch: 5 };
        const batches = await subscribeUntil(log, asked, (seen) => (seen.at(-1)?.position ?? '') >= head);
        expect(tenantEvents(batches, tenant)).toEqual(all);
        expect(batches.every(({ events }) => events.length <= 5)).toBe(true);
        const categories = ['schedule'];
        const some = await readTenant(log, tenant, start, { categories });
        const narrowed = await subscribeUntil(
          log,
          { ...asked, categories },
          (seen) => tenantEvents(seen, tenant).length >= some.length,
        );
        expect(tenantEvents(narrowed, tenant)).toEqual(some);
        for (const { position } of batches) {
          const rest = all.filter((event) => event.position > position);
          const [next] = await subscribeUntil(log, { ...asked, after: position }, (seen) => seen.length === 1);
          const own = next === undefined ? [] : tenantEvents([next], tenant);
          expect(own).toEqual(rest.slice(0, own.length));
        }
      });

      it('brings few of the events of others to a tenant, and still reaches the end of the log', async () => {
        const [tenant, other] = [newTenant(), newTenant()];
        const start = await log.head();
        const row = (owner: string, nth: number) => ({
          stream: stream(owner, `row-${nth}`),
          expected: 'no-stream' as const,
          events: notes(owner, 1, `row ${nth}`),
        });
        await log.append(row(tenant, 1));
        for (let nth = 0; nth < 2_500; nth += 500) {
          await log.appendMany(Array.from({ length: 500 }, (_, at) => row(other, nth + at)));
        }
        await log.append(row(tenant, 2));
        await log.appendMany(Array.from({ length: 700 }, (_, at) => row(other, 2_500 + at)));
        const head = await log.head();
        const asked = { after: start, tenantId: tenant };
        const batches = await subscribeUntil(log, asked, (seen) => (seen.at(-1)?.position ?? '') >= head);
        expect(batches.flatMap(({ events }) => events.map(({ stream: name }) => name))).toEqual([
          stream(tenant, 'row-1'),
          stream(tenant, 'row-2'),
        ]);
      });

      it('continues without gap or repeat from the watermark of any batch', async () => {
        const tenant = newTenant();
        const start = await log.head();
        for (let round = 0; round < 12; round += 1) {
          const category = round % 2 === 0 ? 'schedule' : 'bankTransaction';
          await log.append({
            stream: stream(tenant, randomUUID(), category),
            expected: 'no-stream',
            events: notes(tenant, 2),
          });
        }
        const all = await readTenant(log, tenant, start, { categories: ['schedule'] });
        const options = { categories: ['schedule'], maxBatch: 5 };
        const given: RecordedEvent[] = [];
        let after = start;
        while (given.length < all.length) {
          const [batch] = await subscribeUntil(log, { ...options, after }, (batches) => batches.length === 1);
          given.push(...(batch?.events.filter((event) => event.metadata.tenantId === tenant) ?? []));
          after = batch?.position ?? after;
        }
        expect(given).toEqual(all);
      });

      it('reports at once that there is nothing further, then delivers what is appended', async () => {
        const tenant = newTenant();
        await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1, 'old') });
        const after = await log.head();
        const name = stream(tenant);
        let asked = false;
        const batches = await subscribeUntil(log, { after }, (seen) => {
          if (!asked && seen.some((batch) => batch.caughtUp)) {
            asked = true;
            void log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1, 'new') });
          }
          return tenantEvents(seen, tenant).length > 0;
        });
        expect(tenantEvents(batches, tenant).map(textOf)).toEqual(['new 0']);
        expect(batches.findIndex((batch) => batch.caughtUp)).toBeLessThan(
          batches.findIndex((batch) => tenantEvents([batch], tenant).length > 0),
        );
      });

      it('is not caught up before it has delivered the existing events', async () => {
        const tenant = newTenant();
        const after = await log.head();
        await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 25) });
        const batches = await subscribeUntil(log, { after, maxBatch: 10 }, (seen) => seen.some((b) => b.caughtUp));
        expect(tenantEvents(batches, tenant)).toHaveLength(25);
      });

      it('ends when its signal aborts, at once or while it waits', async () => {
        const aborted = AbortSignal.abort();
        const none: unknown[] = [];
        for await (const batch of log.subscribe({ after: LOG_START, signal: aborted })) none.push(batch);
        expect(none).toEqual([]);

        const stop = new AbortController();
        const after = await log.head();
        const waiting = (async () => {
          for await (const batch of log.subscribe({ after, signal: stop.signal })) {
            if (batch.caughtUp) setImmediate(() => stop.abort());
          }
          return 'ended';
        })();
        expect(await waiting).toBe('ended');
      });

      if (openEmptyLog !== undefined) {
        it.each([
          ['all categories', undefined],
          ['one category', ['bankTransaction']],
        ])('brings the first event ever to who subscribed before it: %s', async (_, categories) => {
          const empty = await openEmptyLog(codec);
          try {
            const tenant = newTenant();
            const name = stream(tenant);
            const first = empty.subscribed().then(async () => {
              await empty.log.append({ stream: name, expected: 'no-stream', events: notes(tenant, 1) });
              await empty.log.append({ stream: name, expected: 0, events: notes(tenant, 3) });
              return readTenant(empty.log, tenant, LOG_START);
            });
            const options = { after: LOG_START, ...(categories === undefined ? {} : { categories }) };
            const batches = await subscribeUntil(empty.log, options, (seen) => tenantEvents(seen, tenant).length >= 4);
            const events = await first;
            expect(tenantEvents(batches, tenant)).toEqual(events);
            const end = await empty.log.end();
            for (const batch of batches) expect(batch.position <= end).toBe(true);
            const again = await subscribeUntil(empty.log, options, (seen) => tenantEvents(seen, tenant).length >= 4);
            expect(tenantEvents(again, tenant)).toEqual(events);
          } finally {
            await empty.log.close();
          }
        });
      }

      it('refuses a position that it did not issue', async () => {
        const attempt = subscribeUntil(log, { after: 'nowhere' }, () => true);
        await expect(attempt).rejects.toThrow(RangeError);
      });
    });

    describe('opened again', () => {
      it('upcasts an old stored version wherever it is read', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        await log.close();
        log = await openLog(oldCodec);
        const start = await log.head();
        const old = { ...noted(tenant, ''), data: { note: 'written long ago' }, metadata: metadata(tenant, 1) };
        await log.append({ stream: name, expected: 'no-stream', events: [old] });
        await log.close();
        log = await openLog(codec);
        const [event] = await log.readStreamPositions(name);
        expect(event?.data).toEqual({ text: 'written long ago' });
        expect(event?.metadata).toEqual(metadata(tenant, 2));
        expect(await readTenant(log, tenant, start)).toEqual([event]);
        const batches = await subscribeUntil(log, { after: start }, (seen) => tenantEvents(seen, tenant).length > 0);
        expect(tenantEvents(batches, tenant)).toEqual([event]);
      });

      it('has everything it acknowledged, and recognises its repetition', async () => {
        const tenant = newTenant();
        const name = stream(tenant);
        const append = { stream: name, expected: 'no-stream', events: notes(tenant, 3) } as const;
        const result = await log.append(append);
        const before = await log.readStream(name);
        const head = await log.head();
        await log.close();
        log = await openLog(codec);
        expect(await log.readStream(name)).toEqual(before);
        expect(await log.append(append)).toEqual(result);
        expect((await log.head()) >= head).toBe(true);
      });

      it('refuses every call once closed, and ends its subscriptions', async () => {
        const tenant = newTenant();
        const after = await log.head();
        const waiting = (async () => {
          for await (const batch of log.subscribe({ after, signal: new AbortController().signal })) {
            if (batch.caughtUp) setImmediate(() => void log.close());
          }
          return 'ended';
        })();
        expect(await waiting).toBe('ended');
        await log.close();
        const append = { stream: stream(tenant), expected: 'no-stream', events: notes(tenant, 1) } as const;
        await expect(log.append(append)).rejects.toThrow(LogUnavailable);
        await expect(log.appendMany([append])).rejects.toThrow(LogUnavailable);
        await expect(log.readStream(append.stream)).rejects.toThrow(LogUnavailable);
        await expect(log.readAll({ after: LOG_START, limit: 1 })).rejects.toThrow(LogUnavailable);
        await expect(log.head()).rejects.toThrow(LogUnavailable);
        await expect(log.ping()).rejects.toThrow(LogUnavailable);
        log = await openLog(codec);
      });
    });
  });
}
