import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/events/event.ts';
import { streamName } from '../../src/log/streams.ts';
import { openReadModels, type Readable } from '../../src/projections/engine/read-models.ts';
import { collectionSpec, versionedName } from '../../src/projections/engine/runnable.ts';
import { type EntryFilter, type HistoryDocument, type HistoryEntry, history } from '../../src/projections/history.ts';
import {
  countHistory,
  entryOfEvent,
  firstOfHistory,
  historyPages,
  momentInHistory,
} from '../../src/queries/history.ts';
import type { HistoryQuestion } from '../../src/queries/history-question.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { newId } from '../../src/shared/ids.ts';
import { storeFormerHistory } from '../support/former-history.ts';
import { foldOne } from '../support/recorded-events.ts';

const folder = mkdtempSync(join(tmpdir(), 'bank-history-'));
const large = openEmbeddedReadStore({ file: join(folder, 'read-models.sqlite'), smallTable: 0 });
afterAll(async () => {
  await large.close();
  rmSync(folder, { recursive: true, force: true });
});

/** One event of a random log; small numbers choose among few values, so that filters find some and miss others. */
type Drawn = {
  readonly tenant: number;
  readonly gap: number;
  readonly type: number;
  readonly request: number;
  readonly actor: number;
  readonly company: number;
  readonly entity: number;
  readonly pauseMs: number;
  readonly ending: number;
};

const drawn: fc.Arbitrary<Drawn> = fc.record({
  tenant: fc.constantFrom(0, 0, 0, 1, 2),
  gap: fc.constantFrom(1, 1, 1, 1, 1, 37, 99, 100, 101, 450),
  type: fc.nat(3),
  request: fc.nat(4),
  actor: fc.nat(2),
  company: fc.nat(2),
  entity: fc.nat(5),
  pauseMs: fc.constantFrom(0, 0, 1, 30_000, -5),
  ending: fc.nat(3),
});

const TYPES = ['TransactionRecorded', 'RuleCreated', 'RulePaused', 'SessionEnded'];
const CATEGORIES = ['bankTransaction', 'transactionRule', 'transactionRule', 'session'] as const;
const COMPANIES = [null, 'company-one', 'company-two'];

const positionOf = {
  counted: (place: number): string => String(place).padStart(16, '0'),
  // As many events fall into a block as with the other log.
  offsets: (place: number): string => {
    const offset = String(place * 1_000).padStart(20, '0');
    return `${offset}-${offset}`;
  },
};

function eventsOf(all: readonly Drawn[], log: keyof typeof positionOf, names: string): RecordedEvent[] {
  let place = 0;
  let atMs = Date.parse('2026-01-05T10:00:00.000Z');
  const revisions = new Map<string, number>();
  return all.map((one) => {
    place += one.gap;
    atMs += one.pauseMs;
    const tenantId = `${names}${one.tenant}`;
    const stream = streamName(CATEGORIES[one.type] ?? 'session', tenantId, `entity-${one.entity}`);
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    return {
      // Many ids end alike.
      id: newId().slice(0, -8) + String(one.ending).repeat(8),
      type: TYPES[one.type] ?? '',
      data: {},
      metadata: {
        schemaVersion: 1,
        tenantId,
        companyId: COMPANIES[one.company] ?? null,
        actor: { type: 'system', id: `actor-${one.actor}` },
        correlationId: `request-${one.request}`,
        causationId: null,
      },
      stream,
      revision,
      position: positionOf[log](place),
      recordedAt: new Date(atMs).toISOString(),
    };
  });
}

/** What the log itself says of each event. */
function listed(events: readonly RecordedEvent[]): HistoryEntry[] {
  return events.map(({ id, type, metadata, stream, revision, position, recordedAt }) => ({
    tenantId: metadata.tenantId,
    companyId: metadata.companyId,
    position,
    eventId: id,
    eventType: type,
    entityType: ({ b: 'transaction', t: 'rule' } as const)[stream[0] ?? ''] ?? null,
    entityId: stream.slice(stream.indexOf('_') + 1),
    stream,
    revision,
    actorId: metadata.actor.id,
    correlationId: metadata.correlationId,
    recordedAt,
  }));
}

