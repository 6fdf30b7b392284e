import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../src/events/event.ts';
import type { KnownEvent } from '../../../src/events/registry.ts';
import { digestCollection } from '../../../src/projections/engine/digest.ts';
import { openParkings } from '../../../src/projections/engine/parkings.ts';
import { startFold } from '../../../src/projections/engine/projection-fold.ts';
import { startProjections } from '../../../src/projections/engine/projection-runner.ts';
import {
  RebuildFailed,
  rebuildProjection,
  rebuildProjections,
  verifyCollection,
} from '../../../src/projections/engine/rebuild.ts';
import type { RunnableProjection } from '../../../src/projections/engine/runnable.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import type { CollectionSpec, ReadStore } from '../../../src/readstore/read-store.ts';
import { canonicalJson } from '../../../src/shared/hash.ts';
import { type ScriptedEvent, type ScriptedLog, scriptedLog } from './scripted-log.ts';
import { expectedSums, type SumDocument, sums } from './sums.ts';

/** The amount of an event that cannot be folded. */
const POISON = -13;

const LONG_MS = 20_000;

const scripts = fc.array(
  fc.record({
    type: fc.constantFrom('Added', 'Added', 'Shared', 'Looked', 'Unknown'),
    key: fc.constantFrom('a', 'b', 'c'),
    amount: fc.integer({ min: -5, max: 5 }),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('a rebuild', () => {
  let log: ScriptedLog;
  let store: ReadStore;
  beforeEach(() => {
    log = scriptedLog(20);
    store = openEmbeddedReadStore({ file: ':memory:' });
  });
  afterEach(() => store.close());

  const all = async (name: string): Promise<SumDocument[]> =>
    store.collection<SumDocument>({ name, indexes: [] }).find({ filter: [], sort: [], limit: 1_000 });
  /** The store, and the collections that are made in it. */
  function watched(): { readonly readStore: ReadStore; readonly made: CollectionSpec[] } {
    const made: CollectionSpec[] = [];
    const ensureCollection: ReadStore['ensureCollection'] = async (spec, options) => {
      made.push(spec);
      await store.ensureCollection(spec, options);
    };
    const readStore = new Proxy(store, {
      get: (target, name) => {
        if (name === 'ensureCollection') return ensureCollection;
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return { readStore, made };
  }
  const record = (count: number): string =>
    log.record(
      ...Array.from({ length: count }, (_, n) => ({ key: `k${n % 9}`, amount: n, type: n % 5 ? 'Added' : 'Shared' })),
    );

  it('has the same digest as the read model that was updated event by event', async () => {
    const projection = sums();
    const timing = { tickMs: 5 };
    const clock = { now: () => 0 };
    const runner = startProjections({ log, readStore: store, projections: [projection], clock, owner: 'one', timing });
    let position = '';
    for (let n = 0; n < 15; n += 1) {
      position = record(n);
      expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
    }
    await runner.stop();
    const rebuilt = await rebuildProjection({ log, readStore: store, projection });
    expect(rebuilt).toMatchObject({ projection: 'sums', position, collection: { name: 'sums_v1_rebuild' } });
    const live = await digestCollection(store, { name: 'sums_v1', indexes: projection.indexes });
    expect(await digestCollection(store, rebuilt.collection)).toBe(live);
    expect(await all('sums_v1_rebuild')).toHaveLength(10);

    const sorted = [...expectedSums(log.events).values()].sort((one, other) => (one._id < other._id ? -1 : 1));
    const text = sorted.map((document) => `${canonicalJson(document)}\n`).join('');
    expect(live).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('stops at the requested position, and starts from an empty collection each time', async () => {
    const position = record(33);
    record(40);
    const projection = sums();
    for (let n = 0; n < 2; n += 1) {
      await rebuildProjection({ log, readStore: store, projection, into: 'past', upTo: position });
      expect(await all('past')).toEqual([...expectedSums(log.events.slice(0, 33)).values()].sort(byId));
    }
    await rebuildProjection({ log, readStore: store, projection, into: 'past', upTo: '' });
    expect(await all('past')).toEqual([]);
  });

  it('reads the log once for several projections', async () => {
    record(100);
    const projections = ['a', 'b', 'c'].map((name) => sums({ name }));
    const rebuilt = await rebuildProjections({
      log,
      readStore: store,
      projections,
      into: ({ name }) => `${name}_again`,
    });
    expect(log.given).toBe(100);
    const wanted = [...expectedSums(log.events).values()].sort(byId);
    for (const { collection } of rebuilt) expect(await all(collection.name)).toEqual(wanted);
  });

  it('stores documents as the live read model does, except where they are iterated once', async () => {
    record(10);
    const { readStore, made } = watched();
    const projections = [{ ...sums({ name: 'often' }), isReadOften: true as const }, sums({ name: 'seldom' })];
    await rebuildProjections({ log, readStore, projections });
    await rebuildProjections({ log, readStore, projections, into: ({ name }) => `${name}_once`, indexed: false });
    const packed = made
      .filter(({ name }) => /^often|^seldom/.test(name))
      .map(({ name, isReadOften }) => `${name} ${isReadOften !== true}`);
    expect(new Set(packed)).toEqual(
      new Set(['often_v1_rebuild false', 'seldom_v1_rebuild true', 'often_once false', 'seldom_once false']),
    );
  });

  it('makes the same documents without indexes where none are wanted', async () => {
    record(100);
    const { readStore, made } = watched();
    const indexes = [{ fields: ['sum'] }, { fields: ['terms'], multi: true }];
    const projections = [{ ...sums(), indexes }];
    await rebuildProjections({ log, readStore, projections, into: () => 'bare', indexed: false });
    expect(made.filter(({ name }) => name === 'bare').map((spec) => spec.indexes)).toEqual([[], []]);
    expect(await all('bare')).toEqual([...expectedSums(log.events).values()].sort(byId));
  });

  it('fails on an event that it cannot fold, unless that was parked', async () => {
    const poison = new Set(['bad']);
    log.record({ key: 'a' }, { key: 'bad' }, { key: 'b' });
    const projection = sums({ poison });
    await expect(rebuildProjection({ log, readStore: store, projection, into: 'x' })).rejects.toThrow(RebuildFailed);
    const [, bad] = log.events;
    const { id: eventId = '', type: eventType = '', stream = '', position = '' } = bad ?? {};
    const parkings = await openParkings(store);
    await parkings.park(
      projection,
      { eventId, eventType, stream, position, message: 'cannot' },
      '2024-01-01T00:00:00.000Z',
    );
    await rebuildProjection({ log, readStore: store, projection, into: 'x' });
    expect((await all('x')).map((document) => document._id)).toEqual(['a', 'b']);
  });

  it('can be aborted', async () => {
    record(100);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const rebuilding = rebuildProjection({ log, readStore: store, projection: sums(), signal: stop.signal });
    await expect(rebuilding).rejects.toThrow('enough');
  });

  it('is verified against the log, and a changed document is detected', async () => {
    const position = record(60);
    const projection = sums();
    const { collection } = await rebuildProjection({ log, readStore: store, projection, into: 'sums_v1' });
    const verified = await verifyCollection({ log, readStore: store, projection, position });
    expect(verified).toEqual({
      position,
      documents: 10,
      refolded: 10,
      digest: await digestCollection(store, collection),
    });
    await store.collection<SumDocument>(collection).putMany([{ _id: 'k1', _position: 'z', sum: 1, seen: [] }]);
    await expect(verifyCollection({ log, readStore: store, projection, position })).rejects.toThrow('document k1');
  });

  it('is verified where documents continue others, of which not all are in the sample', async () => {
    const keyOf = (nth: number): string => `v${String(nth).padStart(3, '0')}`;
    const versions: RunnableProjection = {
      ...sums(),
      keys: (event: ScriptedEvent) => [keyOf(event.data.amount)],
      base: (key: string) => (key === keyOf(0) ? undefined : keyOf(Number(key.slice(1)) - 1)),
    };
    const position = log.record(...Array.from({ length: 120 }, (_, n) => ({ key: 'k', amount: n })));
    await rebuildProjection({ log, readStore: store, projection: versions, into: 'sums_v1' });
    const verified = await verifyCollection({ log, readStore: store, projection: versions, position });
    expect(verified).toMatchObject({ documents: 120, refolded: 50 });
    expect(await all('sums_v1')).toContainEqual(expect.objectContaining({ _id: keyOf(119), sum: (119 * 120) / 2 }));
  });

  it.each([
    ['one by one', undefined],
    ['together', []],
  ])('has the same result for any batches, also when events are delivered again: %s', async (_, together) => {
    const run = async (script: { type: string; key: string; amount: number }[], cuts: number[], back: number[]) => {
      const scripted = scriptedLog();
      scripted.record(...script);
      const stored = new Map<string, SumDocument>();
      const projection = sums({ ...(together && { together }) });
      const getMany = async (ids: readonly string[]) =>
        new Map(ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id) as SumDocument] as const] : [])));
      const fold = startFold(projection, { getMany }, () => false);
      let at = 0;
      for (let turn = 0; at < scripted.events.length; turn += 1) {
        const size = cuts[turn % cuts.length] ?? 1;
        const from = Math.max(0, at - (back[turn % back.length] ?? 0));
        const delivered = scripted.events.slice(from, at + size);
        const again = delivered.slice(0, back[turn % back.length] ?? 0);
        expect(await fold.fold([...delivered, ...again])).toBeUndefined();
        for (const document of fold.changed()) stored.set(document._id, document as SumDocument);
        if (turn % 2 === 0) fold.written();
        else fold.forget();
        at += size;
      }
      expect(new Map([...stored].sort())).toEqual(new Map([...expectedSums(scripted.events)].sort()));
    };
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
    const back = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 });
    await fc.assert(fc.asyncProperty(scripts, cuts, back, run), { numRuns: 200 });
    if (together !== undefined) expect(Math.max(...together)).toBeGreaterThan(2);
  });

  it.each([0, 3, 5])(
    'finds which of the events that it folds together is poison, and folds those before it: %i',
    async (at) => {
      const together: number[] = [];
      const { evolve, evolveAll, ...rest } = sums({ together });
      const refuse = (event: KnownEvent): void => {
        if ((event as RecordedEvent as ScriptedEvent).data.amount === POISON) throw new Error('poison');
      };
      const projection = {
        ...rest,
        evolve(...of: Parameters<typeof evolve>) {
          refuse(of[1]);
          return evolve(...of);
        },
        evolveAll(...of: Parameters<NonNullable<typeof evolveAll>>) {
          of[1].forEach(refuse);
          return evolveAll?.(...of);
        },
      };
      const parked = new Set<string>();
      const fold = startFold(projection, { getMany: async () => new Map() }, (id) => parked.has(id));
      log.record(...Array.from({ length: 7 }, (_, nth) => ({ key: 'a', amount: nth === at ? POISON : 1 })));
      const poison = await fold.fold(log.events);
      expect(poison?.eventId).toBe(log.events[at]?.id);
      expect(fold.changed()).toEqual([...expectedSums(log.events.slice(0, at)).values()]);
      parked.add(poison?.eventId ?? '');
      expect(await fold.fold(log.events)).toBeUndefined();
      expect(fold.changed()).toEqual([...expectedSums(log.events, parked).values()]);
      expect(together.length).toBeGreaterThan(0);
    },
  );

  it('changes nothing in a fold whose read failed', async () => {
    let away = true;
    const getMany = async () => {
      if (away) throw new Error('away');
      return new Map<string, SumDocument>();
    };
    const fold = startFold(sums(), { getMany }, () => false);
    log.record({ key: 'a' }, { key: 'b' });
    const events: readonly ScriptedEvent[] = log.events;
    await expect(fold.fold(events)).rejects.toThrow('away');
    expect(fold.changedCount()).toBe(0);
    away = false;
    await fold.fold(events);
    expect(fold.changed()).toEqual([...expectedSums(events).values()]);
  });
});

function byId(one: SumDocument, other: SumDocument): number {
  return one._id < other._id ? -1 : 1;
}