function wantedOf(all: readonly HistoryEntry[], question: HistoryQuestion): HistoryEntry[] {
  const { tenantId, companies, direction, after = '', upTo, before, where = {} } = question;
  const found = all.filter(
    (entry) =>
      entry.tenantId === tenantId &&
      (companies === null || (entry.companyId !== null && companies.includes(entry.companyId))) &&
      entry.position > after &&
      (upTo === undefined || entry.position <= upTo) &&
      (before === undefined || entry.position < before) &&
      Object.entries(where).every(([field, value]) => entry[field as keyof HistoryEntry] === value),
  );
  return direction === 'asc' ? found : found.toReversed();
}

async function readableOf(readStore: ReadStore): Promise<Readable<HistoryDocument>> {
  return (await openReadModels({ readStore, projections: [history] })).readable(history);
}

let fence = 0;

/** Folds the events in batches of these sizes, again and again, and writes each as the engine does. */
async function store(readStore: ReadStore, events: readonly RecordedEvent[], sizes: readonly number[]): Promise<void> {
  await readStore.ensureCollection(collectionSpec(history));
  const name = versionedName(history);
  let documents = new Map<string, HistoryDocument>();
  for (let at = 0, nth = 0; at < events.length; nth += 1) {
    const batch = events.slice(at, at + (sizes[nth % sizes.length] ?? 1));
    const before = documents;
    documents = foldOne(history, batch, before);
    const changed = [...documents.values()].filter((document) => before.get(document._id) !== document);
    const expected = (await readStore.checkpoints([name])).get(name)?.position ?? null;
    const position = batch.at(-1)?.position ?? '';
    fence += 1;
    const checkpoint = { name, expected, position, fence };
    await readStore.commitBatch({ collection: collectionSpec(history), documents: changed, checkpoint });
    at += batch.length;
  }
}

async function readAll(readable: Readable<HistoryDocument>, question: HistoryQuestion): Promise<HistoryEntry[]> {
  const found: HistoryEntry[] = [];
  for await (const part of historyPages(readable, question)) found.push(...part);
  return found;
}

/** As a client walks a list: each page begins where the one before ended. */
async function readPages(readable: Readable<HistoryDocument>, question: HistoryQuestion, size: number) {
  const found: HistoryEntry[] = [];
  for (let rest = question; ; ) {
    const page = await firstOfHistory(readable, rest, size);
    found.push(...page);
    const last = page.at(-1);
    if (page.length < size || last === undefined) return found;
    rest = question.direction === 'asc' ? { ...rest, after: last.position } : { ...rest, before: last.position };
  }
}

const filters: fc.Arbitrary<EntryFilter> = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      eventType: fc.constantFrom(...TYPES, 'NeverHappened'),
      correlationId: fc.constantFrom('request-0', 'request-3', 'never'),
      actorId: fc.constantFrom('actor-0', 'actor-2', 'never'),
      entityType: fc.constantFrom('transaction', 'rule', 'company'),
      entityId: fc.constantFrom('entity-0', 'entity-4', 'never'),
    },
    { requiredKeys: [] },
  ),
);

const asked = fc.record({
  companies: fc.constantFrom(null, ['company-one'], ['company-one', 'company-two'], ['another'], []),
  direction: fc.constantFrom('asc', 'desc'),
  where: filters,
  from: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  to: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  isWholeTo: fc.boolean(),
  size: fc.constantFrom(1, 2, 7, 50, 500),
});

const logs = fc.constantFrom('counted', 'offsets');
const sizes = fc.array(fc.constantFrom(1, 2, 10, 99, 500), { minLength: 1, maxLength: 4 });
let names = 0;

function lists(readStores: () => { readonly readStore: ReadStore; readonly close: () => Promise<void> }) {
  return fc.asyncProperty(
    fc.array(drawn, { minLength: 1, maxLength: 150 }),
    logs,
    sizes,
    fc.array(asked, { minLength: 1, maxLength: 6 }),
    async (all, log, batches, questions) => {
      names += 1;
      const { readStore, close } = readStores();
      const prefix = `t${names}-`;
      const events = eventsOf(all, log, prefix);
      await store(readStore, events, batches);
      const readable = await readableOf(readStore);
      const expected = listed(events);
      for (const { from, to, isWholeTo, size, ...rest } of questions) {
        const positionAt = (part: number): string => events[Math.floor(part * (events.length - 1))]?.position ?? '';
        const question: HistoryQuestion = {
          tenantId: `${prefix}0`,
          ...rest,
          ...(from !== null && { after: positionAt(from) }),
          ...(to !== null && (isWholeTo ? { upTo: positionAt(to) } : { before: positionAt(to) })),
        };
        const wanted = wantedOf(expected, question);
        expect(await readAll(readable, question)).toEqual(wanted);
        expect(await readPages(readable, question, size)).toEqual(wanted);
        expect(await countHistory(readable, question)).toBe(wanted.length);
        expect(await countHistory(readable, question, { most: size })).toBe(Math.min(size, wanted.length));
      }
      await close();
    },
  );
}

describe('the history in blocks', () => {
  it('lists what a list of every event would: any mixture, batches, filters, pages and direction', async () => {
    const inMemory = () => {
      const readStore = openEmbeddedReadStore({ file: ':memory:' });
      return { readStore, close: () => readStore.close() };
    };
    await fc.assert(lists(inMemory), { numRuns: 60 });
  });

  it('lists the same from a store that is large', async () => {
    await large.ensureCollection(collectionSpec(history));
    const reset = async () => large.deleteCheckpoint(versionedName(history));
    await fc.assert(
      lists(() => ({ readStore: large, close: reset })),
      { numRuns: 25 },
    );
  });

  it('finds an event by its id among those whose ids end alike, and only for its tenant and company', async () => {
    const property = fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 60 }), logs, async (all, log) => {
      const readStore = openEmbeddedReadStore({ file: ':memory:' });
      const events = eventsOf(all, log, 't');
      await store(readStore, events, [7]);
      const readable = await readableOf(readStore);
      for (const entry of listed(events)) {
        const { tenantId, companyId, eventId } = entry;
        const of = (companies: string[] | null, tenant = tenantId) =>
          entryOfEvent(readable, { tenantId: tenant, companies }, eventId);
        expect(await of(null)).toEqual(entry);
        expect(await of(['company-one'])).toEqual(companyId === 'company-one' ? entry : undefined);
        expect(await of([])).toBeUndefined();
        expect(await of(null, 'another')).toBeUndefined();
      }
      expect(await entryOfEvent(readable, { tenantId: 't0', companies: null }, '00000000')).toBeUndefined();
      await readStore.close();
    });
    await fc.assert(property, { numRuns: 20 });
  });

  it('finds the place of a moment, also where the clock went back', async () => {
    const property = fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 60 }), logs, async (all, log) => {
      const readStore = openEmbeddedReadStore({ file: ':memory:' });
      const events = eventsOf(all, log, 't');
      await store(readStore, events, [7]);
      const readable = await readableOf(readStore);
      const own = listed(events).filter(({ tenantId }) => tenantId === 't0');
      for (const from of ['', ...own.map(({ position }) => position)]) {
        for (const moment of new Set(own.map(({ recordedAt }) => recordedAt))) {
          const next = own.find((entry) => entry.position >= from && entry.recordedAt > moment);
          const last = own.findLast(({ position }) => next === undefined || position < next.position);
          const found = await momentInHistory(readable, { tenantId: 't0', from, moment });
          expect(found).toEqual({ position: last?.position, isSettled: next !== undefined });
        }
      }
      await readStore.close();
    });
    await fc.assert(property, { numRuns: 20 });
  });

  it('is listed up to where it is complete: a store may show a later block of a batch before an earlier one', async () => {
    const readStore = openEmbeddedReadStore({ file: ':memory:' });
    const draw = { tenant: 0, gap: 1, type: 0, request: 0, actor: 0, company: 1, entity: 0, pauseMs: 0, ending: 0 };
    const events = eventsOf(Array<Drawn>(150).fill(draw), 'counted', 't');
    await store(readStore, events.slice(0, 50), [50]);
    const later = [...foldOne(history, events).values()].filter(({ block }) => block.endsWith('1'));
    await readStore.collection(collectionSpec(history)).putMany(later);
    const readable = await readableOf(readStore);
    for (const direction of ['asc', 'desc'] as const) {
      const found = await readAll(readable, { tenantId: 't0', companies: null, direction });
      expect(found.map(({ position }) => position).toSorted()).toEqual(
        events.slice(0, 50).map(({ position }) => position),
      );
    }
    await readStore.close();
  });

  it('reads a long history in parts of bounded size', async () => {
    const readStore = openEmbeddedReadStore({ file: ':memory:' });
    const draw = { tenant: 0, gap: 1, type: 0, request: 0, actor: 0, company: 1, entity: 0, pauseMs: 0, ending: 0 };
    await store(readStore, eventsOf(Array<Drawn>(5_000).fill(draw), 'counted', 't'), [500]);
    let reads = 0;
    const question = { tenantId: 't0', companies: null, direction: 'desc' } as const;
    const parts: number[] = [];
    const pages = historyPages(await readableOf(readStore), question, (read) => {
      reads += 1;
      return read();
    });
    for await (const part of pages) parts.push(part.length);
    expect(Math.max(...parts)).toBe(1_600);
    expect(parts.length).toBe(reads);
    expect(parts.reduce((sum, length) => sum + length, 0)).toBe(5_000);
    await readStore.close();
  });
});

describe('the history with one document an event, until the blocks are built', () => {
  const property = fc.asyncProperty(
    fc.array(drawn, { minLength: 1, maxLength: 60 }),
    fc.array(asked, { minLength: 1, maxLength: 4 }),
    async (all, questions) => {
      const readStore = openEmbeddedReadStore({ file: ':memory:' });
      const events = eventsOf(all, 'counted', 't');
      const expected = listed(events);
      await storeFormerHistory(readStore, expected);
      const readable = await readableOf(readStore);
      expect(readable.version).toBe(2);
      for (const { companies, direction, where, size } of questions) {
        const question: HistoryQuestion = { tenantId: 't0', companies, direction, where };
        const wanted = wantedOf(expected, question);
        expect(await readAll(readable, question)).toEqual(wanted);
        expect(await readPages(readable, question, size)).toEqual(wanted);
      }
      for (const entry of expected) {
        const found = await entryOfEvent(readable, { tenantId: entry.tenantId, companies: null }, entry.eventId);
        expect(found).toEqual(entry);
        const { tenantId, recordedAt: moment } = entry;
        const own = expected.filter((one) => one.tenantId === tenantId);
        const next = own.find(({ recordedAt }) => recordedAt > moment);
        const last = own.findLast(({ position }) => next === undefined || position < next.position);
        const place = { position: last?.position, isSettled: next !== undefined };
        expect(await momentInHistory(readable, { tenantId, from: '', moment })).toEqual(place);
      }
      await readStore.close();
    },
  );

  it('answers the same questions with the same events', async () => {
    await fc.assert(property, { numRuns: 25 });
  });

  it('gets none of the indexes of the blocks by being read', async () => {
    const file = join(folder, 'former.sqlite');
    const readStore = openEmbeddedReadStore({ file });
    const draw = { tenant: 0, gap: 1, type: 0, request: 0, actor: 0, company: 1, entity: 0, pauseMs: 0, ending: 0 };
    const entries = listed(eventsOf([draw], 'counted', 't'));
    const indexesBefore = await storeFormerHistory(readStore, entries);
    const question = { tenantId: 't0', companies: null, direction: 'asc' } as const;
    expect(await readAll(await readableOf(readStore), question)).toEqual(entries);
    await readStore.close();
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(file);
    const columns = database.prepare(`SELECT name FROM pragma_table_info('docs:history_v2') ORDER BY name`).all();
    database.close();
    expect(columns.map(({ name }) => String(name)).filter((name) => name.startsWith('f:'))).toEqual(
      [...new Set(indexesBefore.flatMap(({ fields }) => fields))]
        .filter((field) => !field.startsWith('_'))
        .map((field) => `f:${field}`)
        .toSorted(),
    );
  });
});
